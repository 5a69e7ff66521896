import StorageEngine
import StressModel

/// Shrinks the point of a failure: tries smaller points as long as one of them fails.
package struct Shrinker {
    /// Tries a point and returns its first failure.
    package typealias Attempt = (StressPoint) throws -> TrialReport.Failure?

    private let layer: any StressLayer
    private let attempt: Attempt

    package init(_ layer: any StressLayer, _ attempt: @escaping Attempt) {
        self.layer = layer
        self.attempt = attempt
    }

    /// Returns the smallest failure found in the given time, or `failure` itself if no smaller
    /// point fails, and the number of points tried. Only failures of the same kind count, because
    /// another kind is another bug.
    package func shrink(
        _ failure: TrialReport.Failure, seconds: Double
    ) throws -> (failure: TrialReport.Failure, attempts: Int) {
        let deadline = System.monotonicNanoseconds + UInt64(seconds * 1e9)
        var smallest = failure
        var attempts = 0
        while let point = StressPoint(smallest.point) {
            var next: TrialReport.Failure?
            for candidate in try layer.smaller(than: point) {
                guard System.monotonicNanoseconds < deadline else { return (smallest, attempts) }
                attempts += 1
                if let found = try attempt(candidate), found.kind == failure.kind {
                    next = found
                    break
                }
            }
            guard let next else { break }
            smallest = next
        }
        return (smallest, attempts)
    }
}
