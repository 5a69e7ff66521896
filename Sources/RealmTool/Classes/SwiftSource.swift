import RealmSwift
import StorageEngine

/// The classes of a file as model classes in Swift.
struct SwiftSource {
    private let definitions: [TableDefinition]
    private let version: UInt64
    private let classNames: [String: String]

    /// - Parameter version: the schema version, with which the file must be opened.
    init(_ definitions: [TableDefinition], version: UInt64 = 0) {
        self.definitions = definitions
        self.version = version
        let names = definitions.map(\.name)
        classNames = Dictionary(
            uniqueKeysWithValues: zip(
                names, Self.identifiers(names, avoiding: Self.namesOfTypes)))
    }

    func text() -> String {
        let classes = definitions.map(source)
        var head = "import Foundation\nimport RealmSwift\n"
        if version > 0 {
            head +=
                "\n// The file is opened with this version or a higher one:\n"
                + "// Realm.Configuration(fileURL: url, schemaVersion: \(version))\n"
        }
        return ([head] + classes).joined(separator: "\n")
    }

    private func source(_ table: TableDefinition) -> String {
        let name = classNames[table.name] ?? table.name
        let base = table.isEmbedded ? "EmbeddedObject" : "Object"
        let columnNames = table.columns.map(\.name)
        let names = Self.memberNames(of: table)
        var lines = ["final class \(Self.escaped(name)): \(base) {"]
        for (column, name) in zip(table.columns, names) {
            let arguments =
                column.isPrimaryKey
                ? "(primaryKey: true)" : column.isIndexed ? "(indexed: true)" : ""
            lines.append(
                "    @Persisted\(arguments) var \(Self.escaped(name)): \(type(of: column))")
        }
        let renamed = zip(names, columnNames).filter { $0 != $1 }
        if !renamed.isEmpty {
            let pairs = renamed.map {
                "\(TypedSource.literal($0)): \(TypedSource.literal($1))"
            }
            lines += [
                "", "    override class func propertiesMapping() -> [String: String] {",
                "        [\(pairs.joined(separator: ", "))]", "    }",
            ]
        }
        if name != table.name {
            let stored = TypedSource.literal(table.name)
            lines += ["", "    override class func className() -> String { \(stored) }"]
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    private func type(of column: ColumnDefinition) -> String {
        let target = column.linkTarget.map { Self.escaped(classNames[$0] ?? $0) }
        let element = target ?? Self.swiftType(column.type)
        let mayBeNull =
            target == nil
            ? column.isOptional && column.type != .mixed
            : column.collection == .none || column.collection == .map
        let value = mayBeNull ? element + "?" : element
        switch column.collection {
        case .none: return value
        case .list: return "List<\(value)>"
        case .set: return "MutableSet<\(value)>"
        case .map: return "Map<String, \(value)>"
        }
    }

    private static func swiftType(_ type: ValueType) -> String {
        switch type {
        case .bool: "Bool"
        case .int: "Int"
        case .float: "Float"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .objectID: "ObjectId"
        case .decimal128: "Decimal128"
        case .mixed, .typedLink: "AnyRealmValue"
        case .link, .embedded: "Object"
        }
    }

    // MARK: Names

    /// The name in Swift of a class.
    func className(_ stored: String) -> String { Self.escaped(classNames[stored] ?? stored) }

    /// The name in Swift of a property, as it stands behind a dot.
    func memberName(_ property: String, of stored: String) -> String {
        guard let table = definitions.first(where: { $0.name == stored }),
            let index = table.columns.firstIndex(where: { $0.name == property })
        else { return property }
        return Self.memberNames(of: table)[index]
    }

    private static func memberNames(of table: TableDefinition) -> [String] {
        identifiers(table.columns.map(\.name), avoiding: namesOfMembers)
    }

    /// Returns distinct identifiers that are as close to the names as Swift allows.
    private static func identifiers(_ names: [String], avoiding taken: Set<String>) -> [String] {
        var used = taken.union(names.filter { isIdentifier($0) && !taken.contains($0) })
        return names.map { name in
            if isIdentifier(name), !taken.contains(name) { return name }
            let base = identifier(name)
            var candidate = base
            var number = 2
            while used.contains(candidate) {
                candidate = "\(base)\(number)"
                number += 1
            }
            used.insert(candidate)
            return candidate
        }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        !name.isEmpty && identifier(name) == name
    }

    private static func identifier(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isLetter = scalar == "_" || scalar.properties.isXIDStart
            if !isLetter, text.isEmpty, scalar.properties.isXIDContinue { text = "_" }
            text.unicodeScalars.append(
                isLetter || scalar.properties.isXIDContinue ? scalar : "_")
        }
        return text.isEmpty || text == "_" ? "unnamed" : text
    }

    private static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// Names that mean something else inside a model class.
    private static let namesOfMembers: Set<String> = [
        "self", "Self", "init", "Type", "Protocol", "description", "debugDescription", "hash",
        "hashValue", "realm", "isInvalidated", "isFrozen", "objectSchema", "className",
    ]
    private static let namesOfTypes: Set<String> = [
        "Self", "Type", "Protocol", "Any", "Object", "EmbeddedObject", "List", "Map",
        "MutableSet", "Realm", "Bool", "Int", "Float", "Double", "String", "Data", "Date", "UUID",
        "ObjectId", "Decimal128", "AnyRealmValue", "Persisted",
    ]
    private static let keywords: Set<String> = [
        "associatedtype", "as", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
        "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]
}
