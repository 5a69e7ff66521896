import Foundation
import Synchronization
import ToolSupport

/// A thread that samples the course of a case: file size, memory, threads and operations.
final class RunSampler: @unchecked Sendable {
    // Safe because the mutable properties are only accessed with `condition` locked.
    private let condition = NSCondition()
    private var stopped = false
    private var hasEnded = false
    private var points: [TimelinePoint] = []
    private var mostThreads = 0
    private let path: String
    private let start = monotonicNanoseconds()
    private let operations: @Sendable () -> Int
    private let expectedSeconds: Double?
    private let expectedOperations: Int?
    private let progress: @Sendable (ProgressUpdate) -> Void

    /// Starts sampling; `path` is the database whose size is sampled.
    init(
        path: String, expectedSeconds: Double?, expectedOperations: Int?,
        progress: @escaping @Sendable (ProgressUpdate) -> Void,
        operations: @escaping @Sendable () -> Int
    ) {
        self.path = path
        self.expectedSeconds = expectedSeconds
        self.expectedOperations = expectedOperations
        self.progress = progress
        self.operations = operations
        let thread = Thread { [self] in run() }
        thread.name = "sampler"
        thread.start()
    }

    /// Stops sampling. Returns the samples and the largest number of threads seen, without the
    /// sampler's own.
    func stop() -> (points: [TimelinePoint], mostThreads: Int) {
        condition.lock()
        stopped = true
        condition.broadcast()
        while !hasEnded { condition.wait() }
        defer { condition.unlock() }
        return (points, mostThreads - 1)
    }

    /// Returns the operations a second between consecutive samples.
    static func rates(of points: [TimelinePoint]) -> [Double] {
        zip(points, points.dropFirst()).compactMap { earlier, later in
            let elapsed = later.elapsed - earlier.elapsed
            return elapsed > 0 ? Double(later.operations - earlier.operations) / elapsed : nil
        }
    }

    /// Returns the operations and seconds between consecutive samples.
    static func slices(of points: [TimelinePoint]) -> [ThroughputInterval.Slice] {
        zip(points, points.dropFirst()).map { earlier, later in
            ThroughputInterval.Slice(
                operations: Double(later.operations - earlier.operations),
                seconds: later.elapsed - earlier.elapsed)
        }
    }

    private func run() {
        condition.lock()
        while !stopped {
            condition.unlock()
            let point = sample()
            let threads = ProcessStatus.threadCount()
            condition.lock()
            let previous = points.last
            points.append(point)
            mostThreads = max(mostThreads, threads)
            MeasuredRegion.note(threads: threads - 1)
            report(point, after: previous)
            if !stopped { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1)) }
        }
        hasEnded = true
        condition.broadcast()
        condition.unlock()
    }

    private func sample() -> TimelinePoint {
        TimelinePoint(
            elapsed: seconds(from: start, to: monotonicNanoseconds()), operations: operations(),
            fileBytes: storedBytes(at: path), residentBytes: ProcessStatus.residentBytes())
    }

    private func report(_ point: TimelinePoint, after previous: TimelinePoint?) {
        let elapsed = point.elapsed - (previous?.elapsed ?? 0)
        let done = point.operations - (previous?.operations ?? 0)
        var update = ProgressUpdate(phase: "running")
        if elapsed > 0, previous != nil { update.operationsPerSecond = Double(done) / elapsed }
        if let expectedOperations, expectedOperations > 0 {
            let fraction = min(1, Double(point.operations) / Double(expectedOperations))
            update.fraction = fraction
            if fraction > 0 { update.secondsLeft = point.elapsed * (1 - fraction) / fraction }
        } else if let expectedSeconds {
            update.fraction = min(1, point.elapsed / expectedSeconds)
            update.secondsLeft = max(0, expectedSeconds - point.elapsed)
        }
        progress(update)
    }
}
