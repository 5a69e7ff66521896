import RealmSwift

final class Sensor: Object {
    @Persisted(primaryKey: true) var number: Int
    /// In the order in which they were measured.
    @Persisted var readings: List<Reading>
}

final class Reading: Object {
    /// In degrees Celsius.
    @Persisted var temperature: Double
}
