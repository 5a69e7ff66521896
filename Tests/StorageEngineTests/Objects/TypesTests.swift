import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Single cases of types and collections that random operations do not reach.
@Suite struct TypesTests {
    private let directory = TestDirectory()

    private func open(_ columns: [ColumnDefinition]) throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([TableDefinition(name: "A", columns: columns)])
        return (connection, try #require(try connection.table(named: "A")))
    }

    @Test func objectIdsArePrimaryKeysInTheOrderOfTheirBytes() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "id", type: .objectID, isPrimaryKey: true)
        ])
        var random = SeededGenerator(seed: 4)
        var ids = (0..<2000).map { _ in
            (0..<12).map { _ in UInt8(truncatingIfNeeded: random.next() >> 60) }
        }
        ids = Array(Set(ids)).shuffled(using: &random)
        func scalar(_ id: [UInt8]) -> OracleValue {
            id.withUnsafeBytes {
                .fixed12(
                    UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
                    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
            }
        }
        for id in ids { _ = try table.insert(owned: [scalar(id)]) }
        #expect(errorCode { _ = try table.insert(owned: [scalar(ids[7])]) } == .duplicateKey)
        #expect(errorCode { _ = try table.insert(owned: [.fixed16(1, 2)]) } == .invalidArgument)
        for (position, id) in ids.enumerated() {
            let found = try scalar(id).withScalar { try table.find(primaryKey: $0) }
            #expect(found?.rawValue == Int64(position))
        }
        let sorted = ids.sorted { $0.lexicographicallyPrecedes($1) }
        var visited: [OracleValue] = []
        try scalar(sorted[3]).withScalar { start in
            try table.forEachInPrimaryKeyOrder(from: start) { key throws(StorageError) in
                visited.append(OracleValue(try table.value(0, of: key)))
                return true
            }
        }
        #expect(visited == sorted[3...].map(scalar))
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func valuesAndKeysBeyondTheLimitAreRefusedEverywhere() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "list", type: .string, collection: .list),
            ColumnDefinition(name: "set", type: .data, collection: .set),
            ColumnDefinition(name: "map", type: .mixed, collection: .map),
            ColumnDefinition(name: "any", type: .mixed),
        ])
        let key = try table.insert(owned: [])
        let limit = Pager.maximumValueBytes
        let bytes = [UInt8](repeating: 97, count: limit + 1)
        try bytes.withUnsafeBytes { tooLong in
            let longest = UnsafeRawBufferPointer(rebasing: tooLong.dropLast())
            let name = UnsafeRawBufferPointer(rebasing: tooLong.prefix(1))
            for (value, code) in [(tooLong, StorageError.Code.valueTooLarge), (longest, nil)] {
                let scalar = Scalar.bytes(value)
                #expect(errorCode { try table.list(0, of: key).insert(scalar, at: 0) } == code)
                #expect(errorCode { try table.set(1, of: key).insert(scalar) } == code)
                MixedValue.string(value).withScalar { mixed in
                    let map = table.map(2, of: key)
                    #expect(errorCode { try map.set(mixed, forKey: name) } == code)
                    #expect(errorCode { try map.set(.null, forKey: value) } == code)
                    #expect(errorCode { try table.set(3, of: key, to: mixed) } == code)
                }
            }
            let map = table.map(2, of: key)
            #expect(try map.count() == 2)
            #expect(try map.index(ofKey: longest) == 1)
            #expect(try table.set(1, of: key).contains(.bytes(longest)))
            guard case .string(let text)? = MixedValue(try table.value(3, of: key)) else {
                throw TestFailure("no string")
            }
            #expect(text.elementsEqual(longest))
        }
        try table.delete(key)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func theFirstLinkToATableGoesWithItsTransaction() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "any", type: .mixed),
            ColumnDefinition(name: "typed", type: .typedLink, collection: .list),
        ])
        let keys = try (0..<3).map { _ in try table.insert(owned: []) }
        try connection.commit()
        let link = TypedLink(table: table.number, key: keys[2])
        for isKept in [false, true] {
            try connection.beginWrite()
            try MixedValue.link(link).withScalar { try table.set(0, of: keys[0], to: $0) }
            try table.list(1, of: keys[1]).insert(link.scalar, at: 0)
            #expect(try table.backlinkCount(of: keys[2]) == 2)
            if isKept { try connection.commit() } else { connection.rollback() }
            #expect(try table.backlinkCount(of: keys[2]) == (isKept ? 2 : 0))
            #expect(try connection.verify() == [])
        }
        let other = try Connection(connection.database)
        let otherTable = try #require(try other.table(named: "A"))
        try connection.beginWrite()
        try table.delete(keys[2])
        try connection.commit()
        #expect(try otherTable.backlinkCount(of: keys[2]) == 2)
        try other.refresh()
        #expect(try otherTable.value(0, of: keys[0]).isNull)
        #expect(try otherTable.list(1, of: keys[1]).count() == 0)
    }

    @Test func verificationFindsDisorderAndStrayReferences() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "set", type: .int, collection: .set),
                    ColumnDefinition(name: "map", type: .int, collection: .map),
                    ColumnDefinition(name: "part", type: .embedded, linkTarget: "B"),
                    ColumnDefinition(name: "any", type: .mixed),
                ]),
            TableDefinition(
                name: "B", columns: [ColumnDefinition(name: "n", type: .int)], isEmbedded: true),
        ])
        let (owners, parts) = (
            try #require(try connection.table(number: 0)),
            try #require(try connection.table(number: 1))
        )
        let key = try owners.insert(owned: [])
        let set = owners.set(0, of: key)
        for value in 0..<3 { try set.insert(.integer(Int64(value))) }
        try connection.commit()
        #expect(try connection.verify() == [])

        func problems(_ damage: () throws -> Void) throws -> [String] {
            try connection.beginWrite()
            try damage()
            defer { connection.rollback() }
            return try connection.verify()
        }
        let disorder = try problems {
            try set.collection.insertRow(
                CollectionRow(value: .integer(1)), at: 3, in: set.collection.stored())
        }
        #expect(disorder.count == 1 && disorder[0].contains("not in order"))
        let duplicate = try problems {
            for _ in 0..<2 {
                try [UInt8](arrayLiteral: 97).withUnsafeBytes {
                    let row = CollectionRow(key: $0, value: .integer(1))
                    let map = owners.map(1, of: key).collection
                    try map.insertRow(row, at: 0, in: map.stored())
                }
            }
        }
        #expect(duplicate.count == 1 && duplicate[0].contains("not in order"))
        let orphan = try problems { _ = try parts.insertRow(.init(start: nil, count: 0)) }
        #expect(orphan.count == 1 && orphan[0].contains("0 owners"))
        let strayBacklink = try problems {
            let part = try owners.createEmbedded(2, of: key, with: .init(start: nil, count: 0))
            try owners.store(.init(scalar: .null), 2, of: key)
            #expect(try parts.backlinkCount(of: part) == 1)
        }
        #expect(strayBacklink.count == 1 && strayBacklink[0].contains("do not exist"))
        let strayLink = try problems {
            let link = TypedLink(table: 0, key: key)
            try MixedValue.link(link).withScalar { try owners.set(3, of: key, to: $0) }
            try owners.backlinks.remove(3, from: key, to: link)
        }
        #expect(strayLink.contains { $0.contains("wrong backlinks") })
        let unreadable = try problems { try owners.store(bytes: [2, 0x80], 3, of: key) }
        #expect(unreadable.count == 1 && unreadable[0].contains("cannot be read"))
        #expect(try connection.verify() == [])
    }

    /// A root that leads to the tree of another collection is detected before the tree is read.
    @Test func aTreeOfOtherColumnsIsDamage() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "list", type: .int, collection: .list),
            ColumnDefinition(name: "map", type: .mixed, collection: .map),
            ColumnDefinition(name: "set", type: .string, collection: .set),
        ])
        try connection.commit()
        let name = UnsafeRawBufferPointer(start: nil, count: 0)
        let uses: [(MapHandle, SetHandle) throws -> Void] = [
            { map, _ in _ = try map.entry(at: 5) },
            { map, _ in _ = try map.value(forKey: name) },
            { map, _ in try map.set(.null, forKey: name) },
            { map, _ in try map.forEach { _, _ in true } },
            { _, set in _ = try set.contains(.bytes(name)) },
            { _, set in _ = try set.value(at: 0) },
        ]
        // Each use has its own transaction, because a transaction that has met damage reads the
        // version before.
        for use in uses {
            try connection.beginWrite()
            let key = try table.insert(owned: [])
            for value in 0..<100 {
                try table.list(0, of: key).insert(.integer(Int64(value)), at: value)
            }
            let list = Array(try table.list(0, of: key).collection.stored().bytes)
            try table.store(bytes: list, 1, of: key)
            try table.store(bytes: list, 2, of: key)
            let (map, set) = (table.map(1, of: key), table.set(2, of: key))
            #expect(errorCode { try use(map, set) } == .damaged)
            #expect(connection.transactionFailure?.code == .damaged)
            #expect(try table.count() == 0)
            connection.rollback()
        }
    }
}

extension Table {
    fileprivate func store(bytes: [UInt8], _ column: Int, of key: ObjectKey) throws {
        try bytes.withUnsafeBytes { try store(bytes: $0, column, of: key) }
    }
}
