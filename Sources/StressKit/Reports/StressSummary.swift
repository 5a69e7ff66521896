import Foundation
import ToolSupport

/// The sums of the rows in one file of results, which may be of several runs.
package struct StressSummary: Equatable, Sendable {
    /// The sums of the rows of a layer or a scenario.
    package struct Total: Equatable, Sendable {
        package var rounds = 0
        package var points = 0
        package var states = 0
        package var commits = 0
        package var lostCommits = 0
        package var reopenFailures = 0
        /// Findings of all other kinds.
        package var others = 0
        package var seconds = 0.0
        package var peakResidentBytes = 0
        package var handOvers = HandOverHistogram(nanoseconds: [])
        package var coverage: [String: Int] = [:]

        mutating func add(_ other: Total) {
            rounds += other.rounds
            points += other.points
            states += other.states
            commits += other.commits
            lostCommits += other.lostCommits
            reopenFailures += other.reopenFailures
            others += other.others
            seconds += other.seconds
            peakResidentBytes = max(peakResidentBytes, other.peakResidentBytes)
            handOvers.add(other.handOvers)
            coverage.merge(other.coverage, uniquingKeysWith: +)
        }
    }

    package struct Part: Equatable, Sendable {
        package var layer: String
        package var scenario: String
        package var total: Total
    }

    /// Totals of each scenario, in the order of first appearance.
    package private(set) var scenarios: [Part] = []
    package private(set) var runs: [String] = []
    package private(set) var revisions: [String] = []
    package private(set) var firstFailures: [String] = []
    /// Reasons why scenarios could not run, as `layer/scenario: reason`.
    package private(set) var skipped: [String] = []

    /// Adds up rows.
    ///
    /// - Parameter rows: the rows of a file, header first.
    /// - Parameter revision: counts only rows of builds whose commit name begins with this; nil
    ///   counts all.
    /// - Throws: `notComparable` for a file with other columns, `usage` for a row that cannot be
    ///   read.
    package init(rows: [[String]], revision: String? = nil) throws {
        guard rows.first == StressTable.header else {
            throw BenchmarkError(
                .notComparable, "The file has other columns than 'stress run' writes.")
        }
        for (index, fields) in rows.enumerated().dropFirst() {
            guard let row = StressRow(fields) else {
                throw BenchmarkError(.usage, "Row \(index) cannot be read.")
            }
            if let revision, !row.revision.hasPrefix(revision) { continue }
            add(row)
        }
    }

    private mutating func add(_ row: StressRow) {
        func insert(_ value: String, into list: inout [String]) {
            if !value.isEmpty, !list.contains(value) { list.append(value) }
        }
        insert(row.run, into: &runs)
        insert(row.revision, into: &revisions)
        insert(row.firstFailure, into: &firstFailures)
        if !row.skipped.isEmpty {
            insert("\(row.layer)/\(row.scenario): \(row.skipped)", into: &skipped)
        }
        let known = scenarios.firstIndex {
            $0.layer == row.layer && $0.scenario == row.scenario
        }
        if let known {
            scenarios[known].total.add(row.total)
        } else {
            scenarios.append(Part(layer: row.layer, scenario: row.scenario, total: row.total))
        }
    }

    // MARK: Sums

    /// Totals of each layer, in the order of first appearance.
    package var layers: [(name: String, scenarios: Int, total: Total)] {
        var names: [String] = []
        for part in scenarios where !names.contains(part.layer) { names.append(part.layer) }
        return names.map { name in
            let parts = scenarios.filter { $0.layer == name }
            return (name, parts.count, Self.sum(parts))
        }
    }

    package var all: Total { Self.sum(scenarios) }

    private static func sum(_ parts: [Part]) -> Total {
        parts.reduce(into: Total()) { $0.add($1.total) }
    }

    /// Days (UTC) of the first and the last run, taken from the time in seconds that a run's name
    /// begins with.
    package var days: [String] {
        let seconds = runs.compactMap { $0.split(separator: "-").first.flatMap { Double($0) } }
        return Set([seconds.min(), seconds.max()].compactMap { $0 }.map(Self.day)).sorted()
    }

    private static func day(_ seconds: Double) -> String {
        let text = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        return String(text.prefix(while: { $0 != "T" }))
    }
}
