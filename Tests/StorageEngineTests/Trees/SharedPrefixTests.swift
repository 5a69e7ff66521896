import Testing
import ToolSupport

@testable import StorageEngine

/// Leaves of maps keep once what all of their keys begin with.
@Suite struct SharedPrefixTests {
    private let directory = TestDirectory()

    // MARK: Leaves

    /// A leaf of a map, with its keys as the oracle has them.
    private final class Leaf {
        let node: MutableNode
        var keys: [[UInt8]] = []

        init(byteCount: Int = 4096) {
            node = MutableNode.make([.bytes, .integer], byteCount: byteCount)
        }

        deinit { node.free() }

        /// Inserts a key where it belongs. Returns false if there is no room.
        func insert(_ key: [UInt8]) -> Bool {
            let row = keys.firstIndex { !$0.lexicographicallyPrecedes(key) } ?? keys.count
            guard node.insertPlaceholderRow(at: row) else { return false }
            guard key.withUnsafeBytes({ node.setKey(0, row, to: $0) }) else {
                node.removeRow(at: row)
                return false
            }
            keys.insert(key, at: row)
            return true
        }

        func remove(at row: Int) {
            guard node.prepareRemoval(ofRow: row) else { return }
            node.removeRow(at: row)
            keys.remove(at: row)
        }

        func extend(for key: [UInt8]) -> Bool {
            key.withUnsafeBytes { node.extendPrefix(0, for: $0) }
        }

        func isAsExpected() throws -> Bool {
            node.checkInvariants()
            let view = node.reading
            guard view.rowCount == keys.count else { return false }
            for (row, key) in keys.enumerated() {
                let whole = try view.withKey(0, row) { [UInt8]($0) }
                guard whole == key, view.keyLength(0, row) == key.count,
                    key.withUnsafeBytes({ view.order(0, row, toKey: $0) }) == 0
                else { return false }
            }
            return true
        }

