import StorageEngine
import ToolSupport

/// The objects to which imported links lead.
///
/// A link names the primary key of its object, or, where the class has none, the key that the
/// object has in the exported file (`$key`).
final class LinkTargets {
    private let connection: Connection
    private let memory: RecordMemory
    /// The imported objects by table and by their keys in the exported file.
    private var imported: [Int: [Int64: ObjectKey]] = [:]
    /// Whether `$key` is also the key of an object of this file.
    var knowsOwnKeys = false

    init(_ connection: Connection, memory: RecordMemory) {
        self.connection = connection
        self.memory = memory
    }

    func add(_ object: ObjectKey, of table: Table, exportedAs key: Int64) {
        imported[table.number, default: [:]][key] = object
    }

    /// Returns the object with a primary key; nil if there is none yet.
    func object(_ token: ValueToken, of target: Table) throws -> ObjectKey? {
        guard let column = target.primaryKey else {
            throw DataProblem(
                "\(token.shown) is no link: '\(target.definition.name)' has no primary key, so "
                    + "its objects are named {\"$key\": 5}.", at: token.offset)
        }
        let key = target.definition.columns[column]
        let value = try ScalarReader.scalar(
            token, key.type, isOptional: false, memory: memory,
            place: "\(target.definition.name).\(key.name)")
        return try target.find(primaryKey: value)
    }

    /// Returns the object that a node names; nil if there is none yet.
    func object(_ node: JSONNode, of target: Table) throws -> ObjectKey? {
        if let key = node.only("$key") { return try object(exportedAs: key, of: target) }
        let found = try node.withToken { try object($0, of: target) }
        guard let found else {
            throw DataProblem(
                "A link to '\(target.definition.name)' is a primary key, not a list or an object.",
                at: node.offset)
        }
        return found
    }

    private func object(exportedAs key: JSONNode, of target: Table) throws -> ObjectKey? {
        guard case .number(let digits) = key.value,
            let number = digits.withUnsafeBytes({ NumberText.integer($0) })
        else { throw DataProblem("'$key' is an integer.", at: key.offset) }
        if let known = imported[target.number]?[number] { return known }
        let key = ObjectKey(rawValue: number)
        return try knowsOwnKeys && target.contains(key) ? key : nil
    }

    /// Returns the object that the value of `$link` names; nil if there is none yet.
    func typedLink(_ node: JSONNode) throws -> TypedLink? {
        guard case .object(let members) = node.value,
            let className = members.first(where: { $0.name.elementsEqual("class".utf8) }),
            case .string(let name) = className.value.value,
            let other = members.first(where: { !$0.name.elementsEqual("class".utf8) }),
            members.count == 2
        else {
            throw DataProblem(
                "'$link' is an object such as {\"class\": \"Dog\", \"id\": 5}.", at: node.offset)
        }
        let text = String(decoding: name, as: UTF8.self)
        guard let target = try connection.table(named: text) else {
            throw DataProblem(
                NameSuggestion.message(
                    kind: "class", name: text,
                    among: try connection.tableDefinitions().map(\.name)), at: node.offset)
        }
        let key =
            other.name.elementsEqual("key".utf8)
            ? try object(exportedAs: other.value, of: target)
            : try object(other.value, of: target)
        return key.map { TypedLink(table: target.number, key: $0) }
    }
}
