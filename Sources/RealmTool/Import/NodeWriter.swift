import StorageEngine
import ToolSupport

/// Writes what is not in the row of an object when that is inserted: links to objects that may come
/// later, collections, embedded objects and mixed values.
final class NodeWriter {
    let links: LinkTargets
    private let connection: Connection
    let memory: RecordMemory
    /// Whether links that lead nowhere are left out: null, or no element of a list or set.
    var leavesOutMissingLinks = false
    var hints = ImportHints()

    init(_ connection: Connection, memory: RecordMemory) {
        self.connection = connection
        self.memory = memory
        links = LinkTargets(connection, memory: memory)
    }

    func place(_ table: Table, _ column: Int) -> String {
        "\(table.definition.name).\(table.definition.columns[column].name)"
    }

    func target(_ table: Table, _ column: Int) throws -> Table {
        let definition = table.definition.columns[column]
        guard let name = definition.linkTarget, let target = try connection.table(named: name)
        else {
            throw ToolError(.damaged, "'\(place(table, column))' leads to no class.")
        }
        return target
    }

    // MARK: Links that lead nowhere yet

    /// Whether all links in a value lead to objects that exist.
    func isComplete(_ node: JSONNode, _ column: Int, in table: Table) throws -> Bool {
        let definition = table.definition.columns[column]
        guard definition.type.traits.reference != .none else { return true }
        switch (definition.collection, node.value) {
        case (_, .null): return true
        case (.list, .array(let elements)), (.set, .array(let elements)):
            return try elements.allSatisfy { try isComplete(element: $0, column, in: table) }
        case (.map, .object(let members)):
            return try members.allSatisfy {
                try isComplete(element: $0.value, column, in: table)
            }
        default: return try isComplete(element: node, column, in: table)
        }
    }

    private func isComplete(element node: JSONNode, _ column: Int, in table: Table) throws -> Bool {
        if case .null = node.value { return true }
        switch table.definition.columns[column].type {
        case .link: return try links.object(node, of: target(table, column)) != nil
        case .mixed, .typedLink: return try isComplete(mixed: node)
        case .embedded:
            guard case .object(let members) = node.value else { return true }
            let target = try target(table, column)
            return try members.allSatisfy { member in
                let name = String(decoding: member.name, as: UTF8.self)
                let columns = target.definition.columns
                guard let position = columns.firstIndex(where: { $0.name == name }) else {
                    return true
                }
                return try isComplete(member.value, position, in: target)
            }
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128:
            return true
        }
    }

    private func isComplete(mixed node: JSONNode) throws -> Bool {
        if let link = node.only("$link") { return try links.typedLink(link) != nil }
        switch node.value {
        case .array(let elements): return try elements.allSatisfy { try isComplete(mixed: $0) }
        case .object(let members):
            return try members.allSatisfy { try isComplete(mixed: $0.value) }
        default: return true
        }
    }

    // MARK: Properties

    /// Sets a property of an object.
    ///
    /// - Parameter isNew: whether the property has its default, so that nothing is to be removed.
    func write(
        _ node: JSONNode, _ column: Int, of key: ObjectKey, in table: Table, isNew: Bool
    ) throws {
        let definition = table.definition.columns[column]
        switch definition.collection {
        case .none: try writeSingle(node, column, of: key, in: table, isNew: isNew)
        case .list:
            let list = table.list(column, of: key)
            if !isNew { try list.removeAll() }
            for element in try elements(node, column, in: table) {
                try append(element, to: list, column, in: table)
            }
        case .set:
            let set = table.set(column, of: key)
            if !isNew { try set.removeAll() }
            for element in try elements(node, column, in: table) {
                if let value = try value(element, column, in: table) { try set.insert(value) }
            }
        case .map:
            let map = table.map(column, of: key)
            if !isNew { try map.removeAll() }
            for member in try members(node, column, in: table) {
                try set(member, in: map, column, in: table)
            }
        }
    }

    private func writeSingle(
        _ node: JSONNode, _ column: Int, of key: ObjectKey, in table: Table, isNew: Bool
    ) throws {
        switch table.definition.columns[column].type {
        case .embedded:
            if case .null = node.value {
                if !isNew { try table.set(column, of: key, to: .null) }
                return
            }
            try makeEmbedded(node, column, in: table) {
                try table.createEmbedded(column, of: key, with: $0)
            }
        case .mixed:
            switch try mixed(node) {
            case .value(let value): try table.set(column, of: key, to: value)
            case .list(let elements):
                try table.setEmpty(.list, column, of: key)
                guard let list = try table.nestedList(column, of: key) else { return }
                for element in elements { try append(mixed: element, to: list) }
            case .map(let members):
                try table.setEmpty(.map, column, of: key)
                guard let map = try table.nestedMap(column, of: key) else { return }
                for member in members { try set(mixed: member, in: map) }
            }
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128,
            .link, .typedLink:
            try table.set(column, of: key, to: value(node, column, in: table) ?? .null)
        }
    }

    private func elements(
        _ node: JSONNode, _ column: Int, in table: Table
    ) throws -> [JSONNode] {
        switch node.value {
        case .array(let elements): return elements
        case .null: return []
        default:
            throw DataProblem(
                "'\(place(table, column))' holds a list. A list stands between [ and ].",
                at: node.offset)
        }
    }

