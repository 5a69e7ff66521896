/// The outcome of a check of a speed or a size against its target.
struct CheckOutcome: Codable, Equatable {
    enum Bound: String, Codable { case atLeast, atMost }

    /// The checked quantity, with the number of objects where it matters.
    var title: String
    var unit: String
    var bound: Bound
    var target: Double
    var measured: Double
    /// The figures of the machine without the database, from the same run and in the same unit
    /// unless the name states another one.
    var controls: [Control] = []

    var passed: Bool { bound == .atLeast ? measured >= target : measured <= target }

    struct Control: Codable, Equatable {
        var name: String
        var measured: Double
    }
}
