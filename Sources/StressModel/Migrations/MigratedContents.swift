import StorageEngine

/// The contents of a file as lines of text, with which those of a model are compared.
package enum MigratedContents {
    static func line(of definition: TableDefinition) -> String {
        let columns = definition.columns.sorted { $0.name < $1.name }.map { column in
            let parts = [
                "\(column.name): \(column.type)\(column.isOptional ? "?" : "")",
                column.collection == .none ? nil : "\(column.collection)",
                column.linkTarget.map { "of \($0)" },
                column.isPrimaryKey ? "key" : column.isIndexed ? "indexed" : nil,
            ]
            return parts.compactMap { $0 }.joined(separator: " ")
        }
        return "\(definition.isEmbedded ? "embedded" : "class") \(definition.name): "
            + columns.joined(separator: ", ")
    }

    static func line(of name: String, _ values: [(name: String, text: String)]) -> String {
        "\(name) " + values.map { "\($0.name)=\($0.text)" }.joined(separator: " ")
    }

    /// Returns the lines of a file, without the classes that are none of a plan.
    package static func lines(of connection: Connection) throws -> [String] {
        var lines: [String] = []
        let definitions = try connection.tableDefinitions()
            .filter { $0.name != StressSchema.bystander }
        for definition in definitions.sorted(by: { $0.name < $1.name }) {
            lines.append(line(of: definition))
            guard let table = try connection.table(named: definition.name) else { continue }
            lines += try objects(of: table, definition, connection).sorted()
        }
        return lines
    }

    private static func objects(
        of table: Table, _ definition: TableDefinition, _ connection: Connection
    ) throws -> [String] {
        let columns = definition.columns.indices.sorted {
            definition.columns[$0].name < definition.columns[$1].name
        }
        return try (0..<table.count()).map { position in
            let key = try table.key(at: position)
            let values = try columns.map { index in
                let column = definition.columns[index]
                return (column.name, try text(of: table, index, column, key, connection))
            }
            return line(of: definition.name, values)
        }
    }

    private static func text(
        of table: Table, _ index: Int, _ column: ColumnDefinition, _ key: ObjectKey,
        _ connection: Connection
    ) throws -> String {
        var elements: [String] = []
        switch column.collection {
        case .none: return try text(of: table.value(index, of: key), column, connection)
        case .list:
            let list = table.list(index, of: key)
            for place in 0..<(try list.count()) {
                elements.append(try text(of: list.value(at: place), column, connection))
            }
        case .set:
            let set = table.set(index, of: key)
            for place in 0..<(try set.count()) {
                elements.append(try text(of: set.value(at: place), column, connection))
            }
        case .map:
            let map = table.map(index, of: key)
            for place in 0..<(try map.count()) {
                let (key, value) = try map.entry(at: place)
                let name = String(decoding: key, as: UTF8.self)
                elements.append("\(name): \(try text(of: value, column, connection))")
            }
        }
        return MigratedValue.text(of: elements, in: column)
    }

    private static func text(
        of scalar: Scalar, _ column: ColumnDefinition, _ connection: Connection
    ) throws -> String {
        if case .integer(let key) = scalar, let target = column.linkTarget {
            guard let table = try connection.table(named: target),
                let tag = table.definition.columns.firstIndex(where: {
                    $0.name == ColumnDefinition.tag
                })
            else { return "#nowhere" }
            return try "#" + MigratedValue.text(of: table.value(tag, of: ObjectKey(rawValue: key)))
        }
        return column.type == .mixed ? mixed(scalar) : MigratedValue.text(of: scalar)
    }

    private static func mixed(_ scalar: Scalar) -> String {
        func text(_ scalar: Scalar, _ type: ValueType) -> String {
            "\(type) \(MigratedValue.text(of: scalar))"
        }
        switch MixedValue(scalar) {
        case .int(let value): return text(.integer(value), .int)
        case .string(let bytes): return text(.bytes(bytes), .string)
        case .date(let value): return text(.double(value), .date)
        case .uuid(let first, let second): return text(.fixed16(first, second), .uuid)
        case .null: return "nil"
        // The model has no others.
        case nil, .bool, .float, .double, .data, .objectID, .decimal128, .link, .list, .map:
            return "another"
        }
    }
}
