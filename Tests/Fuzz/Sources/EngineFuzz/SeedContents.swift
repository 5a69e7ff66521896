@testable import StorageEngine

/// Contents of the seeds.
enum SeedContents: CaseIterable {
    /// Few objects, with properties of all types.
    case types
    /// Trees of several levels: many objects with gaps between their keys, spilled columns, long
    /// collections, and many references to one object.
    case trees

    func fill(_ connection: Connection) throws {
        try connection.beginWrite()
        switch self {
        case .types: try fillTypes(connection)
        case .trees: try fillTrees(connection)
        }
        try connection.commit()
        // Makes several records, and a checkpoint of the free map among them.
        for round in 0..<26 {
            try connection.beginWrite()
            let table = connection.table(0)
            let key = try table.key(at: round % table.count())
            try table.set(0, of: key, to: .integer(Int64(round) + 1_000_000))
            try connection.commit()
        }
    }

    // MARK: Types

    private static let scalars: [ValueType] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128, .mixed,
        .typedLink,
    ]

    private func fillTypes(_ connection: Connection) throws {
        var columns = [ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)]
        for type in Self.scalars {
            let isIndexed = type.traits.indexKeyKind != nil
            columns.append(
                ColumnDefinition(name: "\(type)", type: type, isIndexed: isIndexed))
            columns.append(
                ColumnDefinition(
                    name: "\(type)?", type: type, isOptional: true, isIndexed: isIndexed))
            columns.append(ColumnDefinition(name: "\(type)s", type: type, collection: .list))
            columns.append(ColumnDefinition(name: "\(type) set", type: type, collection: .set))
            columns.append(
                ColumnDefinition(
                    name: "\(type) map", type: type, collection: .map, isOptional: true))
        }
        for (type, target) in [(ValueType.link, "Named"), (.embedded, "Part")] {
            columns.append(ColumnDefinition(name: "\(type)", type: type, linkTarget: target))
            for kind in [CollectionKind.list, .map] {
                columns.append(
                    ColumnDefinition(
                        name: "\(type) \(kind)", type: type, collection: kind, linkTarget: target))
            }
        }
        try connection.createTables([
            TableDefinition(name: "All", columns: columns),
            TableDefinition(
                name: "Named",
                columns: [
                    ColumnDefinition(
                        name: "name", type: .string, isOptional: true, isPrimaryKey: true)
                ]),
            TableDefinition(
                name: "Part",
                columns: [
                    ColumnDefinition(name: "id", type: .objectID),
                    ColumnDefinition(name: "inner", type: .embedded, linkTarget: "Part"),
                ], isEmbedded: true),
        ])
        let (all, named) = (connection.table(0), connection.table(1))
        for number in 0..<12 {
            try withText("name \(number)") { _ = try named.insert([number == 0 ? .null : $0]) }
        }
        for number in 0..<12 {
            let key = try all.insert([.integer(Int64(number * 7))])
            try ValueFiller(all, key, number).fill(named)
        }
    }

    // MARK: Trees

    private func fillTrees(_ connection: Connection) throws {
        try connection.createTables([
            TableDefinition(
                name: "Wide",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                    ColumnDefinition(name: "title", type: .string, isIndexed: true),
                    ColumnDefinition(
                        name: "text", type: .string, isOptional: true, isIndexed: true),
                    ColumnDefinition(name: "weight", type: .double),
                    ColumnDefinition(name: "hub", type: .link, linkTarget: "Hub"),
                    ColumnDefinition(name: "numbers", type: .int, collection: .list),
                    ColumnDefinition(name: "words", type: .string, collection: .set),
                    ColumnDefinition(name: "facts", type: .mixed, collection: .map),
                ]),
            TableDefinition(
                name: "Hub",
                columns: [ColumnDefinition(name: "name", type: .string, isPrimaryKey: true)]),
        ])
        let (wide, hub) = (connection.table(0), connection.table(1))
        for number in 0..<150 {
            try withText("hub with a name, number \(number)") { _ = try hub.insert([$0]) }
        }
        for number in 0..<600 {
            try withText("title \(number) \(String(repeating: "x", count: number % 60))") { title in
                let link: Scalar = number % 3 == 0 ? .null : .integer(Int64(number % 2))
                _ = try wide.insert([
                    .integer(Int64(number * number)), title, number % 2 == 0 ? .null : title,
                    .double(Double(number) / 3), link,
                ])
            }
        }
        for number in stride(from: 5, to: 600, by: 9) {
            try wide.delete(ObjectKey(rawValue: Int64(number)))
        }
        let owner = ObjectKey(rawValue: 0)
        let numbers = wide.list(5, of: owner)
        for number in 0..<5000 { try numbers.insert(.integer(Int64(number % 97)), at: number) }
        for number in 0..<400 {
            try withText("a word of some length, number \(number)") { word in
                _ = try wide.set(6, of: owner).insert(word)
                guard case .bytes(let key) = word else { return }
                try MixedValue.int(Int64(number)).withScalar {
                    try wide.map(7, of: owner).set($0, forKey: key)
                }
            }
        }
        // The first 256 bytes of these values are equal, so that the index has to look at the
        // objects.
        for position in 0..<3 {
            let long = [UInt8](repeating: 65, count: 9000 - position * 4000)
            let key = try wide.key(at: position)
            try long.withUnsafeBytes { try wide.set(2, of: key, to: .bytes($0)) }
        }
    }
}

extension Table {
    func insert(_ values: [Scalar]) throws -> ObjectKey {
        try values.withUnsafeBufferPointer { try insert($0) }
    }
}

/// Calls `body` with a text in the engine's form.
func withText<R>(_ text: String, _ body: (Scalar) throws -> R) rethrows -> R {
    var text = text
    return try text.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
}
