import StressModel

/// What came of trying a point, or several.
package struct TrialReport: Codable, Equatable, Sendable {
    /// What was found, with a point that shows this alone.
    package struct Failure: Codable, Equatable, Sendable {
        package var point: String
        package var kind: Finding.Kind
        package var message: String
    }

    /// Single things that were tried: a call at which a process was killed, an image.
    package var points = 0
    /// Files that were opened and judged.
    package var states = 0
    /// Transactions that were acknowledged and looked for.
    package var commits = 0
    /// From killing a process until another one had the write lock.
    package var handOverNanoseconds: [UInt64] = []
    /// How often the parts of the engine that a layer is after were met, by their names.
    package var coverage: [String: Int] = [:]
    /// Why nothing was tried.
    package var skipped: String?
    package var failures: [Failure] = []
    package var peakResidentBytes = 0

    package init() {}

    package mutating func add(_ other: TrialReport) {
        points += other.points
        states += other.states
        commits += other.commits
        handOverNanoseconds += other.handOverNanoseconds
        coverage.merge(other.coverage, uniquingKeysWith: +)
        skipped = skipped ?? other.skipped
        failures += other.failures
        peakResidentBytes = max(peakResidentBytes, other.peakResidentBytes)
    }
}
