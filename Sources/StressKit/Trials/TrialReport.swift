import StressModel

/// The result of trying a point, or several.
package struct TrialReport: Codable, Equatable, Sendable {
    /// A finding, with a point that shows it alone.
    package struct Failure: Codable, Equatable, Sendable {
        package var point: String
        package var kind: Finding.Kind
        package var message: String
    }

    /// Number of single things that were tried: a call at which a process was killed, an image.
    package var points = 0
    /// Number of files that were opened and judged.
    package var states = 0
    /// Number of transactions that were acknowledged and looked for.
    package var commits = 0
    /// Times from killing a process until another thread had the write lock.
    package var handOverNanoseconds: [UInt64] = []
    /// Number of occurrences of each situation that a layer looks for, by name.
    package var coverage: [String: Int] = [:]
    /// Reason why nothing was tried.
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
