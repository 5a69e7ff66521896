import Testing
import ToolSupport

@testable import StorageEngine

/// The end offsets of a column of byte strings are packed if none has more than 31 bytes.
@Suite struct PackedEndsTests {
    private func node(_ lengths: [Int]) -> MutableNode {
        let node = MutableNode.make([.bytes, .integer])
        for (row, length) in lengths.enumerated() {
            #expect(node.insertRow(at: row))
            #expect(node.set(0, row, bytes(length)))
        }
        return node
    }

    private func bytes(_ length: Int) -> NodeValue {
        .bytes((0..<length).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test(arguments: [(30, 8), (31, 8), (32, 16), (300, 16)])
    func theLongestValueDecidesTheWidth(longest: Int, width: Int) {
        let node = node([3, 0, longest, 7])
        #expect(node.entry(0).width == width)
        #expect(node.reading.value(0, 2) == bytes(longest))
        #expect(node.reading.value(0, 3) == bytes(7))
        node.checkInvariants()
        node.free()
    }

    @Test func aValueInARunOfItsOwnIsMarkedInAnEndOffset() {
        let node = node([3, 4])
        #expect(node.setOverflow(0, 1, to: PageReference(page: 9, birth: 1), length: 70_000))
        #expect(node.entry(0).width == 16 && node.reading.isOverflow(0, 1))
        #expect(!node.reading.isOverflow(0, 0))
        node.free()
    }

    /// What is packed anew needs no more than its rows do.
    @Test(arguments: [(9, 8), (31, 8), (200, 16)])
    func copiedRowsHaveTheEndsTheyNeed(longest: Int, width: Int) {
        let source = node([300, 1, longest, 2])
        let target = MutableNode.make([.bytes, .integer])
        #expect(source.entry(0).width == 16)
        #expect(target.appendRows(from: source.reading, 1..<4))
        #expect(target.entry(0).width == width)
        #expect(target.reading.value(0, 1) == bytes(longest))
        #expect(target.appendRows(from: source.reading, 0..<1))
        #expect(target.entry(0).width == 16)
        #expect((0..<4).map { target.reading.value(0, $0) } == [1, longest, 2, 300].map(bytes))
        target.checkInvariants()
        source.free()
        target.free()
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theShortestAndTheLongestOfSomeRowsAreFound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (least, spread) = (random.next(below: 20), 1 + random.next(below: 11))
        let lengths = (0..<1 + random.next(below: 40)).map { _ in
            least + random.next(below: spread)
        }
        let node = node(lengths)
        let ends = PackedEnds(node.entry(0), in: node.base)
        for start in lengths.indices {
            for end in start + 1...lengths.count {
                let found = ends.lengths(start..<end)
                #expect(found.shortest == lengths[start..<end].min())
                #expect(found.longest == lengths[start..<end].max())
            }
        }
        node.free()
    }

    private func expect(_ node: MutableNode, _ lengths: [Int]) {
        node.checkInvariants()
        #expect(node.entry(0).width == 8)
        #expect(node.reading.entry(0).heapUsed == lengths.reduce(0, +))
        #expect((0..<lengths.count).map { node.reading.value(0, $0) } == lengths.map(bytes))
    }

    /// Each row as the first of a removal of one row, and of several.
    @Test func removingAnyRowsLeavesTheOthers() {
        var random = SeededGenerator(seed: 1)
        let lengths = (0..<50).map { _ in Int.random(in: 0...31, using: &random) }
        for start in 0..<50 {
            for end in [start + 1, Int.random(in: start...50, using: &random)] {
                let node = node(lengths)
                #expect(node.writeOutRamps(rows: 50))
                node.removeRows(start..<end)
                expect(node, Array(lengths[..<start] + lengths[end...]))
                node.free()
            }
        }
    }

    /// Each row as the place of another one, and with each change of a length.
    @Test func insertingAndSettingAnyRowLeavesTheOthers() {
        var random = SeededGenerator(seed: 2)
        for count in [1, 7, 8, 9, 16, 31] {
            let lengths = (0..<count).map { _ in Int.random(in: 0...31, using: &random) }
            for row in 0...count {
                let node = node(lengths)
                let length = Int.random(in: 0...31, using: &random)
                #expect(node.insertRow(at: row))
                #expect(node.set(0, row, bytes(length)))
                var expected = lengths
                expected.insert(length, at: row)
                expect(node, expected)
                expected[row] = 31 - length
                #expect(node.set(0, row, bytes(31 - length)))
                expect(node, expected)
                node.free()
            }
        }
    }

    /// Every row is kept or not, from each row on.
    @Test func keepingAnyRowsLeavesThem() {
        var random = SeededGenerator(seed: 3)
        let lengths = (0..<60).map { _ in Int.random(in: 0...31, using: &random) }
        for first in 0..<20 {
            let node = node(lengths)
            let kept = (0..<60).filter { $0 < first || Bool.random(using: &random) }
            kept.map { Int32($0) }.withUnsafeBufferPointer { node.keepRows($0) }
            expect(node, kept.map { lengths[$0] })
            node.free()
        }
    }

    /// A wrong bit in the middle of a block may give two strings other lengths that are possible.
    @Test func wrongEndsAreFound() {
        let node = node((0..<40).map { $0 % 14 })
        let page = UnsafeRawBufferPointer(start: node.base, count: node.byteCount)
        let blocks = node.base + node.entry(0).dataOffset
        #expect(Node.problem(in: page) == nil)
        for place in 0..<50 {
            let byte = blocks.load(fromByteOffset: place, as: UInt8.self)
            let isCertain = [0, 1, 9].contains(place % 10)
            for wrong in isCertain ? [byte &+ 1, byte &- 1, byte ^ 0x80] : [byte ^ 0x80] {
                blocks.storeBytes(of: wrong, toByteOffset: place, as: UInt8.self)
                #expect(Node.problem(in: page)?.contains("offsets are out of order") == true)
            }
            blocks.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
        }
        #expect(Node.problem(in: page) == nil)
        node.entry(0).width = 4
        #expect(Node.problem(in: page)?.contains("8 or 16 bits, not 4") == true)
        node.free()
    }
}
