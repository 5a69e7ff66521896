import StressModel
import Testing

@testable import StorageEngine

/// Embedded objects are in exactly one place, and are deleted with it.
@Suite struct EmbeddedTests {
    private let directory = TestDirectory()

    private func open() throws -> Connection {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Owner",
                columns: [
                    ColumnDefinition(name: "one", type: .embedded, linkTarget: "Part"),
                    ColumnDefinition(
                        name: "list", type: .embedded, collection: .list, linkTarget: "Part"),
                    ColumnDefinition(
                        name: "map", type: .embedded, collection: .map, linkTarget: "Part"),
                    ColumnDefinition(name: "any", type: .mixed),
                ]),
            TableDefinition(
                name: "Part",
                columns: [
                    ColumnDefinition(name: "n", type: .int),
                    ColumnDefinition(name: "next", type: .embedded, linkTarget: "Part"),
                    ColumnDefinition(name: "friend", type: .link, linkTarget: "Owner"),
                ], isEmbedded: true),
        ])
        return connection
    }

    private func create(_ n: Int, _ body: (UnsafeBufferPointer<Scalar>) throws -> ObjectKey) throws
        -> ObjectKey
    {
        try Table.withScalars([OracleValue.integer(Int64(n))][...], body)
    }

    private func number(_ table: Table, _ value: Scalar) throws -> Int? {
        guard case .integer(let key) = value,
            case .integer(let number) = try table.value(0, of: ObjectKey(rawValue: key))
        else { return nil }
        return Int(number)
    }

    @Test func objectsGoWithTheirPlace() throws {
        let connection = try open()
        let owners = try #require(try connection.table(named: "Owner"))
        let parts = try #require(try connection.table(named: "Part"))
        let owner = try owners.insert(owned: [])
        let first = try create(1) { try owners.createEmbedded(0, of: owner, with: $0) }
        #expect(try number(parts, owners.value(0, of: owner)) == 1)
        let place = try #require(try parts.owner(of: first))
        #expect(place.object == TypedLink(table: 0, key: owner) && place.column == 0)
        #expect(try owners.owner(of: owner) == nil)
        _ = try create(2) { try owners.createEmbedded(0, of: owner, with: $0) }
        #expect(try !parts.contains(first))
        try owners.set(0, of: owner, to: .null)
        #expect(try parts.count() == 0)

        let list = owners.list(1, of: owner)
        for n in 0..<200 { _ = try create(n) { try list.insertEmbedded($0, at: n) } }
        _ = try create(1000) { try list.setEmbedded($0, at: 7) }
        try list.move(from: 7, to: 0)
        try list.remove(at: 1)
        #expect(try parts.count() == 199)
        #expect(try (0..<3).map { try number(parts, list.value(at: $0)) } == [1000, 1, 2])
        guard case .integer(let second) = try list.value(at: 1) else {
            throw TestFailure("no link")
        }
        try parts.delete(ObjectKey(rawValue: second))
        #expect(try number(parts, list.value(at: 1)) == 2)

        let map = owners.map(2, of: owner)
        for n in 0..<30 {
            try Array("\(n % 20)".utf8).withUnsafeBytes { key in
                _ = try create(n) { try map.setEmbedded($0, forKey: key) }
            }
        }
        #expect(try map.count() == 20 && parts.count() == 198 + 20)
        try Array("3".utf8).withUnsafeBytes { key in
            guard case .integer(let part)? = try map.value(forKey: key) else {
                throw TestFailure("no link")
            }
            try parts.delete(ObjectKey(rawValue: part))
            #expect(try #require(try map.value(forKey: key)).isNull)
            #expect(try map.removeValue(forKey: key))
        }
        try connection.commit()
        #expect(try connection.verify() == [])
        try connection.writeCopy(toPath: directory.file("copy"))
        #expect(try Connection(Database.open(path: directory.file("copy"))).verify() == [])
        try connection.beginWrite()
        try list.removeAll()
        #expect(try parts.count() == 19)
        try owners.delete(owner)
        #expect(try parts.count() == 0)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    /// The chain is too long for recursion on any stack.
    @Test func chainsOfAnyLengthGoWithTheirOwner() throws {
        let connection = try open()
        let owners = try #require(try connection.table(named: "Owner"))
        let parts = try #require(try connection.table(named: "Part"))
        let owner = try owners.insert(owned: [])
        let bystander = try owners.insert(owned: [])
        var last = try create(0) { try owners.createEmbedded(0, of: owner, with: $0) }
        for n in 1..<5000 {
            last = try create(n) { try parts.createEmbedded(1, of: last, with: $0) }
            try parts.set(2, of: last, to: .integer((n % 2 == 0 ? owner : bystander).rawValue))
        }
        try connection.commit()
        #expect(try connection.verify() == [])
        try connection.beginWrite()
        try owners.delete(owner)
        #expect(try parts.count() == 0)
        #expect(try owners.backlinkCount(of: bystander) == 0)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func otherWaysToAnEmbeddedObjectAreRefused() throws {
        let connection = try open()
        let owners = try #require(try connection.table(named: "Owner"))
        let parts = try #require(try connection.table(named: "Part"))
        let owner = try owners.insert(owned: [])
        let part = try create(1) { try owners.createEmbedded(0, of: owner, with: $0) }
        #expect(errorCode { _ = try parts.insert(owned: [.integer(1)]) } == .invalidArgument)
        #expect(
            errorCode { _ = try owners.insert(owned: [.integer(part.rawValue)]) }
                == .invalidArgument)
        #expect(
            errorCode { try owners.set(0, of: owner, to: .integer(part.rawValue)) }
                == .invalidArgument)
        #expect(
            errorCode { try owners.list(1, of: owner).insert(.integer(part.rawValue), at: 0) }
                == .invalidArgument)
        let link = OracleValue(.link(TypedLink(table: 1, key: part)))
        #expect(
            errorCode { try link.withScalar { try owners.set(3, of: owner, to: $0) } }
                == .invalidArgument)
        #expect(
            errorCode { _ = try create(1) { try owners.createEmbedded(3, of: owner, with: $0) } }
                == .invalidArgument)
        for (type, target) in [(ValueType.link, "Part"), (.embedded, "Owner")] {
            let definition = TableDefinition(
                name: "Other",
                columns: [ColumnDefinition(name: "x", type: type, linkTarget: target)])
            #expect(errorCode { try connection.createTables([definition]) } == .invalidArgument)
        }
        let set = TableDefinition(
            name: "Other",
            columns: [
                ColumnDefinition(name: "x", type: .embedded, collection: .set, linkTarget: "Part")
            ])
        #expect(errorCode { try connection.createTables([set]) } == .invalidArgument)
        try connection.commit()
        #expect(try connection.verify() == [])
    }
}
