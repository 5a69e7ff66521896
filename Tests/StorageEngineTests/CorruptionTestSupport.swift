@testable import StorageEngine
@testable import engine_test_process

/// A file that is as small as files get, and has one of everything: schema, two tables, a list in a
/// tree of its own, a long value, a checkpoint of the free map.
struct SmallFile {
    let kind: FileKind
    var bytes: [UInt8] = []
    var digest: UInt64 = 0
    /// Of the version before the newest.
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
                ]),
            TableDefinition(
                name: "Dog",
                columns: [
                    ColumnDefinition(name: "name", type: .string, isPrimaryKey: true),
                    ColumnDefinition(name: "weight", type: .double),
                    ColumnDefinition(
                        name: "owner", type: .link, isOptional: true, linkTarget: "Person"),
                ]),
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
        try connection.commit()
    }
}
