/// A set of object keys that is filled once and read often: a bitmap if the keys lie close
/// together, otherwise a sorted array.
struct MatchedKeys {
    private enum Form {
        case sorted([Int64])
        /// The key of bit `n` is `first + n`.
        case bitmap(first: Int64, words: [UInt64])
    }

    private let form: Form
    let count: Int

    /// The largest number of bits per key in a bitmap, for which it is no larger than the array.
    private static let sparseness = 64

    /// - Parameter keys: in any order; a key may occur several times.
    init(_ keys: [ObjectKey]) {
        guard let low = keys.min(by: { $0.rawValue < $1.rawValue })?.rawValue,
            let high = keys.max(by: { $0.rawValue < $1.rawValue })?.rawValue
        else {
            form = .sorted([])
            count = 0
            return
        }
        let (span, isTooWide) = high.subtractingReportingOverflow(low)
        if isTooWide || span / Int64(Self.sparseness) >= Int64(keys.count) {
            let sorted = Self.withoutRepetitions(keys.map(\.rawValue).sorted())
            form = .sorted(sorted)
            count = sorted.count
            return
        }
        var words = [UInt64](repeating: 0, count: Int(span) / 64 + 1)
        for key in keys {
            let bit = Int(key.rawValue - low)
            words[bit >> 6] |= 1 << UInt64(bit & 63)
        }
        form = .bitmap(first: low, words: words)
        count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    private static func withoutRepetitions(_ sorted: [Int64]) -> [Int64] {
        var result: [Int64] = []
        for key in sorted where key != result.last { result.append(key) }
        return result
    }

    func contains(_ key: Int64) -> Bool {
        switch form {
        case .sorted(let keys):
            let index = keys.partitionPoint { $0 < key }
            return index < keys.count && keys[index] == key
        case .bitmap(let first, let words):
            let (bit, isTooFar) = key.subtractingReportingOverflow(first)
            guard !isTooFar, bit >= 0, bit < Int64(words.count) * 64 else { return false }
            return words[Int(bit) >> 6] >> UInt64(bit & 63) & 1 != 0
        }
    }

    /// Visits the keys in ascending order.
    func forEach<E>(_ body: (ObjectKey) throws(E) -> Void) throws(E) {
        switch form {
        case .sorted(let keys): for key in keys { try body(ObjectKey(rawValue: key)) }
        case .bitmap(let first, let words):
            for (index, word) in words.enumerated() {
                var left = word
                while left != 0 {
                    let bit = index * 64 + left.trailingZeroBitCount
                    try body(ObjectKey(rawValue: first + Int64(bit)))
                    left &= left - 1
                }
            }
        }
    }
}
