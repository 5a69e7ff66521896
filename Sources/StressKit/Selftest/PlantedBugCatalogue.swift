import BenchmarkKit
import StorageEngine

/// A mistake that can be planted in the engine, and who is expected to find it.
package struct PlantedBugEntry: Equatable, Sendable {
    /// As the engine knows it.
    package var name: String
    /// What is wrong.
    package var mistake: String
    /// What it breaks: the number of a clause of the contract, and the clause in a few words.
    package var clause: String
    /// Scenarios, such as `power-loss/full`, which are tried first and in this order.
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
        recovery + space + shrinking + locks + forks + pages + calls + objects

    /// - Throws: a usage error for a name that is none's.
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

    /// The variable of the environment that gives a process its bug.
    static let variable = PlantedBugs.variable

    /// What the engine has and the catalogue has not, or the other way round.
    package static var mismatches: [String] {
        Set(PlantedBugs.names).symmetricDifference(all.map(\.name)).sorted()
    }
    #else
    package static let isCompiledIn = false
    static let variable = ""
    package static var mismatches: [String] { [] }
    #endif
}
