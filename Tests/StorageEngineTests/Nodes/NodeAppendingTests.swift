import Testing
import ToolSupport

@testable import StorageEngine

/// Rows that are appended where they fit, compared with nodes whose rows are inserted and then set.
@Suite struct NodeAppendingTests {
    private static let byteCount = 4096
    private static let columns: [ColumnFormat] = [
        ColumnFormat(id: 1, kind: .integer), ColumnFormat(id: 2, kind: .bytes),
        ColumnFormat(id: 3, kind: .double), ColumnFormat(id: 4, kind: .float),
        ColumnFormat(id: 5, kind: .fixed16), ColumnFormat(id: 6, kind: .fixed12),
        ColumnFormat(id: 7, kind: .integer),
    ]

    @Test(arguments: 0..<40 as Range<UInt64>)
    func aPlacedRowLeavesTheNodeThatASetRowLeaves(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let nodes = (0..<2).map { _ in
            MutableNode.format(
                .allocate(byteCount: Self.byteCount, alignment: 16), byteCount: Self.byteCount,
                level: 0, treeID: 3, columns: Self.columns, lowKey: 0)
        }
        defer { for node in nodes { node.base.deallocate() } }
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 24, alignment: 8)
        defer { text.deallocate() }
        let range = [3, 300, 100_000, .max][Int(seed % 4)]
        var placed = 0
        while true {
            for index in 0..<24 { text[index] = .random(in: 0...255, using: &random) }
            let row = (0..<Self.columns.count).map { column in
                Self.value(
                    column, nodes[0].rowCount, range, UnsafeRawBufferPointer(text), &random)
            }
            let fits = Self.set(row, in: nodes[0])
            if Self.place(row, in: nodes[1]) {
                placed += 1
                #expect(fits)
            } else {
                #expect(Self.set(row, in: nodes[1]) == fits)
            }
            Self.expectEqual(nodes[0].reading, nodes[1].reading)
            guard fits else { break }
        }
        #expect(placed > 0)
    }

    @Test func aRampGoesOnWithoutTakingRoom() {
        let node = MutableNode.format(
            .allocate(byteCount: 512, alignment: 16), byteCount: 512, level: 0, treeID: 3,
            columns: [ColumnFormat(id: 1, kind: .integer), ColumnFormat(id: 2, kind: .integer)],
            lowKey: 0)
        defer { node.base.deallocate() }
        #expect(!node.appendRow(7, 1))
        for row in 0..<2 {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.setInteger(0, row, to: 7 + Int64(row)) && node.setInteger(1, row, to: 1))
        }
        #expect(node.appendRow(9, 1))
        #expect(!node.appendRow(11, 1))
        #expect(!node.appendRow(10, 2))
        #expect(node.rowCount == 3 && node.reading.integer(0, 2) == 9)
        #expect(node.entry(0).isRamp)
        node.checkInvariants()
    }

    /// Leaves of maps: rows of a text and an integer are inserted anywhere between others.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func anInsertedRowLeavesTheNodeThatASetRowLeaves(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let formats = [
            ColumnFormat(id: 1, kind: .bytes), ColumnFormat(id: 2, kind: .integer),
        ]
        let nodes = (0..<2).map { _ in
            MutableNode.format(
                .allocate(byteCount: Self.byteCount, alignment: 16), byteCount: Self.byteCount,
                level: 0, treeID: 3, columns: formats, lowKey: 0)
        }
        defer { for node in nodes { node.base.deallocate() } }
        let range = [3, 300, 100_000, .max][Int(seed % 4)]
        var inserted = 0
        while true {
            let row = Int.random(in: 0...nodes[0].rowCount, using: &random)
            let length = Int.random(in: 0...24, using: &random)
            let text = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let number = Int64.random(in: 0...Int64(range), using: &random)
            let fits = text.withUnsafeBytes { bytes in
                let set = { (node: MutableNode) in
                    guard node.insertPlaceholderRow(at: row) else { return false }
                    if node.setBytes(0, row, to: bytes, isOverflow: false),
                        node.setInteger(1, row, to: number)
                    {
                        return true
                    }
                    node.removeRow(at: row)
                    return false
                }
                let fits = set(nodes[0])
                if nodes[1].insertRow(at: row, bytes, number: number) {
                    inserted += 1
                    #expect(fits)
                } else {
                    #expect(set(nodes[1]) == fits)
                }
                return fits
            }
            nodes[1].checkInvariants()
            Self.expectEqual(nodes[0].reading, nodes[1].reading, allRows: true)
            guard fits else { break }
        }
        #expect(range == 3 || inserted > 0)
    }

    /// A leaf that continues another one is not recoded for values that the previous leaf had as
    /// well.
    @Test func aNodeThatContinuesAnotherBeginsWithItsBases() {
        withNode(thatContinues: [500, 510, 300, 555]) { next in
            #expect(next.setInteger(0, 0, to: 420) && next.setInteger(1, 0, to: 7))
            #expect(next.appendRow(301, 7))
            #expect(next.entry(0).base == 300 && next.reading.integer(0, 1) == 301)
        }
    }

    /// The base of such a leaf lets a scan skip it if its values are too great.
    @Test func aNodeThatContinuesAscendingValuesBeginsWithItsFirst() {
        // The values are not in order: neighbours are swapped.
        withNode(thatContinues: (0..<12).map { 1000 + 10 * Int64($0 ^ 1) }) { next in
            #expect(next.setInteger(0, 0, to: 1120) && next.setInteger(1, 0, to: 7))
            #expect(next.entry(0).base == 1120 && next.entry(1).base == 7)
        }
    }

    /// Calls `body` with a node of one row that is not set yet. It is laid out like a node whose
    /// first column has these values, and whose second column has sevens.
    private func withNode(thatContinues values: [Int64], _ body: (MutableNode) -> Void) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 1024, alignment: 16)
        defer { memory.deallocate() }
        let columns = [ColumnFormat(id: 1, kind: .integer), ColumnFormat(id: 2, kind: .integer)]
        let first = MutableNode.format(
            memory, byteCount: 512, level: 0, treeID: 3, columns: columns, lowKey: 0)
        for (row, value) in values.enumerated() {
            #expect(first.insertPlaceholderRow(at: row))
            #expect(first.setInteger(0, row, to: value) && first.setInteger(1, row, to: 7))
        }
        let next = MutableNode.format(
            memory + 512, byteCount: 512, level: 0, treeID: 3, columns: columns,
            lowKey: Int64(values.count), model: first.reading)
        #expect(next.insertPlaceholderRow(at: 0))
        body(next)
        next.checkInvariants()
    }

    @Test(arguments: [8, 16, 32, 64])
    func whatIsAddedInPlaceIsThatOrNothing(width: Int) {
        let node = MutableNode.format(
            .allocate(byteCount: 512, alignment: 16), byteCount: 512, level: 0, treeID: 3,
            columns: [ColumnFormat(id: 1, kind: .integer), ColumnFormat(id: 2, kind: .integer)],
            lowKey: 0)
        defer { node.base.deallocate() }
        let high = width == 64 ? Int64.max : Int64(1) << width - 1
        for (row, value) in [0, high].enumerated() {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.setInteger(0, row, to: value) && node.setInteger(1, row, to: 0))
        }
        #expect(node.entry(0).width == width)
        #expect(!node.add(-1, to: 0, at: 0), "below the base")
        #expect(!node.add(1, to: 0, at: 1), "beyond the width")
        #expect(node.add(1, to: 0, at: 0) == (width < 64))
        #expect(node.reading.integer(0, 0) == (width < 64 ? 1 : 0))
        #expect(node.reading.integer(0, 1) == high)
    }

    private static func value(
        _ column: Int, _ row: Int, _ range: Int, _ text: UnsafeRawBufferPointer,
        _ random: inout SeededGenerator
    ) -> Scalar {
        if column != 6, Int.random(in: 0..<30, using: &random) == 0 { return .null }
        let number = Int64(Int.random(in: -range...range, using: &random))
        switch columns[column].kind {
        case .integer: return .integer(column == 6 ? Int64(row) : number)
        case .bytes:
            let count = Int.random(in: 0...24, using: &random)
            return .bytes(UnsafeRawBufferPointer(rebasing: text[..<count]))
        case .double:
            return .double(
                Int.random(in: 0..<99, using: &random) == 0 ? 0.5 : Double(number))
        case .float: return .float(Float(number % 1000))
        case .fixed16: return .fixed16(random.next(), random.next())
        case .fixed12:
            return .fixed12(random.next(), UInt32(truncatingIfNeeded: random.next()))
        }
    }

    private static func set(_ values: [Scalar], in node: MutableNode) -> Bool {
        let row = node.rowCount
        guard node.insertPlaceholderRow(at: row) else { return false }
        for column in values.indices where !node.set(column, row, to: values[column]) {
            node.removeRow(at: row)
            return false
        }
        return true
    }

    private static func place(_ values: [Scalar], in node: MutableNode) -> Bool {
        let row = node.rowCount
        guard row > 0, row < node.reading.rowCapacity else { return false }
        for column in values.indices where !node.place(values[column], node.entry(column), at: row)
        {
            node.takeBackRow(row, before: column)
            return false
        }
        node.header.rowCount = row + 1
        return true
    }

    /// Compares the directories and the last row, or all rows.
    private static func expectEqual(_ a: Node, _ b: Node, allRows: Bool = false) {
        let bytes = UnsafeRawBufferPointer(start: b.base, count: byteCount)
        #expect(Node.problem(in: bytes) == nil)
        let directory = NodeDraft.bytes(directoryOf: a.columnCount)
        #expect(
            UnsafeRawBufferPointer(start: a.base, count: directory)
                .elementsEqual(bytes[..<directory]))
        guard a.rowCount == b.rowCount else { return }
        for row in (allRows ? 0 : max(0, a.rowCount - 1))..<a.rowCount {
            for column in 0..<a.columnCount { expectEqual(a, b, column, row) }
        }
    }

    private static func expectEqual(_ a: Node, _ b: Node, _ column: Int, _ row: Int) {
        #expect(a.isNull(column, row) == b.isNull(column, row))
        switch a.kind(column) {
        case .integer, .float, .double:
            #expect(a.packed(column, row) == b.packed(column, row))
        case .bytes: #expect(a.bytes(column, row).elementsEqual(b.bytes(column, row)))
        case .fixed16, .fixed12:
            let size = a.entry(column).width / 8
            let places = [a, b].map {
                UnsafeRawBufferPointer(
                    start: $0.base + $0.entry(column).dataOffset + row * size, count: size)
            }
            #expect(places[0].elementsEqual(places[1]))
        }
    }
}
