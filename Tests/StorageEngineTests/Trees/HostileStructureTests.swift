import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Structures that this library never writes, one by one, each with the check that finds it.
@Suite struct HostileStructureTests {
    // MARK: Nodes

    private func branch(_ rows: [(page: Int64, birth: Int64, count: Int64)]) -> MutableNode {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
        let node = MutableNode.format(
            buffer, byteCount: 4096, level: 1, treeID: 2, columns: TreeFormat.cluster.branchColumns,
            lowKey: 0, birth: 10)
        for (row, values) in rows.enumerated() {
            #expect(node.insertPlaceholderRow(at: row))
            let numbers = [values.page, values.birth, values.count, Int64(row * 100)]
            for (column, number) in numbers.enumerated() {
                #expect(node.setInteger(column, row, to: number))
            }
        }
        return node
    }

    private func problem(_ node: MutableNode) -> String? {
        Node.problem(
            ofStored: UnsafeRawBufferPointer(start: node.base, count: node.byteCount))
    }

    @Test func aBranchWithImpossibleCountsIsRefused() {
        let cases: [([(Int64, Int64, Int64)], isSound: Bool)] = [
            ([(100, 10, 5), (101, 1, 7)], true),
            ([(100, 10, 0), (101, 1, 7)], false),
            ([(100, 10, -1)], false),
            ([(100, 10, .max)], false),
            ([(100, 10, 1 << 47), (101, 10, 1 << 47), (102, 10, 1 << 47)], false),
            ([], false),
        ]
        for (rows, isSound) in cases {
            let node = branch(rows)
            defer { node.base.deallocate() }
            #expect((problem(node) == nil) == isSound, "\(rows)")
        }
    }

    @Test func aReferenceToSomethingYoungerIsRefused() {
        for (birth, isSound) in [
            (Int64(1), true), (10, true), (11, false), (0, false), (-1, false),
        ] {
            let node = branch([(100, birth, 5)])
            defer { node.base.deallocate() }
            #expect((problem(node) == nil) == isSound, "birth \(birth)")
        }
    }

    @Test func aBranchWithoutItsColumnsIsRefused() {
        for columns in [
            [], [ColumnFormat(id: 0, kind: .integer), ColumnFormat(id: 1, kind: .integer)],
            [
                ColumnFormat(id: 0, kind: .integer), ColumnFormat(id: 1, kind: .bytes),
                ColumnFormat(id: 2, kind: .integer),
            ],
        ] {
            let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
            defer { buffer.deallocate() }
            let node = MutableNode.format(
                buffer, byteCount: 4096, level: 1, treeID: 2, columns: columns, lowKey: 0, birth: 1)
            #expect(node.insertPlaceholderRow(at: 0))
            #expect(problem(node) != nil)
        }
    }

    @Test func keysOfALeafThatDoNotAscendAreRefused() {
        let cases: [(keys: [Int64], lowKey: Int64, isSound: Bool)] = [
            ([0, 1, 5], 7, true), ([0, 0], 7, false), ([3, 2], 7, false), ([-1, 2], 7, false),
            ([0, .max], 7, false), ([0, 1], -1, false), ([0, 1], .max, false),
        ]
        for (keys, lowKey, isSound) in cases {
            let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
            defer { buffer.deallocate() }
            let node = MutableNode.format(
                buffer, byteCount: 4096, level: 0, treeID: 2,
                columns: [
                    ColumnFormat(id: 0, kind: .bytes),
                    ColumnFormat(id: Node.keyColumnID, kind: .integer),
                ], lowKey: lowKey, birth: 1)
            for (row, key) in keys.enumerated() {
                #expect(node.insertPlaceholderRow(at: row))
                #expect(node.setInteger(1, row, to: key))
            }
            #expect((problem(node) == nil) == isSound, "\(keys) from \(lowKey)")
        }
    }

    // MARK: Collections inside themselves

