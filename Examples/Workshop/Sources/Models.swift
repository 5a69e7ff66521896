import RealmSwift

/// Somebody who brings cars.
final class Customer: Object {
    @Persisted(primaryKey: true) var name: String
    /// The way back from ``Car/owner``. It is computed, so the two never disagree.
    @Persisted(originProperty: "owner") var cars: LinkingObjects<Car>
}

final class Car: Object {
    @Persisted(primaryKey: true) var plate: String
    @Persisted var model: String
    /// A link may lead nowhere, because what it leads to may be deleted.
    @Persisted var owner: Customer?
    @Persisted var repairs: List<Repair>

    var price: Int { repairs.reduce(0) { $0 + $1.price } }
}

final class Repair: Object {
    @Persisted var work: String
    @Persisted var mechanic: Mechanic?
    @Persisted var parts: List<Part>
    /// The way back from a list. Each repair is in the list of one car.
    @Persisted(originProperty: "repairs") private var cars: LinkingObjects<Car>

    var car: Car? { cars.first }
    var price: Int { parts.sum(of: \.price) }
}

/// A part that was built in. It belongs to its repair, and is deleted with it.
final class Part: EmbeddedObject {
    @Persisted var name: String
    /// In cents.
    @Persisted var price: Int
}

final class Mechanic: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "mechanic") var repairs: LinkingObjects<Repair>
}
