import Testing
import ToolSupport

@testable import StorageEngine

/// Random changes to a node and to an array of arrays must lead to the same table.
@Suite struct NodeModelTests {
    static let kinds: [ColumnKind] = [
        .integer, .bytes, .double, .fixed16, .float, .integer, .bytes, .fixed12,
    ]

    @Test(arguments: 0..<24 as Range<UInt64>)
    func randomChangesMatchAnArrayOfArrays(seed: UInt64) {
        var r = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...NodeModelTests.kinds.count, using: &r)
        let kinds = Array(NodeModelTests.kinds.shuffled(using: &r).prefix(count))
        var node = MutableNode.make(kinds)
        var model: [[NodeValue]] = []
        for step in 0..<700 {
            change(&node, &model, kinds, &r)
            node.checkInvariants()
            guard node.rowCount == model.count else {
                Issue.record("seed \(seed), step \(step): row count")
                break
            }
            if step % 10 == 0 || model.count < 20, node.reading.rows() != model {
                Issue.record("seed \(seed), step \(step): contents")
                break
            }
        }
        #expect(node.reading.rows() == model)
        fill(node, &model, kinds, &r)
        node.checkInvariants()
        #expect(node.reading.rows() == model)
        node.free()
    }

    private func change(
        _ node: inout MutableNode, _ model: inout [[NodeValue]], _ kinds: [ColumnKind],
        _ r: inout SeededGenerator
    ) {
        let row = Int.random(in: 0...model.count, using: &r)
        switch Int.random(in: 0..<100, using: &r) {
        case 0..<40: insert(node, &model, kinds, at: Bool.random(using: &r) ? row : model.count, &r)
        case 40..<70 where row < model.count:
            let c = Int.random(in: 0..<kinds.count, using: &r)
            let value =
                Int.random(in: 0..<10, using: &r) == 0 ? .null : NodeValue.random(kinds[c], &r)
            if node.set(c, row, value) { model[row][c] = value }
        case 70..<80 where row < model.count && node.prepareRemoval(ofRow: row):
            node.removeRow(at: row)
            model.remove(at: row)
        case 80..<83:
            let rows = row..<Int.random(in: row...min(model.count, row + 20), using: &r)
            let isAtEnd = rows.lowerBound == 0 || rows.upperBound == model.count
            guard isAtEnd || node.writeOutRamps(rows: model.count) else { break }
            node.removeRows(rows)
            model.removeSubrange(rows)
        case 83..<85:
            var chosen = model.indices.filter { _ in Bool.random(using: &r) }
            if Bool.random(using: &r) { chosen = Array(chosen.suffix(chosen.count / 2)) }
            var selection = RowSelection()
            for row in model.indices where !chosen.contains(row) { selection.remove(row) }
            selection.finish(rowCount: model.count)
            guard node.hasRoom(toKeep: selection, andColumn: false) else { break }
            node.keepRows(of: selection)
            model = chosen.map { model[$0] }
        case 85..<86:
            let rows = row..<Int.random(in: row...min(model.count, row + 30), using: &r)
            let copy = node.copy()
            let place = Int.random(in: 0...model.count, using: &r)
            if node.insertRows(from: copy.reading, rows, at: place) {
                model.insert(contentsOf: Array(model[rows]), at: place)
            }
            copy.free()
        case 86..<89: move(&node, &r)
        case 89..<92: splitAndMerge(&node, kinds, &r)
        case 92..<96: spillAndReturn(node, kinds, &model, &r)
        case 96..<98: addAndRemoveColumn(node, &r)
        default: break
        }
    }

    /// Inserts until the node refuses a row. A refusal must leave everything unchanged.
    private func fill(
        _ node: MutableNode, _ model: inout [[NodeValue]], _ kinds: [ColumnKind],
        _ r: inout SeededGenerator
    ) {
        var before = -1
        while model.count > before, model.count < 1500 {
            before = model.count
            insert(node, &model, kinds, at: Int.random(in: 0...model.count, using: &r), &r)
        }
    }

    private func insert(
        _ node: MutableNode, _ model: inout [[NodeValue]], _ kinds: [ColumnKind], at row: Int,
        _ r: inout SeededGenerator
    ) {
        if Bool.random(using: &r) {
            if node.insertRow(at: row) { model.insert(kinds.map(NodeValue.zero), at: row) }
            return
        }
        guard node.insertPlaceholderRow(at: row) else { return }
        var values = kinds.map { NodeValue.random($0, &r) }
        // Integers often continue a ramp.
        for c in kinds.indices where row > 0 && Int.random(in: 0..<16, using: &r) > 0 {
            guard case .integer(let before) = model[row - 1][c], before < .max else { continue }
            values[c] = .integer(before + 1)
        }
        for (c, value) in values.enumerated() where !node.set(c, row, value) {
            node.removeRow(at: row)
            return
        }
        model.insert(values, at: row)
    }

    private func move(_ node: inout MutableNode, _ r: inout SeededGenerator) {
        let byteCount = [4096, 8192, 12288].randomElement(using: &r)!
        let target = MutableNode(MutableNode.allocate(byteCount), byteCount: byteCount)
        if node.moveContents(to: target) {
            node.free()
            node = target
        } else {
            target.free()
        }
    }

    private func splitAndMerge(
        _ node: inout MutableNode, _ kinds: [ColumnKind], _ r: inout SeededGenerator
    ) {
        let middle = Int.random(in: 0...node.rowCount, using: &r)
        let left = MutableNode.make(kinds, byteCount: node.byteCount, model: node.reading)
        let right = MutableNode.make(kinds, byteCount: node.byteCount)
        #expect(left.appendRows(from: node.reading, 0..<middle))
        #expect(right.appendRows(from: node.reading, middle..<node.rowCount))
        left.checkInvariants()
        right.checkInvariants()
        #expect(left.reading.rows() + right.reading.rows() == node.reading.rows())
        #expect(left.appendRows(from: right.reading, 0..<right.rowCount))
        right.free()
        node.free()
        node = left
    }

    /// Inserts and removes rows in both nodes while one column is spilled.
    private func spillAndReturn(
        _ node: MutableNode, _ kinds: [ColumnKind], _ model: inout [[NodeValue]],
        _ r: inout SeededGenerator
    ) {
        let c = Int.random(in: 0..<kinds.count, using: &r)
        let format = node.reading.format(c)
        let spilled = MutableNode.format(
            MutableNode.allocate(16384), byteCount: 16384, level: 0, treeID: 1, columns: [format],
            lowKey: 0, pageCount: 4)
        #expect(node.copyColumn(c, to: spilled))
        node.markSpilled(c, PageReference(page: 5, birth: 6))
        node.checkInvariants()
        #expect(node.reading.spillReference(c) == PageReference(page: 5, birth: 6))
        if model.count > 2, node.insertPlaceholderRow(at: 1) {
            #expect(spilled.insertRow(at: 1))
            node.removeRow(at: 1)
            spilled.removeRow(at: 1)
        }
        node.updateSpillZone(c, from: spilled.reading)
        node.checkInvariants()
        spilled.checkInvariants()
        if !node.unspill(c, from: spilled.reading) {
            // Temporary zeros may have widened a column, so remove rows until it fits again.
            while !node.unspill(c, from: spilled.reading) {
                node.removeRow(at: node.rowCount - 1)
                spilled.removeRow(at: spilled.rowCount - 1)
                model.removeLast()
            }
        }
        spilled.free()
    }

    private func addAndRemoveColumn(_ node: MutableNode, _ r: inout SeededGenerator) {
        let before = node.reading.rows()
        let kind = NodeModelTests.kinds.randomElement(using: &r)!
        let index = Int.random(in: 0...node.columnCount, using: &r)
        guard node.addColumn(ColumnFormat(id: 900, kind: kind), at: index) else { return }
        node.checkInvariants()
        #expect(node.reading.columnIndex(ofID: 900, expected: 0) == index)
        for row in 0..<node.rowCount { #expect(node.reading.value(index, row) == .zero(kind)) }
        node.removeColumn(index)
        node.checkInvariants()
        #expect(node.reading.rows() == before)
    }
}

extension MutableNode {
    fileprivate func copy() -> MutableNode {
        let buffer = MutableNode.allocate(byteCount)
        buffer.copyMemory(from: base, byteCount: byteCount)
        return MutableNode(buffer, byteCount: byteCount)
    }
}
