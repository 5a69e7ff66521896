/// A way of disturbing the database and checking that it kept its promises.
///
/// A layer is a set of points. The runner asks for the points of a round and hands them to a worker
/// process. It reports each finding with the one point that shows it. All randomness in a point
/// comes from its seed.
package protocol StressLayer: Sendable {
    var name: String { get }
    /// One line about what the layer does.
    var summary: String { get }
    /// Claims that a run without findings supports.
    var proves: String { get }
    var scenarios: [StressScenario] { get }
    /// The names of the settings that a point may have. Any other is refused.
    var settings: [String] { get }

    /// Returns the points of a round. Rounds are numbered from 0 without end. They differ in their
    /// seeds and in the amount of work.
    func points(round: Int, seed: UInt64) -> [StressPoint]

    /// Tries everything that a point covers, or the one thing that it names. Called in a worker
    /// process, on its main thread.
    ///
    /// - Throws: what keeps the layer from trying. Findings go to `trial`.
    func run(_ point: StressPoint, in trial: Trial) throws

    /// Returns points that do less and may show the same failure, in any order. Each must be
    /// smaller than `point` in a well-founded order, so that shrinking ends.
    func smaller(than point: StressPoint) throws -> [StressPoint]
}

extension StressLayer {
    /// Returns the point with a workload where it leaves that out: the one of its scenario's first
    /// round, because some scenarios need another one than the default.
    func completed(_ point: StressPoint) -> StressPoint {
        guard
            let first = points(round: 0, seed: 1).first(where: { $0.scenario == point.scenario })
        else { return point }
        return ["file", "scale", "prepared", "transactions"].reduce(point) {
            $0[$1] == nil ? $0.with($1, first[$1]) : $0
        }
    }
}

package struct StressScenario: Equatable, Sendable {
    package var name: String
    package var summary: String

    package init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }
}
