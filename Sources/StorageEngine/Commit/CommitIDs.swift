/// Random numbers that tell the commits of a file apart, including those of other processes and of
/// attempts that failed.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014) from
/// a seed that the system draws: no number repeats within 2^64. Asking the system for each number
/// would cost every commit a system call. Nothing secret depends on them.
struct CommitIDs {
    private var state = UInt64.random(in: 0 ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