        /// Whether a key is found where it is, or would be.
        func finds(_ key: [UInt8]) -> Bool {
            let row = keys.firstIndex { !$0.lexicographicallyPrecedes(key) } ?? keys.count
            return key.withUnsafeBytes {
                node.reading.lowerBound(0, ofKey: $0, in: 0..<keys.count) == row
            }
        }
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func aPrefixTakesItsPlaceOnce() throws {
        let leaf = Leaf()
        for number in 100..<160 { #expect(leaf.insert(bytes("https://example.org/\(number)"))) }
        let before = leaf.node.usedBytes
        #expect(leaf.extend(for: bytes("https://example.org/1999")))
        #expect(leaf.node.entry(0).prefixLength == 21)
        // Heaps are as long as a multiple of eight.
        let saved = before - leaf.node.usedBytes
        let expected = 60 * 21 - 24
        #expect(abs(saved - expected) <= 8)
        #expect(try leaf.isAsExpected())
        // There is nothing more to gain.
        #expect(!leaf.extend(for: bytes("https://example.org/1999")))
    }

    @Test func aKeyWithoutThePrefixShortensIt() throws {
        let leaf = Leaf()
        for number in 100..<160 { #expect(leaf.insert(bytes("https://example.org/\(number)"))) }
        #expect(leaf.extend(for: bytes("https://example.org/1")))
        for key in ["https://example.org/", "https://example.net/", "https", "", "zebra"] {
            for other in ["https://example.org/1", "http", "i", "https://example.orh"] {
                #expect(leaf.finds(bytes(other)))
            }
            #expect(leaf.insert(bytes(key)))
            #expect(try leaf.isAsExpected())
        }
        #expect(leaf.node.entry(0).prefixLength == 0)
    }

    /// A shorter prefix makes all tails longer: here longer than packed ends may be.
    @Test func tailsMayNeedWiderEnds() throws {
        let leaf = Leaf()
        let long = String(repeating: "x", count: 40)
        for number in 10..<40 { #expect(leaf.insert(bytes("\(long)\(number)"))) }
        #expect(!leaf.node.entry(0).hasPackedEnds)
        #expect(leaf.extend(for: bytes("\(long)50")))
        #expect(leaf.node.entry(0).hasPackedEnds)
        #expect(leaf.insert(bytes("\(long)5\(long)")))
        #expect(!leaf.node.entry(0).hasPackedEnds)
        #expect(try leaf.isAsExpected())
        #expect(leaf.insert(bytes("x")))
        #expect(try leaf.isAsExpected())
    }

    @Test func aLeafWithoutRoomForLongerTailsStaysAsItIs() throws {
        let leaf = Leaf()
        let long = String(repeating: "x", count: 200)
        var number = 1000
        while leaf.insert(bytes("\(long)\(number)")) { number += 1 }
        let refused = bytes("\(long)\(number)")
        #expect(leaf.extend(for: refused))
        while leaf.insert(bytes("\(long)\(number)")) { number += 1 }
        let (rows, prefix) = (leaf.keys.count, leaf.node.entry(0).prefixLength)
        #expect(rows > 200 && prefix >= 200)
        #expect(!leaf.insert(bytes("y")))
        #expect(leaf.keys.count == rows && leaf.node.entry(0).prefixLength == prefix)
        #expect(try leaf.isAsExpected())
    }

    /// The longest keys of a map have 256 bytes, one more than a prefix may have.
    @Test func equalKeysOfTheGreatestLength() throws {
        let leaf = Leaf(byteCount: 16384)
        let key = [UInt8](repeating: 7, count: OrderedMap.maximumKeyBytes)
        for _ in 0..<40 { #expect(leaf.insert(key)) }
        #expect(leaf.extend(for: key))
        #expect(leaf.node.entry(0).prefixLength == SharedPrefix.longest)
        #expect(leaf.insert(key) && leaf.finds(key) && leaf.finds(key.dropLast()))
        #expect(try leaf.isAsExpected())
    }

    /// Rows move between leaves that have other prefixes, none, or too long ones.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func leavesHoldTheKeysThatTheyWereGiven(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let (left, right) = (Leaf(), Leaf())
            let family = Family.allCases[random.next(below: Family.allCases.count)]
            var keys = Set<[UInt8]>()
            for _ in 0..<random.next(below: 120) { keys.insert(family.key(&random)) }
            let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
            let cut = random.next(below: sorted.count + 1)
            for key in sorted[..<cut] where !left.insert(key) { break }
            for key in sorted[cut...].reversed() where !right.insert(key) { break }
            for leaf in [left, right] where random.next(below: 3) > 0 {
                _ = leaf.extend(for: leaf.keys.randomElement(using: &random) ?? [])
            }
            try #require(try left.isAsExpected() && right.isAsExpected(), "seed \(seed)")
            for _ in 0..<8 {
                let key = family.key(&random)
                try #require(left.finds(key) && right.finds(key), "seed \(seed)")
                if !right.keys.isEmpty, random.next(below: 2) == 0 {
                    right.remove(at: random.next(below: right.keys.count))
                }
            }
            let count = random.next(below: right.keys.count + 1)
            let expected = left.node.reading.packedBytes(
                with: right.node.reading, 0..<count, at: left.keys.count, sharingPrefix: true)
            if left.node.insertRows(
                from: right.node.reading, 0..<count, at: left.keys.count, sharingPrefix: true)
            {
                left.keys += right.keys[..<count]
                #expect(count == 0 || left.node.usedBytes == expected)
            }
            try #require(try left.isAsExpected(), "seed \(seed)")
            // Where keys share nothing, nothing is left out.
            let plain = Leaf()
            if plain.node.appendRows(from: left.node.reading, 0..<left.keys.count) {
                plain.keys = left.keys
                #expect(plain.node.entry(0).prefixLength == 0)
            }
            try #require(try plain.isAsExpected(), "seed \(seed)")
        }
    }

    /// Only a malicious file has so long keys. A prefix is filled with zeros to eight bytes, so
    /// that one of 255 bytes would take eight more than it saves here.
    @Test func aKeyThatJustFitsIsPackedWithoutAPrefix() {
        let leaf = Leaf(byteCount: 16384)
        let length = 4096 - NodeDraft.bytes(directoryOf: 2) - 8
        for byte in [UInt8(1), 2] { #expect(leaf.insert([UInt8](repeating: byte, count: length))) }
        var shape = LeafPacker.Shape(
            treeID: 1, columns: [leaf.node.reading.format(0), leaf.node.reading.format(1)],
            pages: 1, maximumRows: 1000,
            isCluster: false)
        shape.sharesPrefix = true
        let packer = LeafPacker(shape, pageSize: 4096)
        let view = leaf.node.reading
        #expect(packer.gather(view, [(view, 0), (view, 1)], from: 0) == 1)
        let packed = packer.layOut()
        packed.checkInvariants()
        #expect(packed.reading.bytes(0, 0).count == length)
    }

    @Test func onlyTheKeysOfLeavesMayShareAPrefix() {
        let leaf = Leaf()
        for number in 100..<200 { #expect(leaf.insert(bytes("https://\(number)"))) }
        #expect(leaf.extend(for: bytes("https://1")))
        let page = UnsafeRawBufferPointer(start: leaf.node.base, count: leaf.node.byteCount)
        #expect(Node.problem(in: page) == nil)
        let entry = leaf.node.entry(0)
        let length = entry.base
        for wrong in [0, -1, 256, 4096, 1 << 40, Int64.min, .max] {
            entry.base = wrong
            #expect(Node.problem(in: page) != nil, "\(wrong) bytes")
        }
        entry.base = length
        entry.flags &= ~ColumnEntry.prefixed
        #expect(Node.problem(in: page) != nil)
        entry.flags |= ColumnEntry.prefixed
        leaf.node.setLevel(1)
        #expect(Node.problem(in: page) != nil)
        leaf.node.setLevel(0)
        #expect(Node.problem(in: page) == nil)
        entry.kind = .integer
        #expect(Node.problem(in: page) != nil)
    }

    // MARK: Maps

    /// Keys as applications have them.
    enum Family: CaseIterable {
        case numbers, padded, paths, random, nested, long

        func key(_ random: inout SeededGenerator) -> [UInt8] {
            let number = random.next(below: 20_000)
            switch self {
            case .numbers: return Array("\(number)".utf8)
            case .padded: return Array("user:\(String(10_000_000 + number).dropFirst())".utf8)
            case .paths:
                let folder = ["/a/", "/archive/2025/", "/archive/2026/", "/z/"][number % 4]
                return Array("https://example.org\(folder)\(number).html".utf8)
            case .random: return (0..<16).map { _ in UInt8(random.next(below: 256)) }
            case .nested: return [UInt8](repeating: 97, count: number % 250)
            case .long:
                let length = [40, 254, 255, 256][number % 4]
                var key = [UInt8](repeating: 98, count: length)
                key[length - 1 - number % 7] = UInt8(number % 100)
                return key
            }
        }
    }

    private struct Entry: Hashable, Comparable {
        let key: [UInt8]
        let second: Int64

        static func < (left: Entry, right: Entry) -> Bool {
            left.key == right.key
                ? left.second < right.second : left.key.lexicographicallyPrecedes(right.key)
        }
    }

    /// Entries come and go one by one and many at once.
    @Test(arguments: Family.allCases, [4096, 16384])
    func mapsHoldWhatASortedSetHolds(family: Family, pageSize: Int) throws {
        let options = Database.Options(pageSize: pageSize)
        let pager = try Pager(database: Database.open(path: directory.file(), options: options))
        let stamp = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        stamp.initialize(to: 0)
        defer { stamp.deallocate() }
        let writer = TreeWriter(pager: pager, layoutStamp: stamp)
        let map = OrderedMap(firstKeyKind: .bytes, valueCount: 0)
        let seed = UInt64(pageSize)
        var random = SeededGenerator(seed: seed)
        var root = TreeRoot.empty
        var model: Set<Entry> = []
        try pager.beginRead()
        try pager.beginWrite()
        for round in 0..<LongTests.choose(12, otherwise: 5) {
            var changes = MapChanges(firstKeyKind: .bytes)
            let areTogether = random.next(below: 2) == 0
            let share = [0, 0, 40, 95][random.next(below: 4)]
            func change(_ entry: Entry, isRemoval: Bool) throws {
                try entry.key.withUnsafeBytes {
                    let (first, second) = (OrderedMap.FirstKey.bytes($0), entry.second)
                    if areTogether {
                        changes.append(first, second, isRemoval: isRemoval)
                    } else if isRemoval {
                        try #require(try map.remove(writer, &root, first: first, second: second))
                    } else {
                        try #require(
                            try map.set(writer, &root, treeID: 3, first: first, second: second))
                    }
                }
            }
            for entry in model.sorted() where random.next(below: 100) < share {
                model.remove(entry)
                try change(entry, isRemoval: true)
            }
            for _ in 0..<1500 {
                let entry = Entry(key: family.key(&random), second: Int64(random.next(below: 4)))
                if model.insert(entry).inserted { try change(entry, isRemoval: false) }
            }
            try map.make(&changes, writer, in: &root, treeID: 3)
            try check(map, pager, root, model, family, &random, "round \(round)")
        }
        pager.rollback()
    }

    private func check(
        _ map: OrderedMap, _ pager: Pager, _ root: TreeRoot, _ model: Set<Entry>,
        _ family: Family, _ random: inout SeededGenerator, _ comment: Comment
    ) throws {
        let sorted = model.sorted()
        var found: [Entry] = []
        try map.forEach(pager, root, fromPosition: 0) { leaf, row throws(StorageError) in
            let key = try leaf.withKey(0, row) { [UInt8]($0) }
            found.append(Entry(key: key, second: leaf.integer(1, row)))
            return true
        }
        try #require(found == sorted, comment)
        for _ in 0..<50 {
            let key = family.key(&random)
            let first = sorted.firstIndex { !$0.key.lexicographicallyPrecedes(key) }
            try key.withUnsafeBytes {
                let position = try map.position(pager, root, of: .bytes($0), second: .min)
                try #require(position == first ?? sorted.count, comment)
                let second = try map.firstSecondKey(pager, root, of: .bytes($0))
                let expected = first.flatMap { sorted[$0].key == key ? sorted[$0].second : nil }
                try #require(second == expected, comment)
            }
        }
        try forEachNode(pager, root, format: map.format) { _, node throws(StorageError) in
            let page = UnsafeRawBufferPointer(
                start: node.base, count: node.pageCount * pager.pageSize)
            let problem = Node.problem(ofStored: page)
            #expect(problem == nil)
        }
    }

    // MARK: Tables

    private func database(_ count: Int, key: (Int) -> String) throws -> Connection {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Row",
                columns: [
                    ColumnDefinition(name: "key", type: .string, isPrimaryKey: true),
                    ColumnDefinition(name: "text", type: .string, isIndexed: true),
                ])
        ])
        let table = try #require(try connection.table(named: "Row"))
        for number in 0..<count {
            let key = OracleValue(key(number))
            _ = try table.insert(owned: [key, key])
        }
        try connection.commit()
        return connection
    }

