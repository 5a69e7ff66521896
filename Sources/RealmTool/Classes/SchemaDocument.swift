import Foundation
import StorageEngine
import ToolSupport

/// The classes of a file as JSON, which `realm schema` writes and `realm import` reads.
struct SchemaDocument: Codable, Equatable {
    struct Class: Codable, Equatable {
        var name: String
        var embedded: Bool?
        var properties: [Property]
    }

    struct Property: Codable, Equatable {
        var name: String
        var type: String
        /// `list`, `set` or `map`; nil for a single value.
        var collection: String?
        var optional: Bool?
        var primaryKey: Bool?
        var indexed: Bool?
        /// The class of linked or embedded objects.
        var target: String?

        static let memberNames = [
            "name", "type", "collection", "optional", "primaryKey", "indexed", "target",
        ]
    }

    /// The version of the schema; nil in a file that RealmSwift has not opened yet.
    var version: UInt64?
    var classes: [Class]

    init(version: UInt64?, _ definitions: [TableDefinition]) {
        self.version = version
        classes = definitions.map { table in
            Class(
                name: table.name, embedded: table.isEmbedded ? true : nil,
                properties: table.columns.map(Property.init))
        }
    }

    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// Reads a document that a user names.
    static func read(_ path: String) throws -> SchemaDocument {
        guard let bytes = InputBuffer.contents(of: path) else {
            throw ToolError(.usage, "The schema '\(path)' cannot be read.")
        }
        do {
            let document = try JSONDecoder().decode(Self.self, from: Data(bytes))
            try requireKnownNames(in: JSONSerialization.jsonObject(with: Data(bytes)), path)
            return document
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError(
                .badData,
                "'\(path)' is no schema as 'realm schema --format json' writes it: "
                    + "\(Self.reason(error)).")
        }
    }

    private typealias Members = [String: Any]

    /// Throws for a name that means nothing: a misspelt `primaryKey` would make a class without a
    /// key.
    private static func requireKnownNames(in document: Any, _ path: String) throws(ToolError) {
        func members(
            _ value: Any, _ known: [String], _ place: String
        ) throws(ToolError) -> Members {
            let members = value as? Members ?? [:]
            for name in members.keys.sorted() where !known.contains(name) {
                throw ToolError(
                    .badData,
                    "'\(path)' has '\(name)' in \(place). "
                        + NameSuggestion.hint(for: name, among: known))
            }
            return members
        }
        let all = try members(document, ["version", "classes"], "the schema")
        for schemaClass in all["classes"] as? [Any] ?? [] {
            let name = (schemaClass as? Members)?["name"] as? String ?? ""
            let parts = try members(
                schemaClass, ["name", "embedded", "properties"], "the class '\(name)'")
            for property in parts["properties"] as? [Any] ?? [] {
                _ = try members(property, Property.memberNames, "a property of '\(name)'")
            }
        }
    }

    private static func reason(_ error: any Error) -> String {
        func place(_ context: DecodingError.Context) -> String {
            context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
                .joined(separator: ".")
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context)?:
            return "'\(key.stringValue)' is missing at '\(place(context))'"
        case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?:
            return "a value of another type is expected at '\(place(context))'"
        default: return "it is not JSON"
        }
    }

    /// The classes as the engine takes them.
    func definitions() throws(ToolError) -> [TableDefinition] {
        try classes.map { schemaClass throws(ToolError) in
            TableDefinition(
                name: schemaClass.name,
                columns: try schemaClass.properties.map { property throws(ToolError) in
                    try property.definition(of: schemaClass.name)
                },
                isEmbedded: schemaClass.embedded ?? false)
        }
    }
}

extension SchemaDocument.Property {
    init(_ column: ColumnDefinition) {
        name = column.name
        type = TypeName.name(of: column.type)
        switch column.collection {
        case .none: collection = nil
        case .list: collection = "list"
        case .set: collection = "set"
        case .map: collection = "map"
        }
        optional = column.isOptional ? true : nil
        primaryKey = column.isPrimaryKey ? true : nil
        indexed = column.isIndexed && !column.isPrimaryKey ? true : nil
        target = column.linkTarget
    }

    fileprivate func definition(of className: String) throws(ToolError) -> ColumnDefinition {
        guard let valueType = TypeName.type(named: type) else {
            throw ToolError(
                .badData,
                "'\(className).\(name)': "
                    + NameSuggestion.message(kind: "type", name: type, among: TypeName.all))
        }
        let kinds: [String?: CollectionKind] = [
            nil: .none, "list": .list, "set": .set, "map": .map,
        ]
        guard let kind = kinds[collection] else {
            throw ToolError(
                .badData,
                "'\(className).\(name)': "
                    + NameSuggestion.message(
                        kind: "collection", name: collection ?? "",
                        among: ["list", "set", "map"]))
        }
        let isKey = primaryKey ?? false
        return ColumnDefinition(
            name: name, type: valueType, collection: kind, isOptional: optional ?? false,
            isPrimaryKey: isKey, isIndexed: isKey || indexed ?? false, linkTarget: target)
    }
}
