import ToolSupport

/// An option of the cases and the values that it takes one after the other, as in `--sweep
/// threads=1,2,4`.
struct Sweep: Equatable, Sendable {
    var name: String
    var values: [String]

    /// The options that can be swept.
    static let names =
        (CaseOption.allCases.filter { $0 != .input }.map(\.rawValue) + ["durability", "engine"])
        .sorted()

    /// Parses a text of the form `NAME=a,b`.
    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw BenchmarkError(
                .usage, "--sweep takes NAME=a,b, as in threads=1,2,4, and not '\(text)'.")
        }
        name = String(parts[0])
        guard Self.names.contains(name) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(kind: "option to sweep", name: name, among: Self.names))
        }
        values = try commaSeparated(String(parts[1]), option: "sweep \(name)")
        var points: [OptionOverrides] = []
        for value in values {
            var overrides = OptionOverrides()
            try overrides.set(name, to: value)
            guard !points.contains(overrides) else {
                throw BenchmarkError(
                    .usage, "--sweep \(name) has the value \(value) twice, in '\(text)'.")
            }
            points.append(overrides)
        }
    }

    /// A point of one or more sweeps: one value for each swept option.
    struct Point: Equatable, Sendable {
        var settings: [(name: String, value: String)] = []

        /// The settings as text, as in `threads=4;payload=100`.
        var text: String { settings.map { "\($0.name)=\($0.value)" }.joined(separator: ";") }

        /// Returns the point without the settings that have no effect on a case.
        func heeded(by options: Set<CaseOption>) -> Point {
            Point(
                settings: settings.filter {
                    CaseOption(rawValue: $0.name).map(options.contains) ?? true
                })
        }

        static func == (left: Point, right: Point) -> Bool { left.text == right.text }
    }

    /// Returns every combination, the last sweep changing fastest; one empty point without sweeps.
    static func points(of sweeps: [Sweep]) -> [Point] {
        sweeps.reduce([Point()]) { points, sweep in
            points.flatMap { point in
                sweep.values.map { Point(settings: point.settings + [(sweep.name, $0)]) }
            }
        }
    }
}

/// Splits `a,b,c` into its parts, none of which may be empty or repeated.
func commaSeparated(_ text: String, option: String) throws -> [String] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains(""), Set(parts).count == parts.count else {
        throw BenchmarkError(
            .usage,
            "--\(option) takes different values separated by commas, and not '\(text)'.")
    }
    return parts
}
