import Testing
import ToolSupport

@testable import StorageEngine

/// Packed keys, compared with plain arrays.
@Suite struct PackedKeysTests {
    private func check(_ packed: PackedKeys, _ keys: [Int64], _ comment: Comment) {
        #expect(Array(packed.unpacked) == keys, comment)
        #expect(packed.count == keys.count, comment)
        for position in stride(from: 0, to: keys.count, by: max(1, keys.count / 97)) {
            #expect(packed[position].rawValue == keys[position], comment)
        }
        if let last = keys.last { #expect(packed[keys.count - 1].rawValue == last, comment) }
        var visited: ContiguousArray<Int64> = []
        for block in 0..<packed.blockCount {
            let before = visited.count
            packed.append(block: block, to: &visited)
            let count = visited.count - before
            #expect(count > 0 && count <= PackedKeys.blockCapacity, comment)
        }
        #expect(Array(visited) == keys, comment)
    }

    /// Keys whose differences need every width.
    private func ascending(_ count: Int, _ random: inout SeededGenerator) -> [Int64] {
        let steps: [Int] = [1, 2, 3, 40, 1_000, 40_000_000, 1 << 50]
        let step = steps[random.next(below: steps.count)]
        var key = Int64(random.next(below: 1_000))
        return (0..<count).map { _ in
            defer { key += Int64(1 + (step == 1 ? 0 : random.next(below: step))) }
            return key
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func keysAreWhatWasPacked(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let counts = [0, 1, 2, 511, 512, 513, 3_000]
        var keys = ascending(counts[random.next(below: counts.count)], &random)
        let packed = PackedKeys(keys.map { ObjectKey(rawValue: $0) })
        check(packed, keys, "seed \(seed)")
        for _ in 0..<20 where !keys.isEmpty {
            let key = keys[random.next(below: keys.count)] + Int64(random.next(below: 3)) - 1
            #expect(packed.lowerBound(key) == keys.filter { $0 < key }.count)
            #expect(packed.firstPosition(of: ObjectKey(rawValue: key)) == keys.firstIndex(of: key))
        }
        // The keys are in any order and with duplicates, as in sorted lists.
        keys += keys.prefix(100)
        keys.shuffle(using: &random)
        let shuffled = PackedKeys(keys.map { ObjectKey(rawValue: $0) })
        check(shuffled, keys, "seed \(seed), shuffled")
        for key in keys.prefix(20) + [-1, .max, .min] {
            #expect(
                shuffled.firstPosition(of: ObjectKey(rawValue: key)) == keys.firstIndex(of: key))
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func replacedKeysAreThoseOfAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var keys = ascending([0, 5, 700, 6_000][random.next(below: 4)], &random)
        var packed = PackedKeys(keys.map { ObjectKey(rawValue: $0) })
        for round in 0..<30 {
            var replacements: [PackedKeys.Replacement] = []
            var expected: [Int64] = []
            var position = 0
            for _ in 0..<random.next(below: 6) {
                let start = position + random.next(below: keys.count - position + 1)
                let longest = [1, 20, 900][random.next(below: 3)]
                let end = min(keys.count, start + random.next(below: longest))
                var new = (0..<random.next(below: longest)).map { _ in
                    Int64(random.next(below: 100_000))
                }
                if random.next(below: 4) == 0 { new = Array(keys[start..<end]) }
                replacements.append(.init(positions: start..<end, keys: new[...]))
                expected += keys[position..<start] + new
                position = end
            }
            expected += keys[position...]
            let before = packed
            packed.replace(replacements)
            check(packed, expected, "seed \(seed), round \(round)")
            #expect(Array(before.unpacked) == keys, "a copy has changed")
            keys = expected
        }
    }

    @Test func keysTakeFewBytes() {
        func bytesOfKey(_ keys: [Int64]) -> Double {
            let packed = PackedKeys(keys.map { ObjectKey(rawValue: $0) })
            return Double(packed.byteCount) / Double(keys.count)
        }
        let all = Array(0..<100_000 as Range<Int64>)
        var random = SeededGenerator(seed: 1)
        #expect(bytesOfKey(all) < 0.1)
        #expect(bytesOfKey(all.filter { _ in random.next(below: 3) == 0 }) < 2.2)
        #expect(bytesOfKey(all.filter { _ in random.next(below: 100) == 0 }) < 2.2)
        #expect(bytesOfKey(all.shuffled(using: &random)) < 4.2)
    }

    @Test func editedKeysStayInFullBlocks() {
        var random = SeededGenerator(seed: 3)
        var packed = PackedKeys((0..<50_000).map { ObjectKey(rawValue: 3 * $0) })
        for _ in 0..<5_000 {
            let position = random.next(below: packed.count)
            let key = packed[position].rawValue
            packed.replace([.init(positions: position..<position + 1, keys: [key + 1][...])])
            packed.replace([.init(positions: position..<position, keys: [key][...])])
            packed.replace([.init(positions: position..<position + 1, keys: [])])
        }
        #expect(packed.count == 50_000)
        #expect(packed.blockCount < 4 * 50_000 / PackedKeys.blockCapacity)
    }
}
