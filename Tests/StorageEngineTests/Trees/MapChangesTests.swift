import Testing
import ToolSupport

@testable import StorageEngine

/// Entries added to maps and removed from them together, compared with a sorted set.
@Suite struct MapChangesTests {
    private let directory = TestDirectory()

    private struct Entry: Hashable, Comparable {
        var first: [UInt8]
        var number: Int64
        var second: Int64

        static func < (left: Entry, right: Entry) -> Bool {
            if left.first != right.first {
                return left.first.lexicographicallyPrecedes(right.first)
            }
            return (left.number, left.second) < (right.number, right.second)
        }

        func withKey<R>(_ kind: ColumnKind, _ body: (OrderedMap.FirstKey) throws -> R) rethrows -> R
        {
            if kind == .integer { return try body(.integer(number)) }
            return try first.withUnsafeBytes { try body(.bytes($0)) }
        }
    }

    private func makeEntry(_ kind: ColumnKind, _ random: inout SeededGenerator, _ spread: Int)
        -> Entry
    {
        let second = Int64(random.next(below: 100_000))
        if kind == .integer {
            let edges = [Int64.min, .max, 0, 1 << 40]
            let number =
                random.next(below: 200) == 0
                ? edges[random.next(below: 4)] : Int64(random.next(below: spread))
            return Entry(first: [], number: number, second: second)
        }
        let length = random.next(below: 20) == 0 ? 256 : random.next(below: 12)
        var bytes = [UInt8](repeating: 7, count: length)
        if length > 0 { bytes[length - 1] = UInt8(random.next(below: min(256, spread))) }
        return Entry(first: bytes, number: 0, second: second)
    }

    @Test(arguments: [ColumnKind.integer, .bytes], [1, 30, 100_000])
    func mapsHoldWhatWasAddedAndNotRemoved(kind: ColumnKind, spread: Int) throws {
        let pager = try Pager(database: Database.open(path: directory.file()))
        let stamp = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        stamp.initialize(to: 0)
        defer { stamp.deallocate() }
        let writer = TreeWriter(pager: pager, layoutStamp: stamp)
        let map = OrderedMap(firstKeyKind: kind, valueCount: 0)
        var random = SeededGenerator(seed: UInt64(spread))
        var root = TreeRoot.empty
        var model: Set<Entry> = []
        try pager.beginRead()
        try pager.beginWrite()
        for round in 0..<30 {
            var changes = MapChanges(firstKeyKind: kind)
            func append(_ entry: Entry, isRemoval: Bool) {
                entry.withKey(kind) { changes.append($0, entry.second, isRemoval: isRemoval) }
            }
            let share = [0, 1, 50, 98][random.next(below: 4)]
            for entry in model.sorted() where random.next(below: 100) < share {
                append(entry, isRemoval: true)
                model.remove(entry)
            }
            // Every third round has a long run between two entries.
            let start = makeEntry(kind, &random, spread)
            for number in 0..<(round % 3 == 0 ? 2500 : 300) {
                var entry = makeEntry(kind, &random, spread)
                if round % 3 == 0 {
                    entry = start
                    entry.second = 200_000 + Int64(round * 10_000 + number)
                }
                guard model.insert(entry).inserted else { continue }
                append(entry, isRemoval: false)
                if number % 7 == 0 {
                    // The entry is removed again, and some are added once more.
                    append(entry, isRemoval: true)
                    if number % 14 == 0 {
                        append(entry, isRemoval: false)
                    } else {
                        model.remove(entry)
                    }
                }
            }
            try map.make(&changes, writer, in: &root, treeID: 3)
            try check(map, pager, root, model, &random)
        }
        pager.rollback()
    }

    private func check(
        _ map: OrderedMap, _ pager: Pager, _ root: TreeRoot, _ model: Set<Entry>,
        _ random: inout SeededGenerator
    ) throws {
        let sorted = model.sorted()
        try #require(root.count == sorted.count)
        var position = 0
        try map.forEach(pager, root, fromPosition: 0) { leaf, row throws(StorageError) in
            let entry = sorted[position]
            let isEqual = entry.withKey(map.firstKeyKind) {
                map.isEqual(leaf, 0, at: row, to: $0, second: entry.second)
            }
            #expect(isEqual, "position \(position)")
            position += 1
            return isEqual
        }
        try #require(position == sorted.count)
        for _ in 0..<20 where !sorted.isEmpty {
            let position = random.next(below: sorted.count)
            let entry = sorted[position]
            let found = try entry.withKey(map.firstKeyKind) {
                try map.position(pager, root, of: $0, second: entry.second)
            }
            try #require(found == position)
            let place = try map.entry(pager, root, at: position)
            try #require(place.leaf.integer(1, place.row) == entry.second)
        }
        try forEachNode(pager, root, format: map.format) { _, node throws(StorageError) in
            #expect(node.rowCount > 0)
        }
    }

    /// Each of these splits needs wide separators in a branch whose keys were all equal before.
    @Test func keysFarApartFindRoomInFullBranches() throws {
        let pager = try Pager(database: Database.open(path: directory.file()))
        let stamp = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        stamp.initialize(to: 0)
        defer { stamp.deallocate() }
        let writer = TreeWriter(pager: pager, layoutStamp: stamp)
        let map = OrderedMap(firstKeyKind: .integer, valueCount: 0)
        var root = TreeRoot.empty
        try pager.beginRead()
        try pager.beginWrite()
        var second: Int64 = 0
        for round in 0..<60 {
            var changes = MapChanges(firstKeyKind: .integer)
            for _ in 0..<4000 {
                changes.append(.integer(5), second, isRemoval: false)
                second += 1000
            }
            for edge in [Int64.min, .max] where round % 20 == 19 {
                for _ in 0..<1500 {
                    changes.append(.integer(edge), second, isRemoval: false)
                    second += 1000
                }
            }
            try map.make(&changes, writer, in: &root, treeID: 3)
        }
        #expect(root.count == 60 * 4000 + 9000)
        #expect(root.level >= 2)
        #expect(try map.position(pager, root, of: .integer(5), second: .min) == 4500)
        #expect(try map.position(pager, root, of: .integer(5), second: .max) == 60 * 4000 + 4500)
        pager.rollback()
    }

    @Test func anEntryThatIsThereOrMissingIsDamage() throws {
        let pager = try Pager(database: Database.open(path: directory.file()))
        let stamp = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        stamp.initialize(to: 0)
        defer { stamp.deallocate() }
        let writer = TreeWriter(pager: pager, layoutStamp: stamp)
        let map = OrderedMap(firstKeyKind: .integer, valueCount: 0)
        try pager.beginRead()
        func make(_ second: Int64, isRemoval: Bool, _ root: inout TreeRoot) throws {
            var changes = MapChanges(firstKeyKind: .integer)
            changes.append(.integer(1), second, isRemoval: isRemoval)
            try map.make(&changes, writer, in: &root, treeID: 3)
        }
        for (second, isRemoval, isSound) in [(1, true, true), (1, false, false), (2, true, false)] {
            try pager.beginWrite()
            var root = TreeRoot.empty
            try make(1, isRemoval: false, &root)
            if isSound {
                try make(Int64(second), isRemoval: isRemoval, &root)
                #expect(root == .empty)
            } else {
                let error = #expect(throws: StorageError.self) {
                    try make(Int64(second), isRemoval: isRemoval, &root)
                }
                #expect(error?.code == .damaged)
                // The change may be incomplete.
                #expect(pager.transactionFailure?.code == .damaged)
            }
            pager.rollback()
        }
    }
}
