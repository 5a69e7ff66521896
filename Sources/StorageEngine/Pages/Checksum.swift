/// A fast 64-bit hash that detects accidental damage. It does not protect against deliberate
/// changes.
///
/// It folds 64 × 64 → 128 bit multiplications in four independent lanes, after wyhash. Seed and
/// length take part, and no word is multiplied by a bare zero, so zeros do not hash to zero.
enum Checksum {
    private static let secret0: UInt64 = 0xA076_1D64_78BD_642F
    private static let secret1: UInt64 = 0xE703_7ED1_A0B4_28DB
    private static let secret2: UInt64 = 0x8EBC_6AF0_9C88_C6E3
    private static let secret3: UInt64 = 0x5899_65CC_7537_4CC3
    private static let secret4: UInt64 = 0x1D8E_4E27_C47D_124F

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    @inline(__always)
    private static func word(_ p: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        p.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let start = fold(seed ^ secret0, secret4 ^ UInt64(bytes.count))
        guard var p = bytes.baseAddress else { return fold(start ^ secret1, secret2) }
        var remaining = bytes.count
        var lane0 = start
        var lane1 = start ^ secret1
        var lane2 = start ^ secret2
        var lane3 = start ^ secret3
        while remaining >= 64 {
            lane0 = fold(word(p, 0) ^ secret1, word(p, 8) ^ lane0)
            lane1 = fold(word(p, 16) ^ secret2, word(p, 24) ^ lane1)
            lane2 = fold(word(p, 32) ^ secret3, word(p, 40) ^ lane2)
            lane3 = fold(word(p, 48) ^ secret4, word(p, 56) ^ lane3)
            p += 64
            remaining -= 64
        }
        var sum = fold(lane0 ^ secret0, lane1 ^ secret4) ^ fold(lane2 ^ secret1, lane3 ^ secret3)
        while remaining >= 16 {
            sum = fold(word(p, 0) ^ secret1, word(p, 8) ^ sum)
            p += 16
            remaining -= 16
        }
        var low: UInt64 = 0
        var high: UInt64 = 0
        for i in 0..<remaining {
            let byte = UInt64(p.load(fromByteOffset: i, as: UInt8.self))
            if i < 8 { low |= byte << UInt64(i * 8) } else { high |= byte << UInt64(i * 8 - 64) }
        }
        sum = fold(low ^ secret2, high ^ sum)
        return fold(sum ^ secret3, UInt64(bytes.count) ^ secret1)
    }
}
