/// A random number generator (xorshift64*) that gives the same numbers for a seed on every machine
/// and in every release. Seeds are printed so that a failure can be tried again.
package struct RepeatableRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
        // Zero is the one state that the generator never leaves.
        if state == 0 { state = 0x9E37_79B9_7F4A_7C15 }
    }

    /// Creates an independent stream for a part of what `seed` describes.
    package init(seed: UInt64, part: UInt64) {
        var mixer = RepeatableRandom(seed: seed)
        self.init(seed: mixer.next() ^ (part &* 0xD134_2543_DE82_EF95))
    }

    package mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    package mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }

    /// True in one of `count` cases.
    package mutating func isOne(in count: Int) -> Bool { below(count) == 0 }
}
