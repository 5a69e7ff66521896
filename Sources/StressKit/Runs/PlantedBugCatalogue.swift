import StorageEngine
import ToolSupport

/// A bug that can be planted in the engine, and the scenarios expected to find it.
package struct PlantedBugEntry: Equatable, Sendable {
    /// The engine's name for it.
    package var name: String
    /// Description of what is wrong.
    package var mistake: String
    /// The guarantee that it breaks: its number in docs/guarantees.md, and a few words.
    package var clause: String
    /// Scenarios, such as `power-loss/full`, that are tried first and in this order.
    package var expected: [String]

    init(_ name: String, _ mistake: String, breaks clause: String, _ expected: String...) {
        self.name = name
        self.mistake = mistake
        self.clause = clause
        self.expected = expected
    }
}

/// All planted bugs. The engine has them only if it was built with the trait `PlantedBugs`.
package enum PlantedBugCatalogue {
    package static let all =
        recovery + space + shrinking + locks + forks + pages + calls + objects + observers
        + asyncWrites + migrations

    /// Returns the entry with this name.
    ///
    /// - Throws: a usage error for an unknown name.
    package static func entry(named name: String) throws -> PlantedBugEntry {
        guard let entry = all.first(where: { $0.name == name }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "planted bug", name: name, among: all.map(\.name)))
        }
        return entry
    }

    // MARK: The engine

    #if PLANTED_BUGS
    package static let isCompiledIn = true

    /// The environment variable that gives a process its bug.
    static let variable = PlantedBugs.variable

    /// Bugs that only the engine or only the catalogue has.
    package static var mismatches: [String] {
        Set(PlantedBugs.names).symmetricDifference(all.map(\.name)).sorted()
    }
    #else
    package static let isCompiledIn = false
    static let variable = ""
    package static var mismatches: [String] { [] }
    #endif
}
