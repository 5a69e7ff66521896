import ArgumentParser

/// A duration on the command line: `90`, `90s`, `30m`, `2h`.
struct StressDuration: ExpressibleByArgument, Equatable, CustomStringConvertible {
    var seconds: Double
    /// A week. A longer duration is taken for a mistake.
    static let longestSeconds = 604_800.0

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard let number = Double(digits), number > 0, number.isFinite else { return nil }
        seconds = number * (unit ?? 1)
        guard seconds <= Self.longestSeconds else { return nil }
    }

    var description: String { "\(Int(seconds))s" }
}
