import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct NodeTests {
    @Test func aPageIsFullOfPeople() {
        let node = MutableNode.make([.bytes, .double, .integer])
        defer { node.free() }
        var r = SeededGenerator(seed: 1)
        var count = 0
        while node.insertPlaceholderRow(at: count) {
            let name = Array(String(100_000 + count * 7919 % 900_000).utf8)
            let date = Double(Int.random(in: 0..<70 * 365 * 86400, using: &r))
            guard name.withUnsafeBytes({ node.setBytes(0, count, to: $0, isOverflow: false) }),
                node.setDouble(1, count, to: date),
                node.setInteger(2, count, to: Int64.random(in: 0...99, using: &r))
            else {
                node.removeRow(at: count)
                break
            }
            count += 1
        }
        node.checkInvariants()
        #expect(count >= 295)
        #expect(node.rowCount == count)
    }

    @Test func extremeIntegersSurvive() {
        let values: [Int64] = [0, .max, .min, -1, 1, .max - 1, .min + 1, 1 << 32, -(1 << 31)]
        for first in values {
            for second in values {
                let node = MutableNode.make([.integer])
                defer { node.free() }
                for (row, value) in [first, second].enumerated() {
                    #expect(node.insertPlaceholderRow(at: row))
                    #expect(node.setInteger(0, row, to: value))
                }
                node.checkInvariants()
                #expect(node.reading.integer(0, 0) == first)
                #expect(node.reading.integer(0, 1) == second)
                if let bounds = node.reading.integerBounds(0) {
                    #expect(bounds.contains(first) && bounds.contains(second))
                }
            }
        }
    }

    @Test func everyBitOfFloatingPointSurvives() {
        let doubles: [Double] = [
            0, -0.0, 1, -1, .infinity, -.infinity, .nan, .signalingNaN,
            Double(bitPattern: 0x7FF8_0000_DEAD_BEEF), Double(bitPattern: 0xFFF0_0000_0000_0001),
            0x1p53, 0x1p53 - 1, -0x1p53, 0.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ]
        let floats: [Float] = [
            0, -0.0, 1, -1, .infinity, -.infinity, .nan, .signalingNaN,
            Float(bitPattern: 0x7F80_0001), 0x1p24, 0x1p60, 0.1, .leastNonzeroMagnitude,
        ]
        let node = MutableNode.make([.double, .float])
        defer { node.free() }
        for (row, value) in doubles.enumerated() {
            #expect(node.insertRow(at: row))
            #expect(node.setDouble(0, row, to: value))
            #expect(node.setFloat(1, row, to: floats[row % floats.count]))
            node.checkInvariants()
            for i in 0...row {
                #expect(node.reading.double(0, i).bitPattern == doubles[i].bitPattern)
                let float = floats[i % floats.count]
                #expect(node.reading.float(1, i).bitPattern == float.bitPattern)
            }
        }
    }

    @Test(arguments: [1, 2, 4, 8, 16, 32, 64])
    func rowsAscendByOneOnlyIfEachIsOneMoreThanThatBefore(width: Int) {
        let rows = width < 8 ? 1 << width : 256
        let data = UnsafeMutableRawPointer.allocate(byteCount: 257 * 8, alignment: 8)
        defer { data.deallocate() }
        func store(_ value: (Int) -> UInt64) {
            for row in 0..<rows {
                let masked = width == 64 ? value(row) : value(row) & (1 << UInt64(width) - 1)
                PackedNumbers.store(data, row, width: width, delta: masked)
            }
        }
        func ascend(_ range: Range<Int>) -> Bool {
            PackedNumbers.ascendByOne(data, range, width: width)
        }
        store { UInt64($0) }
        #expect(ascend(0..<rows))
        #expect(ascend(1..<rows))
        #expect(ascend(rows - 1..<rows))
        // The columns have the same bounds, and the sums wrap around in the comparison.
        store { UInt64(($0 + rows / 2) % rows) }
        #expect(!ascend(0..<rows))
        #expect(ascend(0..<rows / 2))
        #expect(ascend(rows / 2..<rows))
        store { UInt64(rows - 1 - $0) }
        #expect(!ascend(0..<rows))
        if width == 64 {
            store { UInt64(bitPattern: Int64($0 - 100)) }
            #expect(ascend(0..<rows))
            store { UInt64(bitPattern: Int64.max - 10) &+ UInt64($0) }
            #expect(!ascend(0..<rows))
        }
    }

    @Test func imagesOrderLikeNumbers() {
        let ascending: [Double] = [
            -.infinity, -1e300, -1, -.leastNonzeroMagnitude, -0.0, 0, 1e-300, 1, .infinity,
        ]
        for (low, high) in zip(ascending, ascending.dropFirst()) {
            #expect(PackedNumbers.image(low) < PackedNumbers.image(high))
            #expect(PackedNumbers.image(Float(low)) <= PackedNumbers.image(Float(high)))
        }
    }

    @Test func aFullLeafOf64FlagsTakesOneChangedValueOrSaysNo() {
        let node = MutableNode.make([ColumnKind](repeating: .integer, count: 64))
        defer { node.free() }
        var rows = 0
        while rows < 128, node.insertRow(at: rows) { rows += 1 }
        #expect(rows == 128)
        for c in 0..<64 { #expect(node.setInteger(c, (c * 13) % rows, to: 1)) }
        node.checkInvariants()
        #expect(!node.setInteger(63, 5, to: 1_000_000))
        node.checkInvariants()
        for c in 0..<64 {
            for row in 0..<rows {
                #expect(node.reading.integer(c, row) == ((c * 13) % rows == row ? 1 : 0))
            }
        }
        node.removeRows(4..<rows)
        #expect(node.setInteger(63, 3, to: 1_000_000))
        #expect(node.reading.integer(63, 3) == 1_000_000)
    }

    @Test func searchesFindWhatALinearScanFinds() {
        var r = SeededGenerator(seed: 4)
        for span: Int64 in [0, 1, 3, 15, 200, 60000, 1 << 31, .max] {
            let values = (0..<100).map { _ in Int64.random(in: -5...max(span - 5, -5), using: &r) }
                .sorted()
            let node = MutableNode.make([.integer])
            defer { node.free() }
            for (row, value) in values.enumerated() {
                #expect(node.insertPlaceholderRow(at: row))
                #expect(node.setInteger(0, row, to: value))
            }
            for key in values + values.map({ $0 &+ 1 }) + [.min, .max, -6, 0] {
                let expected = values.firstIndex { $0 >= key } ?? values.count
                #expect(node.reading.lowerBound(0, key, in: 0..<100) == expected)
                #expect(node.reading.lowerBound(0, key, in: 20..<80) == min(max(expected, 20), 80))
                #expect(
                    node.reading.indexOfInteger(0, key, from: 0)
                        == (values.firstIndex(of: key) ?? -1))
            }
        }
    }

    @Test func byteSearchUsesMemoryOrder() {
        let words: [[UInt8]] = [[], [0], [0, 0], [1], [1, 255], [127], [128], [255, 0]]
        let node = MutableNode.make([.bytes])
        defer { node.free() }
        for (row, word) in words.enumerated() {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.set(0, row, .bytes(word)))
        }
        for (row, word) in words.enumerated() {
            let found = word.withUnsafeBytes {
                node.reading.lowerBoundBytes(0, $0, in: 0..<words.count)
            }
            #expect(found == row)
        }
        let beyond = [UInt8(255), 1].withUnsafeBytes {
            node.reading.lowerBoundBytes(0, $0, in: 0..<words.count)
        }
        #expect(beyond == words.count)
    }

    @Test func nullsNeitherMoveTheBaseNorAreFound() {
        let node = MutableNode.make([.integer])
        defer { node.free() }
        for row in 0..<10 {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.setInteger(0, row, to: 1_000_000_000_000 + Int64(row)))
            if row % 3 == 0 { #expect(node.setNull(0, row, to: true)) }
        }
        let bounds = node.reading.integerBounds(0)
        #expect(bounds?.lowerBound ?? 0 >= 1_000_000_000_000)
        #expect(bounds?.upperBound ?? .max < 1_000_000_001_000)
        let base = node.reading.integer(0, 0)
        let found = node.reading.indexOfInteger(0, base, from: 0)
        #expect(found == -1 || !node.reading.isNull(0, found))
    }

    @Test func aHeapStopsAtItsLimit() {
        let node = MutableNode.make([.bytes], byteCount: 65536)
        defer { node.free() }
        #expect(node.insertPlaceholderRow(at: 0))
        #expect(node.insertPlaceholderRow(at: 1))
        #expect(node.set(0, 1, .bytes([7])))
        let longest = [UInt8](repeating: 1, count: 32766)
        #expect(node.set(0, 0, .bytes(longest)))
        node.checkInvariants()
        #expect(!node.set(0, 0, .bytes(longest + [1])))
        #expect(node.reading.value(0, 0) == .bytes(longest))
        #expect(node.reading.value(0, 1) == .bytes([7]))
        #expect(node.set(0, 0, .bytes([])))
        #expect(node.reading.value(0, 1) == .bytes([7]))
    }

    @Test func aLeafModelledOnAnotherIsLaidOutOnce() {
        let node = MutableNode.make([.bytes, .integer])
        defer { node.free() }
        for row in 0..<100 {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.set(0, row, .bytes([UInt8](repeating: 65, count: 20))))
            #expect(node.setInteger(1, row, to: Int64(row) * 100))
        }
        let next = MutableNode.make([.bytes, .integer], model: node.reading)
        defer { next.free() }
        let capacity = next.reading.rowCapacity
        for row in 0..<100 {
            #expect(next.insertPlaceholderRow(at: row))
            #expect(next.set(0, row, .bytes([UInt8](repeating: 65, count: 20))))
            #expect(next.setInteger(1, row, to: 5_000_000 + Int64(row) * 100))
        }
        #expect(next.reading.rowCapacity == capacity)
    }
}
