import ToolSupport

/// One operation of a workload of your own: its number, and values that follow from it.
///
/// The same operation has the same values in every run with the same seed, by every strategy.
public struct BenchmarkOperation: Sendable {
    /// The number of the operation, counted from 0 and including those of the warm-up. For an
    /// object that fills the file before the measurement, the number of the object.
    public let number: Int
    /// The number of objects that the file was filled with; 0 without any.
    public let size: Int
    let seed: UInt64

    /// Returns a random number from 0 to `bound - 1`.
    ///
    /// - Parameters:
    ///   - bound: At least 1.
    ///   - draw: Tells the random numbers of one operation apart.
    public func random(below bound: Int, draw: Int = 0) -> Int {
        precondition(bound > 0, "A random number must be below at least 1.")
        let word = mix64(
            mix64(mix64(seed) ^ UInt64(bitPattern: Int64(number)))
                ^ UInt64(bitPattern: Int64(draw)))
        return Int(word.multipliedFullWidth(by: UInt64(bound)).high)
    }
}
