/// The outcome of a check of a speed or a size against its target.
struct CheckOutcome: Codable, Equatable {
    enum Bound: String, Codable { case atLeast, atMost }
    enum Verdict: String {
        case pass, miss
        /// The row was not measured as the check needs it.
        case none = "no verdict"
        /// Faster than the same work without the database, which cannot be.
        case implausible
    }

    /// The checked quantity, with the number of objects where it matters.
    var title: String
    var unit: String
    var bound: Bound
    var target: Double
    var measured: Double
    /// The figures of the machine without the database, from the same run and in the same unit
    /// unless the name states another one.
    var controls: [Control] = []
    /// Why the row says nothing about the target; nil if it does.
    var objection: String?
    /// What the measured value cannot exceed if both sides were measured rightly.
    var ceiling: Double?

    /// Whether the measured value keeps to the bound, whatever it is worth.
    var passed: Bool { bound == .atLeast ? measured >= target : measured <= target }

    var verdict: Verdict {
        if objection != nil { return .none }
        if let ceiling, measured > ceiling { return .implausible }
        return passed ? .pass : .miss
    }

    struct Control: Codable, Equatable {
        var name: String
        var measured: Double
    }
}
