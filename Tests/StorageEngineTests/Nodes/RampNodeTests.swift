import Testing

@testable import StorageEngine

/// Integer columns whose values ascend by one: they take no bits per row, and are read like all
/// others.
@Suite struct RampNodeTests {
    /// Creates a node of two integer columns: a ramp, and unordered numbers.
    private func makeRamp(from base: Int64, rows: Int) -> MutableNode {
        let node = MutableNode.make([.integer, .integer])
        for row in 0..<rows {
            #expect(node.insertPlaceholderRow(at: row))
            #expect(node.setInteger(0, row, to: base + Int64(row)))
            #expect(node.setInteger(1, row, to: Int64(row * 7 % 5)))
        }
        node.checkInvariants()
        return node
    }

    private func values(_ node: MutableNode) -> [Int64] {
        (0..<node.rowCount).map { node.reading.integer(0, $0) }
    }

    private func isRamp(_ node: MutableNode) -> Bool { node.reading.entry(0).isRamp }

    @Test(arguments: [.min, -70, 0, 1 << 40, .max - 99] as [Int64])
    func valuesThatAscendByOneTakeNoBits(base: Int64) {
        let node = makeRamp(from: base, rows: 100)
        #expect(isRamp(node) && node.bytesOfColumn(0) == 0)
        #expect(values(node) == (0..<100).map { base + $0 })
        #expect(node.reading.integerBounds(0) == base...base + 99)
        // Setting a value to what it is changes nothing.
        #expect(node.setInteger(0, 40, to: base + 40) && isRamp(node))
        node.free()
    }

    @Test func aRampEndsWithTheGreatestInteger() {
        let node = makeRamp(from: .max - 9, rows: 10)
        for value in [Int64.min, .max, 0] {
            #expect(node.insertPlaceholderRow(at: 10))
            #expect(node.setInteger(0, 10, to: value) && node.setInteger(1, 10, to: 0))
            node.checkInvariants()
            #expect(values(node) == (0..<10).map { .max - 9 + $0 } + [value])
            node.removeRow(at: 10)
        }
        let next = makeRamp(from: .max - 9, rows: 10)
        #expect(next.insertPlaceholderRow(at: 10))
        #expect(next.setNull(0, 10, to: true))
        next.checkInvariants()
        #expect(!isRamp(next) && next.reading.isNull(0, 10))
        #expect(Array(values(next).prefix(10)) == (0..<10).map { .max - 9 + $0 })
        node.free()
        next.free()
    }

