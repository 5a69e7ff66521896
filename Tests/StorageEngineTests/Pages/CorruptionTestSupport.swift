import StressModel

@testable import StorageEngine
@testable import engine_test_process

/// A minimal file that has one of everything: schema, three tables, a list, a set and a map in
/// trees of their own, a list inside a mixed value, an embedded object, a long value, and a
/// checkpoint of the free map.
struct SmallFile {
    let kind: FileKind
    var bytes: [UInt8] = []
    var digest: UInt64 = 0
    /// The digest of the version before the newest.
    var previousDigest: UInt64 = 0

    static let shared = Result { try SmallFile(.plain) }
    private static let sharedEncrypted = Result { try SmallFile(.encrypted) }

    static func of(_ kind: FileKind) throws -> SmallFile {
        try (kind == .plain ? shared : sharedEncrypted).get()
    }

    private init(_ kind: FileKind) throws {
        self.kind = kind
        let directory = try CrashDirectory()
        let path = directory.file("small")
        do {
            let connection = try Connection(Database.open(path: path, options: kind.options))
            try Self.fill(connection)
            for round in 0..<30 {
                previousDigest = try DatabaseDigest.of(connection)
                try connection.beginWrite()
                let people = try connection.table(named: "Person")!
                try people.set(1, of: people.key(at: round % 40), to: .integer(Int64(round)))
                try connection.commit()
            }
            digest = try DatabaseDigest.of(connection)
        }
        bytes = try readBytes(path)
    }

    private static func fill(_ connection: Connection) throws {
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Person",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                    ColumnDefinition(name: "age", type: .int, isOptional: true),
                    ColumnDefinition(name: "note", type: .data, isOptional: true),
                    ColumnDefinition(
                        name: "dogs", type: .link, collection: .list, linkTarget: "Dog"),
                    ColumnDefinition(name: "tags", type: .string, collection: .set),
                    ColumnDefinition(name: "facts", type: .mixed, collection: .map),
                    ColumnDefinition(name: "part", type: .embedded, linkTarget: "Part"),
                ]),
            TableDefinition(
                name: "Dog",
                columns: [
                    ColumnDefinition(name: "name", type: .string, isPrimaryKey: true),
                    ColumnDefinition(name: "weight", type: .double),
                    ColumnDefinition(
                        name: "owner", type: .link, isOptional: true, linkTarget: "Person"),
                ]),
            TableDefinition(
                name: "Part", columns: [ColumnDefinition(name: "id", type: .objectID)],
                isEmbedded: true),
        ])
        let people = try connection.table(named: "Person")!
        let dogs = try connection.table(named: "Dog")!
        for id in 0..<40 {
            let note: OwnedValue = id % 10 == 0 ? .bytes([UInt8](repeating: 3, count: id)) : .null
            _ = try people.insert([.integer(Int64(id * id)), .integer(Int64(id)), note])
        }
        for number in 0..<40 {
            let owner: OwnedValue = number % 4 == 0 ? .null : .integer(Int64(number % 10))
            _ = try dogs.insert([.text("dog \(number)"), .double(Double(number) / 3), owner])
        }
        let first = try people.key(at: 0)
        let list = people.list(3, of: first)
        for number in 0..<150 { try list.insert(.integer(Int64(number % 40)), at: number) }
        let long = (0..<6000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        try people.set(2, of: first, owned: .bytes(long))
        try fillCollections(people, dogs, first)
        try connection.commit()
    }

    private static func fillCollections(_ people: Table, _ dogs: Table, _ owner: ObjectKey) throws {
        let facts = people.map(5, of: owner)
        for number in 0..<30 {
            try OwnedValue.text("tag \(number)").withScalar {
                _ = try people.set(4, of: owner).insert($0)
            }
            let dog = MixedValue.link(TypedLink(table: dogs.number, key: try dogs.key(at: number)))
            try Array("fact \(number)".utf8).withUnsafeBytes { key in
                if number > 2 { return try dog.withScalar { try facts.set($0, forKey: key) } }
                try facts.setEmpty(.list, forKey: key)
                guard let list = try facts.nestedList(forKey: key) else { return }
                for element in 0..<(number * 20 + 2) {
                    try MixedValue.int(Int64(element)).withScalar { try list.insert($0, at: 0) }
                }
            }
        }
        try withUnsafePointer(to: Scalar.fixed12(5, 7)) {
            _ = try people.createEmbedded(
                6, of: owner, with: UnsafeBufferPointer(start: $0, count: 1))
        }
    }
}
