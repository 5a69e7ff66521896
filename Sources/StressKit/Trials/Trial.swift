import Foundation
import StorageEngine
import StressModel
import ToolSupport

/// The trial of one point: what a layer is given to work with, and what it reports.
///
/// Used by one thread.
package final class Trial {
    /// Directory that is empty at the beginning and removed at the end.
    package let directory: String
    private let deadline: UInt64
    private let tell: (WorkerReply) -> Void
    package private(set) var report = TrialReport()

    /// Creates a trial.
    ///
    /// - Parameter secondsLeft: the time until ``mustStop`` is true.
    /// - Parameter tell: is called with each point before it is tried, and with progress.
    package init(
        directory: String, secondsLeft: Double, tell: @escaping (WorkerReply) -> Void = { _ in }
    ) {
        self.directory = directory
        // A quarter of the clock's range is as good as never, and adding it cannot overflow.
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

    /// Tries one thing. What `body` finds, and every error of the engine that it throws, is
    /// recorded with the point.
    package func attempt(_ point: StressPoint, _ body: () throws -> Void) throws {
        tell(.trying(point.description))
        report.points += 1
        try keepingFindings(of: point, body)
        tellAlive()
    }

    /// Reports progress. An attempt that takes long must call this now and then, so that it is not
    /// taken for hung.
    package func tellAlive() {
        tell(.progress(points: report.points, states: report.states))
    }

    /// Records what is found while `body` prepares attempts with the point as a whole.
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

    /// Counts states that were opened and judged, and acknowledged commits that were looked for in
    /// them.
    package func count(states: Int = 0, commits: Int = 0) {
        report.states += states
        report.commits += commits
    }

    package func countHandOver(nanoseconds: UInt64) {
        report.handOverNanoseconds.append(nanoseconds)
    }

    package func cover(_ name: String, times: Int = 1) {
        report.coverage[name, default: 0] += times
    }

    package func skip(_ reason: String) { report.skipped = reason }

    /// Returns the report, with the peak memory of the process.
    package func end() -> TrialReport {
        report.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return report
    }
}
