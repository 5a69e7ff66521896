import Testing
import ToolSupport

@testable import StorageEngine

/// A node that passes validation must be safe to read in full. The page is at the end of a larger
/// buffer of known bytes, so that the checks of offsets below notice reads outside of it.
@Suite struct NodeValidationTests {
    private func sample(rows: Int = 12) -> MutableNode {
        let kinds: [ColumnKind] = [
            .integer, .bytes, .double, .fixed16, .float, .integer, .fixed12,
        ]
        let node = MutableNode.make(kinds)
        var r = SeededGenerator(seed: 77)
        for row in 0..<rows {
            #expect(node.insertPlaceholderRow(at: row))
            for (c, kind) in kinds.enumerated() {
                #expect(node.set(c, row, NodeValue.random(kind, &r)))
            }
        }
        #expect(node.setNull(0, 1, to: true))
        #expect(node.setNull(1, 2, to: true))
        node.markSpilled(5, PageReference(page: 9, birth: 2))
        node.checkInvariants()
        return node
    }

    /// Calls every accessor on every row, and returns whether each one reads inside the page.
    private func readEverything(_ node: Node, byteCount: Int) -> Bool {
        let low = UInt(bitPattern: node.base)
        let high = low + UInt(byteCount)
        var sum: Int64 = 0
        for c in 0..<node.columnCount {
            if node.isSpilled(c) {
                guard node.spillReference(c).page != 0 else { return false }
                continue
            }
            _ = node.columnIndex(ofID: UInt16(c), expected: c)
            let e = node.entry(c)
            guard e.dataOffset + e.dataBytes(rows: node.rowCount) <= byteCount else { return false }
            for row in 0..<node.rowCount {
                _ = node.isNull(c, row)
                switch node.kind(c) {
                case .integer: sum &+= node.integer(c, row)
                case .double: sum &+= Int64(bitPattern: node.double(c, row).bitPattern)
                case .float: sum &+= Int64(node.float(c, row).bitPattern)
                case .bytes:
                    let bytes = node.bytes(c, row)
                    let start = UInt(bitPattern: bytes.baseAddress)
                    guard start >= low, start + UInt(bytes.count) <= high else { return false }
                    if node.isOverflow(c, row) {
                        sum &+= Int64(node.overflowReference(c, row).length)
                    }
                    for byte in bytes { sum &+= Int64(byte) }
                case .fixed16: sum &+= Int64(node.fixed16(c, row).load(as: UInt8.self))
                case .fixed12: sum &+= Int64(node.fixed12(c, row).load(as: UInt8.self))
                }
            }
            if node.kind(c) == .integer {
                _ = node.integerBounds(c)
                _ = node.indexOfInteger(c, sum, from: 0)
                _ = node.lowerBound(c, sum, in: 0..<node.rowCount)
            }
        }
        return true
    }

    @Test func everySingleByteOfHeaderAndDirectoryMayBeWrong() {
        let node = sample()
        defer { node.free() }
        let page = UnsafeRawBufferPointer(start: node.base, count: node.byteCount)
        #expect(Node.problem(in: page) == nil)
        var refused = 0
        for offset in 32..<ColumnEntry.directoryOffset + 6 * ColumnEntry.size {
            let old = node.base.load(fromByteOffset: offset, as: UInt8.self)
            for value in UInt8.min...UInt8.max where value != old {
                node.base.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
                if Node.problem(in: page) == nil {
                    if !readEverything(node.reading, byteCount: page.count) {
                        Issue.record("byte \(offset) = \(value) was let through")
                    }
                } else {
                    refused += 1
                }
            }
            node.base.storeBytes(of: old, toByteOffset: offset, as: UInt8.self)
        }
        #expect(refused > 10000)
    }

    @Test func wrongStringOffsetsAreRefusedOrHarmless() {
        let node = sample()
        defer { node.free() }
        let page = UnsafeRawBufferPointer(start: node.base, count: node.byteCount)
        let offsets = node.entry(1).dataOffset
        for offset in offsets..<offsets + 24 {
            let old = node.base.load(fromByteOffset: offset, as: UInt8.self)
            for value in UInt8.min...UInt8.max {
                node.base.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
                if Node.problem(in: page) == nil {
                    #expect(readEverything(node.reading, byteCount: page.count))
                }
            }
            node.base.storeBytes(of: old, toByteOffset: offset, as: UInt8.self)
        }
    }

    @Test func garbageIsSafeToJudge() {
        var r = SeededGenerator(seed: 5)
        let node = sample()
        defer { node.free() }
        let original = [UInt8](UnsafeRawBufferPointer(start: node.base, count: node.byteCount))
        for round in 0..<4000 {
            var bytes = original
            if round % 4 == 0 {
                for i in stride(from: 32, to: 320, by: 1) {
                    bytes[i] = UInt8.random(in: 0...255, using: &r)
                }
                bytes[32] = 1
            } else {
                for _ in 0..<Int.random(in: 1...6, using: &r) {
                    let place = Int.random(in: 32..<600, using: &r)
                    bytes[place] = UInt8.random(in: 0...255, using: &r)
                }
            }
            bytes.withUnsafeBytes { page in
                if Node.problem(in: page) == nil {
                    #expect(readEverything(Node(page.baseAddress!), byteCount: page.count))
                }
            }
        }
        for byte in [UInt8(0), 255] {
            [UInt8](repeating: byte, count: 4096).withUnsafeBytes {
                #expect(Node.problem(in: $0) != nil)
            }
        }
        for length in [0, 1, 64, 71, 72, 100] {
            original.prefix(length).withUnsafeBytes { #expect(Node.problem(in: $0) != nil) }
        }
    }

    @Test func repeatedColumnIDsAreRefused() {
        for count in [2, 90] {
            let node = MutableNode.make([ColumnKind](repeating: .integer, count: count))
            defer { node.free() }
            let page = UnsafeRawBufferPointer(start: node.base, count: node.byteCount)
            #expect(Node.problem(in: page) == nil)
            node.entry(count - 1).id = node.entry(0).id
            #expect(Node.problem(in: page) != nil)
        }
    }
}
