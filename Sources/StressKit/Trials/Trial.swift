import BenchmarkKit
import Foundation
import StorageEngine
import StressModel

/// The trying of one point: what a layer is given to work with, and what it tells.
///
/// Used by one thread.
package final class Trial {
    /// Empty at the beginning, and removed at the end.
    package let directory: String
    private let deadline: UInt64
    private let tell: (WorkerReply) -> Void
    package private(set) var report = TrialReport()

    /// `secondsLeft`: when to leave off. `tell` learns what is tried before it is tried.
    package init(
        directory: String, secondsLeft: Double, tell: @escaping (WorkerReply) -> Void = { _ in }
    ) {
        self.directory = directory
        // Half the range of the clock is as good as never.
        let nanoseconds = min(max(secondsLeft, 0) * 1e9, Double(UInt64.max / 4))
        deadline = System.monotonicNanoseconds + UInt64(nanoseconds)
        self.tell = tell
    }

    /// Whether the time is over or something was found. A layer asks before each attempt but the
    /// first.
    package var mustStop: Bool {
        !report.failures.isEmpty || System.monotonicNanoseconds >= deadline
    }

    package func file(_ name: String) -> String { directory + "/" + name }

    /// Tries one thing. What `body` finds, and every error of the engine that gets out of it, is
    /// kept with the point.
    package func attempt(_ point: StressPoint, _ body: () throws -> Void) throws {
        tell(.trying(point.description))
        report.points += 1
        try keepingFindings(of: point, body)
        tellAlive()
    }

    /// Says how far it is: an attempt that takes long must say something now and then.
    package func tellAlive() {
        tell(.progress(points: report.points, states: report.states))
    }

    /// What is found while `body` prepares attempts belongs to the point as a whole.
    func keepingFindings(of point: StressPoint, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let finding as Finding {
            fail(point, finding)
        } catch let error as StorageError {
            fail(point, Finding(.wrongError, "\(error.code): \(error.message)"))
        }
    }

    private func fail(_ point: StressPoint, _ finding: Finding) {
        report.failures.append(
            .init(point: point.description, kind: finding.kind, message: finding.message))
    }

    /// States that were opened and judged, and acknowledged commits that were looked for in them.
    package func count(states: Int = 0, commits: Int = 0) {
        report.states += states
        report.commits += commits
    }

    package func countHandOver(nanoseconds: UInt64) {
        report.handOverNanoseconds.append(nanoseconds)
    }

    package func cover(_ name: String) { report.coverage[name, default: 0] += 1 }

    package func skip(_ reason: String) { report.skipped = reason }

    /// The report, with what the process took.
    package func end() -> TrialReport {
        report.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return report
    }
}
