import Testing
import ToolSupport

@testable import StorageEngine

/// Searches in one column, compared with a search row by row.
@Suite struct NodeSearchTests {
    /// The distribution of ascending values, from even to as uneven as possible.
    private enum Spread: CaseIterable {
        case dense, even, random, squares, oneFarAway, twoClusters, equal, pairs

        func values(_ count: Int, below limit: UInt64, _ r: inout SeededGenerator) -> [Int64] {
            let values = (0..<count).map { row -> UInt64 in
                let place = UInt64(row)
                switch self {
                case .dense: return place
                case .even: return place * (limit / UInt64(count))
                case .random: return r.next() % limit
                case .squares: return min(place * place, limit - 1)
                case .oneFarAway: return row == count - 1 ? limit - 1 : place
                case .twoClusters: return row < count / 3 ? place : limit - UInt64(count) + place
                case .equal: return 7
                case .pairs: return place / 2
                }
            }
            return values.map { Int64($0) }.sorted()
        }
    }

    @Test(arguments: [UInt64(1) << 16, 1 << 32], [Int64(0), -1000, 1 << 40])
    func integersAreFoundHoweverTheyAreSpread(limit: UInt64, base: Int64) {
        var random = SeededGenerator(seed: limit &+ UInt64(bitPattern: base))
        for spread in Spread.allCases {
            for count in [1, 2, 63, 64, 65, 500, 1200] {
                let values = spread.values(count, below: limit, &random).map { $0 + base }
                let node = MutableNode.make([.integer], byteCount: 16384)
                defer { node.free() }
                for (row, value) in values.enumerated() {
                    #expect(node.insertPlaceholderRow(at: row))
                    #expect(node.setInteger(0, row, to: value))
                }
                let part = count / 5..<count - count / 7
                var keys = [Int64.min, .max, base - 1, base + Int64(limit)]
                for _ in 0..<60 {
                    let value = values.randomElement(using: &random)!
                    keys += [value - 1, value, value + 1]
                    keys.append(base + Int64(random.next() % limit))
                }
                for key in keys {
                    let expected = values.firstIndex { $0 >= key } ?? count
                    let inPart = min(max(expected, part.lowerBound), part.upperBound)
                    #expect(
                        node.reading.lowerBound(0, key, in: 0..<count) == expected,
                        "\(spread), \(count) rows, key \(key)")
                    #expect(
                        node.reading.lowerBound(0, key, in: part) == inPart,
                        "\(spread), \(count) rows, key \(key)")
                }
            }
        }
    }

    /// A malicious file may hold any values. The search must end, within the rows.
    @Test func rowsWithoutOrderAreLeftNowhere() {
        var random = SeededGenerator(seed: 11)
        for limit in [UInt64(1) << 16, 1 << 32] {
            let node = MutableNode.make([.integer], byteCount: 16384)
            defer { node.free() }
            for row in 0..<400 {
                #expect(node.insertPlaceholderRow(at: row))
                #expect(node.setInteger(0, row, to: Int64(random.next() % limit)))
            }
            for _ in 0..<2000 {
                let low = Int.random(in: 0...400, using: &random)
                let rows = low..<Int.random(in: low...400, using: &random)
                let found = node.reading.lowerBound(0, Int64(random.next() % limit), in: rows)
                #expect(found >= rows.lowerBound && found <= rows.upperBound)
            }
        }
    }

    @Test(arguments: 0..<20)
    func bytesAreFoundWhateverTheyHaveInCommon(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let prefix = NodeValue.randomBytes(Int.random(in: 0...20, using: &random), &random)
        func word() -> [UInt8] {
            // There are few different bytes, among them zero, so that many words have a common
            // prefix, or differ only in trailing zeros.
            let length = Int.random(in: 0...12, using: &random)
            let rest = (0..<length).map { _ in UInt8.random(in: 0...2, using: &random) }
            let kept =
                Int.random(in: 0..<8, using: &random) == 0
                ? Int.random(in: 0...prefix.count, using: &random) : prefix.count
            return prefix[..<kept] + rest
        }
        func isBefore(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.lexicographicallyPrecedes(b) }
        let count = Int.random(in: 1...600, using: &random)
        let words = (0..<count).map { _ in word() }.sorted(by: isBefore)
        let node = MutableNode.make([.bytes], byteCount: 65536)
        defer { node.free() }
        for (row, word) in words.enumerated() {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.set(0, row, .bytes(word)))
        }
        let part = count / 5..<count - count / 7
        for key in words.prefix(100) + (0..<200).map({ _ in word() }) + [[], [255]] {
            let expected = words.firstIndex { !isBefore($0, key) } ?? count
            let inPart = min(max(expected, part.lowerBound), part.upperBound)
            key.withUnsafeBytes {
                #expect(node.reading.lowerBoundBytes(0, $0, in: 0..<count) == expected)
                #expect(node.reading.lowerBoundBytes(0, $0, in: part) == inPart)
            }
        }
    }
}
