/// How much a process's timed intervals are slowed down on purpose.
///
/// As text, `0.1` makes each interval one tenth longer, and `4/100` every hundredth one five times
/// as long.
struct PlantedSlowdown: Equatable, Sendable, CustomStringConvertible {
    /// What is added to an interval, as a fraction of it.
    var fraction = 0.0
    /// It is added to every so many-th interval.
    var every = 1

    static let none = PlantedSlowdown()

    init(fraction: Double = 0, every: Int = 1) {
        self.fraction = fraction
        self.every = every
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let fraction = Double(parts[0]), (0...10).contains(fraction),
            let every = parts.count == 2 ? Int(parts[1]) : 1, every >= 1
        else { return nil }
        self.init(fraction: fraction, every: every)
    }

    var description: String { every == 1 ? "\(fraction)" : "\(fraction)/\(every)" }
}
