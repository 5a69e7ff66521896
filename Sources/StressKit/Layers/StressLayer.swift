/// One way of making trouble, and of finding out whether the database kept its promises.
///
/// A layer is a set of points. The runner asks for those of a round, hands them to a worker
/// process, and reports what it found with the one point that shows it. Everything that is random
/// in a point comes from its seed.
package protocol StressLayer: Sendable {
    var name: String { get }
    /// What is done, in one line.
    var summary: String { get }
    /// What is known when nothing was found.
    var proves: String { get }
    var scenarios: [StressScenario] { get }

    /// What a round tries. Rounds are numbered from 0, and there is no last one; they differ in
    /// their seeds and in how much they do.
    func points(round: Int, seed: UInt64) -> [StressPoint]

    /// Tries all that a point stands for, or the one thing that it names. In a worker process, on
    /// its main thread.
    ///
    /// - Throws: what keeps the layer from trying. What it finds goes to `trial`.
    func run(_ point: StressPoint, in trial: Trial) throws

    /// Points that do less, and may show the same trouble as this one; the smallest first is not
    /// needed. All must be smaller than the point in some sense that ends.
    func smaller(than point: StressPoint) throws -> [StressPoint]
}

package struct StressScenario: Equatable, Sendable {
    package var name: String
    package var summary: String

    package init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }
}