    private func makeListInsideItself(_ connection: Connection) throws -> ListHandle {
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Thing",
                columns: [ColumnDefinition(name: "list", type: .mixed, collection: .list)])
        ])
        let things = connection.table(0)
        let list = things.list(0, of: try things.insert([OwnedValue.null]))
        for number in 0..<100 {
            try MixedValue.int(Int64(number)).withScalar { try list.insert($0, at: number) }
        }
        let root = try #require(try list.collection.stored().root)
        let identity = CollectionIdentity(version: 1, number: 1)
        for position in [0, 1, 2] {
            let image = NestedCollection.image(.list, identity, of: InlineRows.image(of: root))
            try image.withUnsafeBytes { try list.collection.setRow(at: position, to: .bytes($0)) }
        }
        try connection.commit()
        return list
    }

    @Test func listsInsideThemselvesAreFollowedSoFarOnly() throws {
        let connection = try Connection(
            Database.open(path: UUID().uuidString, options: .init(inMemory: true)))
        var list = try makeListInsideItself(connection)
        let error = #expect(throws: StorageError.self) {
            for _ in 0..<1000 { list = try #require(try list.nestedList(at: 0)) }
        }
        #expect(error?.code == .damaged)
        #expect(try connection.verify().contains { $0.contains("used twice") })
    }

    @Test func listsInsideThemselvesAreNotCopiedForEver() throws {
        let directory = try CrashDirectory()
        let connection = try Connection(Database.open(path: directory.file("cycle")))
        _ = try makeListInsideItself(connection)
        let error = #expect(throws: StorageError.self) {
            try connection.writeCopy(toPath: directory.file("copy"))
        }
        #expect(error?.code == .damaged)
        try connection.beginWrite()
        let failure = #expect(throws: StorageError.self) {
            try connection.table(0).delete(ObjectKey(rawValue: 0))
        }
        #expect(failure?.code == .damaged)
        connection.rollback()
    }

    // MARK: Nodes that occur again and again

    /// Makes all branches of a table's tree refer only to their first child.
    private func multiplyFirstLeaf(_ connection: Connection) throws {
        try connection.beginWrite()
        let things = connection.table(0)
        try things.store(.init(scalar: .integer(5)), 0, of: ObjectKey(rawValue: 0))
        let state = try things.state
        let (reference, buffer, byteCount) = try connection.pager.makeWritable(
            state.pointee.root.reference)
        let root = MutableNode(buffer, byteCount: byteCount)
        let (first, count) = (root.reading.child(0), root.reading.childCount(0))
        for row in 1..<root.rowCount {
            #expect(root.setInteger(BranchColumn.page, row, to: Int64(first.page)))
            #expect(root.setInteger(BranchColumn.birth, row, to: Int64(first.birth)))
            #expect(root.setInteger(BranchColumn.count, row, to: Int64(count)))
        }
        state.pointee.root.reference = reference
        try connection.commit()
    }

    @Test func aWalkEndsWithAsManyRowsAsTheRootCounts() throws {
        let connection = try Connection(
            Database.open(path: UUID().uuidString, options: .init(inMemory: true)))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Thing", columns: [ColumnDefinition(name: "n", type: .int)])
        ])
        for number in 0..<20_000 {
            _ = try connection.table(0).insert([OwnedValue.integer(Int64(number) * 1_000_003)])
        }
        try connection.commit()
        try multiplyFirstLeaf(connection)
        let things = connection.table(0)
        let count = try things.count()
        var rows = 0
        do throws(StorageError) {
            try things.forEachLeaf { leaf, _ in
                rows += leaf.rowCount
                return true
            }
            #expect(rows == count)
        } catch {
            #expect(error.code == .damaged)
            #expect(rows <= count)
        }
        #expect(try connection.verify().contains { $0.contains("used twice") })
        try connection.beginWrite()
        let error = #expect(throws: StorageError.self) { try things.deleteAll() }
        #expect(error?.code == .damaged)
        connection.rollback()
    }

    // MARK: Maps

    private func makeThings(_ path: String, inMemory: Bool = true) throws -> Connection {
        let connection = try Connection(
            Database.open(path: path, options: .init(inMemory: inMemory)))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Thing",
                columns: [
                    ColumnDefinition(name: "name", type: .string, isPrimaryKey: true),
                    ColumnDefinition(name: "number", type: .int, isIndexed: true),
                ])
        ])
        return connection
    }

    private func insert(_ name: String, _ number: Int64, _ connection: Connection) throws {
        _ = try connection.table(0).insert([OwnedValue.text(name), .integer(number)])
    }

    /// The first leaf of an index seems to have rows of the second one.
    @Test func positionsThatALeafDoesNotHaveAreNotVisited() throws {
        let connection = try makeThings("miscountedLeaf")
        // The numbers are even, so that all numbers of two neighbours fit into one leaf.
        for number in 0..<20_000 { try insert("\(number)", Int64(number) * 2, connection) }
        try connection.commit()
        try connection.beginWrite()
        let index = try #require(connection.table(0).index(of: 1))
        let state = try connection.forest.state(index.trees.values)
        let (reference, buffer, byteCount) = try connection.pager.makeWritable(
            state.pointee.root.reference)
        let root = MutableNode(buffer, byteCount: byteCount)
        let (first, second) = (root.reading.childCount(0), root.reading.childCount(1))
        #expect(root.setInteger(BranchColumn.count, 0, to: Int64(first + second - 1)))
        #expect(root.setInteger(BranchColumn.count, 1, to: 1))
        state.pointee.root.reference = reference
        state.pointee.isDirty = true
        try connection.commit()
        for position in [first, first + second / 2, first + second - 2] {
            let error = #expect(throws: StorageError.self) {
                try index.forEachKey(in: position..<position + 1) { _ in true }
            }
            #expect(error?.code == .damaged)
            let failure = #expect(throws: StorageError.self) { try index.key(at: position) }
            #expect(failure?.code == .damaged)
        }
        #expect(try !connection.verify().isEmpty)
    }

    /// In a malicious file, another tree may refer to the node and free it.
    @Test func aPathToANodeThatHasGoneIsNotUsed() throws {
        let connection = try makeThings("freedPath")
        try insert("a", 1, connection)
        let things = connection.table(0)
        #expect(things.primaryKeys.writer.hasPath(to: things.primaryKeys.treeID))
        try connection.pager.free(things.primaryKeys.state.pointee.root.reference)
        #expect(!things.primaryKeys.writer.hasPath(to: things.primaryKeys.treeID))
        #expect(throws: StorageError.self) { try insert("b", 2, connection) }
        connection.rollback()
    }

    /// Writes a malicious map of primary keys, and expects that copying the file fails.
    private func expectNoCopy(
        _ forge: (Connection, inout TreeRoot) throws -> Void
    ) throws {
        let directory = try CrashDirectory()
        let connection = try makeThings(directory.file("forged"), inMemory: false)
        for number in 0..<3 { try insert("\(number)", Int64(number), connection) }
        try connection.commit()
        try connection.beginWrite()
        let state = try connection.table(0).primaryKeys.state
        try forge(connection, &state.pointee.root)
        state.pointee.isDirty = true
        try connection.commit()
        let error = #expect(throws: StorageError.self) {
            try connection.writeCopy(toPath: directory.file("copy"))
        }
        #expect(error?.code == .damaged)
    }

    @Test func keysWithPagesOfTheirOwnAreNotCopied() throws {
        try expectNoCopy { connection, root in
            let long = [UInt8](repeating: 65, count: 2000)
            let value = try long.withUnsafeBytes { try connection.pager.writeOverflow($0) }
            let (reference, buffer, byteCount) = try connection.pager.makeWritable(root.reference)
            let leaf = MutableNode(buffer, byteCount: byteCount)
            #expect(leaf.setOverflow(0, 2, to: value, length: long.count))
            root.reference = reference
        }
    }

    @Test func aRowLongerThanALeafIsNotCopied() throws {
        try expectNoCopy { connection, root in
            let things = connection.table(0)
            let (reference, leaf) = try things.primaryKeys.writer.makeNode(
                level: 0, treeID: things.primaryKeys.treeID,
                columns: things.primaryKeys.map.format.leafColumns, lowKey: 0, pages: 4)
            let long = [UInt8](repeating: 65, count: 10_000)
            #expect(leaf.insertPlaceholderRow(at: 0))
            let isSet = long.withUnsafeBytes { leaf.setBytes(0, 0, to: $0, isOverflow: false) }
            #expect(isSet)
            try connection.pager.free(root.reference)
            root = TreeRoot(reference: reference, level: 0, count: 1)
        }
    }

    // MARK: Schemas

    @Test func aSchemaWhoseIndexesShareTreesIsRefused() throws {
        var schema = StoredSchema()
        try schema.add([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "x", type: .int, isIndexed: true),
                    ColumnDefinition(name: "y", type: .string, isOptional: true, isIndexed: true),
                ])
        ])
        #expect(decoded(schema) == schema)
        let indexes = schema.tables[0].columns.map { $0.index! }
        for forged in [
            StoredColumn.Index(values: indexes[0].values, nulls: indexes[1].nulls),
            .init(values: indexes[1].values, nulls: indexes[1].values),
            .init(values: schema.tables[0].clusterTreeID, nulls: indexes[1].nulls),
            .init(values: indexes[1].values, nulls: 0), .init(values: 1, nulls: indexes[1].nulls),
            .init(values: indexes[1].values, nulls: schema.nextTreeID),
        ] {
            var copy = schema
            copy.tables[0].columns[1].index = forged
            #expect(decoded(copy) == nil)
        }
        var copy = schema
        copy.tables[0].columns[0].content = .property(ColumnDefinition(name: "x", type: .int))
        #expect(decoded(copy) == nil)
    }

    @Test func aSchemaThatNamesATreeTwiceIsRefused() throws {
        var schema = StoredSchema()
        try schema.add([
            TableDefinition(
                name: "A", columns: [ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)]),
            TableDefinition(name: "B", columns: [ColumnDefinition(name: "x", type: .string)]),
        ])
        #expect(decoded(schema) == schema)
        var forged = schema
        forged.tables[1].clusterTreeID = forged.tables[0].clusterTreeID
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[0].primaryKeyTreeID = forged.tables[1].clusterTreeID
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[1].name = "A"
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[1].columns.append(forged.tables[1].columns[0])
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[0].columns[0].content = .property(
            ColumnDefinition(name: "id", type: .double, isPrimaryKey: true))
        #expect(decoded(forged) == nil)
    }

    @Test func aRemovedPropertyIsCheckedLikeOthers() throws {
        var schema = StoredSchema()
        try schema.add([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "x", type: .int),
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ])
        ])
        schema.layout = 1
        schema.tables[0].columns[1].isRemoved = true
        schema.tables[0].columns[0].isZeroWhereAbsent = true
        #expect(decoded(schema) == schema)
        #expect(decoded(schema)?.tables[0].definition.columns.map(\.name) == ["x"])
        var forged = schema
        forged.layout = 0
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[0].columns.swapAt(0, 1)
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[0].columns[1].content = .property(
            ColumnDefinition(name: "id", type: .double, isPrimaryKey: true))
        #expect(decoded(forged) == nil)
        forged = schema
        forged.tables[0].columns[0].content = .property(
            ColumnDefinition(name: "x", type: .int, isPrimaryKey: true))
        #expect(decoded(forged) == nil)
    }

    private func decoded(_ schema: StoredSchema) -> StoredSchema? {
        schema.encoded().withUnsafeBytes { StoredSchema(decoding: $0) }
    }

    // MARK: Records

    /// The number that follows the marker's sequence might overflow.
    @Test func aMarkerOfAnotherSequenceThanItsRecordIsPassedOver() throws {
        let directory = try CrashDirectory()
        let file = try SmallFile.shared.get()
        let header = try file.bytes.withUnsafeBytes { try FileHeader($0, path: "") }
        var image = file.bytes
        let marker = image.withUnsafeBytes {
            CleanCloseMarker(UnsafeRawBufferPointer(rebasing: $0[4096...]), header)
        }
        var forged = try #require(marker)
        forged.sequence += 64 << 50
        image.replaceSubrange(4096..<4160, with: forged.encode(header))
        try directory.withImage(image) { path in
            let connection = try Connection(Database.open(path: path))
            #expect(try DatabaseDigest.of(connection) == file.digest)
        }
    }
}