    /// A packed copy takes less than a third of what whole keys would take, in any order of
    /// insertion, and has the same contents.
    @Test func copiesAndFilesKeepThePrefixOnce() throws {
        let common = "https://example.org/a/rather/long/path/"
        let connection = try database(20_000) { "\(common)\(($0 * 7919) % 20_000 + 100_000)" }
        #expect(try connection.verify() == [])
        let path = directory.file("copy")
        try connection.writeCopy(toPath: path)
        let copy = try Connection(Database.open(path: path))
        #expect(try copy.verify() == [])
        for connection in [connection, copy] {
            let table = try #require(try connection.table(named: "Row"))
            let root = try table.primaryKeys.state.pointee.root
            var size = 0
            try forEachNode(table.pager, root, format: table.primaryKeys.map.format) { _, node in
                size += node.pageCount * table.pager.pageSize
            }
            #expect(size < 20_000 * 45 / 3, "\(size) bytes")
            for number in stride(from: 0, to: 20_000, by: 371) {
                var key = "\(common)\(number + 100_000)"
                let found = try key.withUTF8 {
                    try table.find(primaryKey: .bytes(UnsafeRawBufferPointer($0)))
                }
                #expect(found != nil)
            }
            var missing = "\(common)99"
            let found = try missing.withUTF8 {
                try table.find(primaryKey: .bytes(UnsafeRawBufferPointer($0)))
            }
            #expect(found == nil)
        }
    }
}
