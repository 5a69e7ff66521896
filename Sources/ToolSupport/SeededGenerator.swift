/// A repeatable random generator, SplitMix64 (Steele, Lea and Flood, 2014). The same seed gives the
/// same values on every machine and in every release, so that a run can be repeated from its `seed`
/// column. Its methods may be inlined, because measured loops call them.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64
    /// The increment of the state for each value.
    @inlinable
    package static var step: UInt64 { 0x9E37_79B9_7F4A_7C15 }

    @inlinable
    package init(seed: UInt64) { state = seed }

    @inlinable
    package mutating func next() -> UInt64 {
        state &+= Self.step
        return mix64(state)
    }

    /// Returns a value in `0..<bound` by multiplication instead of a remainder (Lemire, 2019).
    /// Values are not rejected; the bias is below `bound` / 2^64.
    @inlinable
    package mutating func next(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns a value in 0 ..< 1 with 53 random bits.
    @inlinable
    package mutating func nextUnit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}

/// Returns the finaliser of SplitMix64: a bijection that spreads every input bit over the whole
/// word.
@inlinable
package func mix64(_ value: UInt64) -> UInt64 {
    var word = value
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
}
