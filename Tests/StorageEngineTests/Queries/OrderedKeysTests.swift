import Testing
import ToolSupport

@testable import StorageEngine

/// Ordered keys, compared with plain arrays.
@Suite struct OrderedKeysTests {
    private func keys(_ numbers: [Int64]) -> [ObjectKey] {
        numbers.map { ObjectKey(rawValue: $0) }
    }

    private func check(_ ordered: OrderedKeys, _ numbers: [Int64], _ comment: Comment) {
        #expect(ordered.keys == keys(numbers), comment)
        #expect(ordered.count == numbers.count, comment)
        for position in stride(from: 0, to: numbers.count, by: max(1, numbers.count / 31)) {
            #expect(ordered[position].rawValue == numbers[position], comment)
        }
    }

    /// Positions of a sequence, ascending and each once.
    private func positions(
        _ count: Int, below bound: Int, _ random: inout SeededGenerator
    ) -> [Int] {
        if bound == 0 { return [] }
        // Now and then close to each other, so that whole nodes are emptied.
        let width = random.next(below: 2) == 0 ? bound : min(bound, 700)
        let start = random.next(below: bound - width + 1)
        return Set((0..<count).map { _ in start + random.next(below: width) }).sorted()
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func changedKeysAreThoseOfAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = [0, 1, 255, 256, 257, 3_000, 40_000][random.next(below: 7)]
        var next = Int64(count)
        var expected = (0..<Int64(count)).map { $0 * ($0 % 3 == 0 ? 1 : 1 << 40) }
        var ordered = OrderedKeys(keys(expected))
        check(ordered, expected, "seed \(seed)")
        for round in 0..<25 {
            let (before, old) = (ordered, expected)
            let size = [1, 3, 600][random.next(below: 3)]
            if random.next(below: 2) == 0 {
                let removed = positions(size, below: expected.count, &random)
                ordered.remove(at: removed)
                for position in removed.reversed() { expected.remove(at: position) }
            } else {
                var inserted: [(position: Int, key: ObjectKey)] = []
                for position in positions(size, below: expected.count + 1, &random) {
                    for _ in 0...random.next(below: 2) {
                        inserted.append((position, ObjectKey(rawValue: next)))
                        next += 1
                    }
                }
                ordered.insert(inserted)
                for (index, element) in inserted.enumerated() {
                    expected.insert(element.key.rawValue, at: element.position + index)
                }
            }
            check(ordered, expected, "seed \(seed), round \(round)")
            #expect(before.keys == keys(old), "a copy has changed: seed \(seed), round \(round)")
        }
    }

    @Test func aPlaceIsFoundInAscendingKeys() {
        let ordered = OrderedKeys(keys((0..<20_000).map { $0 * 2 }))
        for key: Int64 in [-1, 0, 1, 510, 511, 512, 513, 32_767, 39_998, 39_999, 50_000] {
            let place = ordered.partitionPoint { $0.rawValue < key }
            #expect(place == Int(min(max(0, (key + 1) / 2), 20_000)), "\(key)")
        }
        #expect(OrderedKeys().partitionPoint { _ in true } == 0)
    }

    @Test func removingAllKeysLeavesNone() {
        var ordered = OrderedKeys(keys(Array(0..<5_000)))
        ordered.remove(at: Array(0..<5_000))
        #expect(ordered.count == 0 && ordered.keys.isEmpty)
        ordered.insert([(0, ObjectKey(rawValue: 7)), (0, ObjectKey(rawValue: 8))])
        #expect(ordered.keys == keys([7, 8]))
    }
}