    private func members(
        _ node: JSONNode, _ column: Int, in table: Table
    ) throws -> [JSONNode.Member] {
        switch node.value {
        case .object(let members): return members
        case .null: return []
        default:
            throw DataProblem(
                "'\(place(table, column))' holds a map. A map stands between { and }.",
                at: node.offset)
        }
    }

    // MARK: Elements

    func append(
        _ node: JSONNode, to list: ListHandle, _ column: Int, in table: Table
    ) throws {
        switch table.definition.columns[column].type {
        case .embedded:
            try makeEmbedded(node, column, in: table) {
                try list.insertEmbedded($0, at: list.count())
            }
        case .mixed: try append(mixed: node, to: list)
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128,
            .link, .typedLink:
            if let value = try value(node, column, in: table) { try list.append(value) }
        }
    }

    /// Replaces the element at a position of a list.
    func replace(
        _ position: Int, of list: ListHandle, by node: JSONNode, _ column: Int, in table: Table
    ) throws {
        switch table.definition.columns[column].type {
        case .embedded:
            try makeEmbedded(node, column, in: table) { try list.setEmbedded($0, at: position) }
        case .mixed: try replace(position, of: list, byMixed: node)
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128,
            .link, .typedLink:
            if let value = try value(node, column, in: table) { try list.set(value, at: position) }
        }
    }

    /// Sets the value of a key, which is added if the map lacks it.
    func set(
        _ member: JSONNode.Member, in map: MapHandle, _ column: Int, in table: Table
    ) throws {
        let type = table.definition.columns[column].type
        if type == .mixed { return try set(mixed: member, in: map) }
        let name = memory.copy(member.name)
        if type == .embedded, case .object = member.value.value {
            return try makeEmbedded(member.value, column, in: table) {
                try map.setEmbedded($0, forKey: name)
            }
        }
        try map.set(value(member.value, column, in: table) ?? .null, forKey: name)
    }

    /// Returns a value that is neither an embedded object nor mixed; nil for a link that leads
    /// nowhere, which is to be left out.
    func value(_ node: JSONNode, _ column: Int, in table: Table) throws -> Scalar? {
        let definition = table.definition.columns[column]
        switch definition.type {
        case .link:
            let isElement = definition.collection == .list || definition.collection == .set
            if case .null = node.value, !isElement { return .null }
            if let object = try links.object(node, of: target(table, column)) {
                return .integer(object.rawValue)
            }
            if leavesOutMissingLinks { return nil }
            throw DataProblem(
                "The link '\(place(table, column))' leads to \(shown(node)), which is no object "
                    + "of '\(definition.linkTarget ?? "")'." + hints.missingLinks, at: node.offset)
        case .mixed:
            guard case .value(let value) = try mixed(node) else {
                throw DataProblem(
                    "'\(place(table, column))' cannot hold lists and maps.", at: node.offset)
            }
            return value
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128,
            .embedded, .typedLink:
            let value = try node.withToken { token throws(DataProblem) in
                kept(
                    try ScalarReader.scalar(
                        token, definition.type, isOptional: definition.isOptional, memory: memory,
                        place: place(table, column)))
            }
            if let value {
                try definition.requireBits(of: value, at: node.offset) { place(table, column) }
                return value
            }
            throw DataProblem(
                "'\(place(table, column))' holds \(ScalarReader.noun(definition.type)), not a list "
                    + "or an object.", at: node.offset)
        }
    }

    private func shown(_ node: JSONNode) -> String {
        node.withToken(\.shown) ?? "an object that was not imported"
    }

    /// The value with its bytes in memory that lives as long as the record.
    private func kept(_ value: Scalar) -> Scalar {
        guard case .bytes(let bytes) = value else { return value }
        return .bytes(memory.copy(bytes))
    }

    // MARK: Embedded objects

    private func makeEmbedded(
        _ node: JSONNode, _ column: Int, in table: Table,
        _ make: (UnsafeBufferPointer<Scalar>) throws -> ObjectKey
    ) throws {
        guard case .object(let members) = node.value else {
            throw DataProblem(
                "'\(place(table, column))' holds embedded objects. An object stands between { "
                    + "and }.", at: node.offset)
        }
        let target = try target(table, column)
        let definition = target.definition
        var values = definition.columns.map(\.defaultValue)
        var later: [(column: Int, node: JSONNode)] = []
        for member in members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard let position = definition.columns.firstIndex(where: { $0.name == name }) else {
                throw DataProblem(
                    NameSuggestion.message(
                        kind: "property of '\(definition.name)'", name: name,
                        among: definition.columns.map(\.name)), at: member.value.offset)
            }
            if definition.columns[position].isInRow {
                if let value = try value(member.value, position, in: target) {
                    values[position] = value
                }
            } else {
                later.append((position, member.value))
            }
        }
        let key = try values.withUnsafeBufferPointer { try make($0) }
        for (column, node) in later {
            try write(node, column, of: key, in: target, isNew: true)
        }
    }
}

extension ColumnDefinition {
    /// Whether the value is given with the row that is inserted.
    var isInRow: Bool {
        collection == .none && type != .embedded && type != .mixed && type != .typedLink
    }

    /// The value of an object that none is given for.
    var defaultValue: Scalar {
        if collection != .none || isOptional || type.traits.reference != .none { return .null }
        switch type.traits.columnKind {
        case .integer: return .integer(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .bytes: return .bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        case .fixed16: return .fixed16(0, 0)
        case .fixed12: return .fixed12(0, 0)
        }
    }
}
