import StorageEngine
import StressModel

/// Makes the point of a failure small: tries smaller points as long as one of them fails.
package struct Shrinker {
    /// Tries a point, and gives the first failure of it.
    package typealias Attempt = (StressPoint) throws -> TrialReport.Failure?

    private let layer: any StressLayer
    private let attempt: Attempt

    package init(_ layer: any StressLayer, _ attempt: @escaping Attempt) {
        self.layer = layer
        self.attempt = attempt
    }

    /// The smallest failure that was found in the time, `failure` itself if none is smaller, and
    /// how many points that took. Only failures of the same kind count: another one is another
    /// story.
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
