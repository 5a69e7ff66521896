import StorageEngine
import ToolSupport

/// Makes the objects of one class, each from the values of a record.
final class RowBuilder {
    /// What happens to an object whose primary key exists.
    enum Outcome {
        case inserted, updated, skipped
    }

    let table: Table
    let definition: TableDefinition
    /// The names of the properties as bytes.
    let names: [[UInt8]]
    /// The types of properties whose values are set with the row; nil for links, and for what is
    /// written once the object is there.
    let simpleTypes: [ValueType?]
    private let writer: NodeWriter
    private let primaryKey: Int?
    private let defaults: [Scalar]
    private let targets: [Table?]
    private let values: UnsafeMutableBufferPointer<Scalar>
    /// Whether properties may be null.
    let areOptional: [Bool]
    /// Whether properties hold integers of fewer bits than those of the file.
    private let areNarrow: [Bool]
    // Unchecked, because nothing that is called while one is accessed accesses it, too.
    @exclusivity(unchecked) private var isGiven: [Bool]
    /// The key that the object has in the file it was exported from.
    @exclusivity(unchecked) var exportedKey: Int64?
    /// What is written once the object is there.
    @exclusivity(unchecked) private var later: [(column: Int, node: JSONNode)] = []

    init(_ table: Table, _ writer: NodeWriter) throws {
        self.table = table
        self.writer = writer
        definition = table.definition
        guard !definition.isEmbedded else {
            throw ToolError(
                .usage,
                "Objects of '\(definition.name)' are embedded: they are imported with the objects "
                    + "that hold them.")
        }
        names = definition.columns.map { Array($0.name.utf8) }
        simpleTypes = definition.columns.map { $0.isInRow && $0.type != .link ? $0.type : nil }
        areOptional = definition.columns.map(\.isOptional)
        areNarrow = definition.columns.map(\.isNarrow)
        primaryKey = table.primaryKey
        defaults = definition.columns.map(\.defaultValue)
        targets = try definition.columns.indices.map {
            table.definition.columns[$0].type == .link ? try writer.target(table, $0) : nil
        }
        values = .allocate(capacity: defaults.count)
        _ = values.initialize(from: defaults)
        isGiven = Array(repeating: false, count: defaults.count)
    }

    deinit { values.deallocate() }

    func begin() {
        for column in defaults.indices {
            values[column] = defaults[column]
            isGiven[column] = false
        }
        if !later.isEmpty { later.removeAll(keepingCapacity: true) }
        exportedKey = nil
    }

    /// Gives a property the value of a text.
    @inline(__always)
    func set(_ column: Int, to token: ValueToken) throws {
        isGiven[column] = true
        if let type = simpleTypes[column] {
            values[column] = try ScalarReader.scalar(
                token, type, isOptional: areOptional[column], memory: writer.memory,
                place: place(column))
            if areNarrow[column] { try requireBits(column, at: token.offset) }
        } else if definition.columns[column].isInRow {
            try setLink(column, to: token)
        } else {
            try setComplex(column, to: token)
        }
    }

    /// Gives a property a value of its type. Its bytes must be valid until the object is stored.
    @inline(__always)
    func set(_ column: Int, to value: Scalar) throws {
        isGiven[column] = true
        values[column] = value
        if areNarrow[column] { try requireBits(column, at: nil) }
    }

    private func requireBits(_ column: Int, at offset: Int?) throws {
        try definition.columns[column].requireBits(of: values[column], at: offset) {
            place(column)
        }
    }

    private func place(_ column: Int) -> String {
        "\(definition.name).\(definition.columns[column].name)"
    }

    /// Whether the property was given a value already.
    func isGiven(_ column: Int) -> Bool { isGiven[column] }

    /// Gives a property the value of a node.
    func set(_ column: Int, to node: JSONNode) throws {
        isGiven[column] = true
        later.append((column, node))
    }

    private func setLink(_ column: Int, to token: ValueToken) throws {
        if token.kind == .null || token.kind == .emptyField { return }
        guard let target = targets[column] else { return }
        if target.primaryKey == nil, token.kind == .field {
            return try setComplex(column, to: token)
        }
        if let key = try writer.links.object(token, of: target) {
            values[column] = .integer(key.rawValue)
        } else {
            later.append((column, JSONNode(token)))
        }
    }

    /// Gives a property the value of a text with JSON.
    private func setComplex(_ column: Int, to token: ValueToken) throws {
        guard token.kind == .field else {
            later.append((column, JSONNode(token)))
            return
        }
        var scanner = JSONScanner(token.bytes, memory: writer.memory, of: token)
        do throws(DataProblem) {
            let node = try scanner.node()
            try scanner.requireEnd()
            later.append((column, node))
        } catch {
            throw DataProblem(
                "'\(place(column))' is JSON in a text. "
                    + error.message, at: error.offset)
        }
    }

    // MARK: Storing

    /// Stores the object. What refers to objects that do not exist yet is passed to `postpone`.
    func store(
        existing: ExistingPolicy, postpone: (Int, JSONNode, ObjectKey) -> Void
    ) throws -> Outcome {
        if let primaryKey, !isGiven[primaryKey] {
            throw DataProblem(
                "The primary key '\(place(primaryKey))' is missing.", at: nil)
        }
        let key: ObjectKey
        var isNew = true
        do throws(StorageError) {
            key = try table.insert(UnsafeBufferPointer(values))
        } catch {
            guard error.code == .duplicateKey, let present = try presentObject() else {
                throw error
            }
            switch existing {
            case .fail: throw duplicate
            case .skip:
                noteExportedKey(of: present)
                return .skipped
            case .update: break
            }
            key = present
            isNew = false
            try update(key)
        }
        noteExportedKey(of: key)
        for (column, node) in later {
            if try writer.isComplete(node, column, in: table) {
                try writer.write(node, column, of: key, in: table, isNew: isNew)
            } else {
                postpone(column, node, key)
            }
        }
        return isNew ? .inserted : .updated
    }

    private func noteExportedKey(of key: ObjectKey) {
        if let exportedKey { writer.links.add(key, of: table, exportedAs: exportedKey) }
    }

    private func presentObject() throws(StorageError) -> ObjectKey? {
        try primaryKey.flatMap { column throws(StorageError) in
            try table.find(primaryKey: values[column])
        }
    }

    private var duplicate: DataProblem {
        let text = ByteOutput()
        if let primaryKey {
            ScalarWriter.append(values[primaryKey], definition.columns[primaryKey].type, to: text)
        }
        return DataProblem(
            "An object of '\(definition.name)' with the primary key "
                + "'\(CellText.shown(text.bytes, cut: true))' exists." + writer.hints.existing,
            at: nil)
    }

    private func update(_ key: ObjectKey) throws {
        for column in definition.columns.indices
        where isGiven[column] && column != primaryKey && definition.columns[column].isInRow {
            try table.set(column, of: key, to: values[column])
        }
    }
}

/// What an import does with an object whose primary key exists.
enum ExistingPolicy: String, CaseIterable {
    case fail, update, skip
}