    @Test func twoEqualValuesAreNoRampNorIsWhatStandsAloneInANode() {
        let node = makeRamp(from: 5, rows: 1)
        #expect(node.insertPlaceholderRow(at: 1))
        #expect(node.setInteger(0, 1, to: 5) && !isRamp(node))
        #expect(node.setInteger(0, 1, to: 6) && isRamp(node))
        #expect(node.setInteger(0, 1, to: 5) && !isRamp(node))
        #expect(values(node) == [5, 5])
        let single = MutableNode.make([.integer])
        for row in 0..<9 {
            #expect(
                single.insertPlaceholderRow(at: row) && single.setInteger(0, row, to: Int64(row)))
        }
        #expect(!isRamp(single))
        node.free()
        single.free()
    }

    @Test func rowsAtTheEndsLeaveARampAndOthersEndIt() {
        let node = makeRamp(from: 100, rows: 50)
        node.removeRows(0..<7)
        node.removeRow(at: 42)
        #expect(isRamp(node))
        #expect(values(node) == Array(107..<149))
        #expect(node.prepareRemoval(ofRow: 20))
        node.removeRow(at: 20)
        node.checkInvariants()
        #expect(!isRamp(node))
        #expect(values(node) == (107..<149).filter { $0 != 127 })
        // Parts of the column are ramps again.
        let (left, right) = (MutableNode.make([.integer, .integer]), makeRamp(from: 1, rows: 1))
        #expect(left.appendRows(from: node.reading, 0..<20) && isRamp(left))
        #expect(right.appendRows(from: node.reading, 20..<41) && !isRamp(right))
        right.removeRow(at: 0)
        #expect(left.insertRows(from: makeRamp(from: 127, rows: 1).reading, 0..<1, at: 20))
        #expect(left.appendRows(from: right.reading, 0..<21) && isRamp(left))
        #expect(values(left) == Array(107..<149))
        for node in [node, left, right] {
            node.checkInvariants()
            node.free()
        }
    }

    @Test func aFullNodeRefusesToLoseARowFromTheMiddleOfARamp() {
        let node = makeRamp(from: 0, rows: 2)
        var row = 2
        while node.insertPlaceholderRow(at: row) {
            guard node.setInteger(0, row, to: Int64(row)), node.setInteger(1, row, to: 0) else {
                break
            }
            row += 1
        }
        if node.rowCount > row { node.removeRow(at: row) }
        let before = values(node)
        #expect(!node.prepareRemoval(ofRow: row / 2))
        #expect(!node.insertPlaceholderRow(at: row / 2))
        #expect(isRamp(node) && values(node) == before)
        #expect(node.prepareRemoval(ofRow: 0) && node.prepareRemoval(ofRow: row - 1))
        node.checkInvariants()
        node.free()
    }

    @Test(arguments: [.min, -3, .max - 99] as [Int64])
    func searchesFindWhatAnArrayHas(base: Int64) {
        let node = makeRamp(from: base, rows: 100)
        let values = values(node)
        var keys = values + [.min, .max, 0]
        if base > .min { keys.append(base - 1) }
        if base + 99 < .max { keys += [base + 100, base + 200] }
        for key in keys {
            for start in [0, 1, 50, 99, 100] {
                let expected = values[start...].firstIndex { $0 >= key } ?? 100
                #expect(node.reading.lowerBound(0, key, in: start..<100) == expected)
                let found = values[start...].firstIndex(of: key) ?? -1
                #expect(node.reading.indexOfInteger(0, key, from: start) == found)
            }
            #expect(
                node.reading.lowerBound(0, key, in: 10..<60)
                    == values[10..<60].firstIndex { $0 >= key } ?? 60)
        }
        node.free()
    }

    @Test(arguments: [.min, -3, .max - 129] as [Int64], [1, 2, 64, 65, 130])
    func scansSeeWhatAnArrayHas(base: Int64, rows: Int) {
        let node = makeRamp(from: base, rows: rows)
        let values = values(node)
        let column = PackedColumn(node.reading, 0)
        let last = base + Int64(rows - 1)
        var wanted = [base, last, base + Int64(rows / 2), .min, .max, 0]
        if base > .min { wanted.append(base - 1) }
        if last < .max { wanted.append(last + 1) }
        var mask = RowMask()
        for number in wanted {
            for comparison in Comparison.allCases {
                let range = NumberRange(comparison, NumberEdges(number))
                let expected = values.indices.filter { comparison.holds(values[$0], number) }
                #expect(column.count(range) == expected.count)
                column.match(range, into: &mask)
                var found: [Int] = []
                mask.forEachRow { found.append($0) }
                #expect(found == expected, "\(comparison) \(number)")
                check(column, values, mask, expected)
            }
        }
        let sum = column.sum(nil)
        #expect(sum.sum == values.reduce(Int128(0)) { $0 + Int128($1) } && sum.count == rows)
        let bounds = column.bounds(nil)
        #expect(bounds?.low == base && bounds?.high == last)
        node.free()
    }

    /// Checks the aggregates of selected rows.
    private func check(
        _ column: PackedColumn, _ values: [Int64], _ mask: borrowing RowMask, _ rows: [Int]
    ) {
        let sum = column.sum(mask.words)
        #expect(sum.sum == rows.reduce(Int128(0)) { $0 + Int128(values[$1]) })
        #expect(sum.count == rows.count)
        let bounds = column.bounds(mask.words)
        #expect(bounds?.low == rows.first.map { values[$0] })
        #expect(bounds?.high == rows.last.map { values[$0] })
        var visited: [Int64] = []
        column.forEach(mask.words) { _, number in visited.append(number) }
        #expect(visited == rows.map { values[$0] })
        for (side, best) in [(ColumnExtreme.Side.least, rows.first), (.greatest, rows.last)] {
            var extreme = ColumnExtreme(side, kind: .integer)
            extreme.add(column, mask.words)
            #expect(extreme.best == best.map { values[$0] })
        }
    }

    @Test func rangesOfRowsAreAddedToAMask() {
        var mask = RowMask()
        for rows in [1, 63, 64, 65, 200] {
            for low in [0, 1, 63, 64, 65, 199] where low <= rows {
                for high in [0, 1, 63, 64, 65, 128, 199, 200] where high >= low && high <= rows {
                    mask.fill(false, rows: rows)
                    mask.insert(low..<high)
                    #expect((0..<rows).allSatisfy { mask.contains($0) == (low..<high ~= $0) })
                }
            }
        }
    }

    @Test func forgedRampsAreRefused() {
        func problem(_ change: (MutableNode) -> Void) -> String? {
            let node = makeRamp(from: 3, rows: 20)
            change(node)
            defer { node.free() }
            return Node.problem(
                in: UnsafeRawBufferPointer(start: node.base, count: node.byteCount))
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0.entry(0).base = .max - 19 } == nil)
        #expect(problem { $0.entry(0).base = .max - 18 } != nil)
        #expect(problem { $0.entry(0).width = 8 } != nil)
        #expect(problem { $0.entry(0).kind = .double } != nil)
        #expect(problem { $0.entry(0).kind = .bytes } != nil)
        #expect(problem { $0.setLevel(1) } != nil)
        #expect(problem { $0.header.columnCount = 1 } != nil)
        #expect(problem { $0.entry(0).flags |= ColumnEntry.spilled } != nil)
        #expect(
            problem {
                $0.entry(0).flags |= ColumnEntry.hasNulls
                $0.entry(0).nullOffset = $0.entry(1).dataOffset
            } != nil)
    }
}

extension Comparison {
    func holds(_ value: Int64, _ number: Int64) -> Bool {
        switch self {
        case .equal: value == number
        case .notEqual: value != number
        case .less: value < number
        case .lessOrEqual: value <= number
        case .greater: value > number
        case .greaterOrEqual: value >= number
        }
    }
}
