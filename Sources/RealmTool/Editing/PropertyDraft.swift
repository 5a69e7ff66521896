import StorageEngine
import ToolSupport

/// The value of a property as a text that somebody can change.
///
/// | value | text |
/// | --- | --- |
/// | string | itself |
/// | number, bool, date, UUID, object id | as CSV has it |
/// | data | hexadecimal digits |
/// | link | the primary key of the object; `#5`, its key, where the class has none |
/// | mixed value, embedded object, list, set, map | JSON, as `realm export` writes it |
public struct PropertyDraft: Encodable, Sendable {
    /// Nil for null, and for a value that is too long.
    public let text: String?
    /// The bytes of a value that is too long to be edited as a text.
    public let tooLong: Int?
    /// What the value is now, for ``ObjectEdit/seen``.
    public let fingerprint: String

    /// The longest text, in bytes.
    public static let longest = 1 << 18

    init(
        _ property: ObjectText.Property, of table: Table, at location: RowLocation,
        _ objects: ObjectText
    ) throws {
        fingerprint = try Fingerprint.of(property, of: table, at: location, objects)
        let output = ByteOutput()
        var isNull = false
        if property.definition.collection == .none {
            let value = try table.value(property.column, at: location)
            isNull = value.isNull
            try Self.append(value, property, objects, to: output)
        } else {
            try objects.append(property, of: table, at: location, to: output)
        }
        (text, tooLong) = Self.text(output, isNull: isNull)
    }

    /// The draft of an element of a list, set or map. Its fingerprint is that of the collection.
    init(
        elementAt position: Int, _ property: ObjectText.Property, of table: Table,
        at location: RowLocation, _ objects: ObjectText
    ) throws {
        fingerprint = try Fingerprint.of(property, of: table, at: location, objects)
        let output = ByteOutput()
        var isNull = false
        let elements = try Elements(
            property, of: table, table.key(at: location), having: position)
        try elements.forEach(in: position..<position + 1) { _, value in
            isNull = value.isNull
            try Self.append(value, property, objects, to: output)
        }
        (text, tooLong) = Self.text(output, isNull: isNull)
    }

    private static func text(_ output: ByteOutput, isNull: Bool) -> (String?, tooLong: Int?) {
        if isNull { return (nil, nil) }
        guard output.count <= longest else { return (nil, output.count) }
        return (String(decoding: output.bytes, as: UTF8.self), nil)
    }

    /// Appends a single value, or an element of a collection.
    private static func append(
        _ value: Scalar, _ property: ObjectText.Property, _ objects: ObjectText,
        to output: ByteOutput
    ) throws {
        switch property.definition.type {
        case .mixed, .embedded, .typedLink:
            try objects.append(value, property, to: output, depth: 0)
        case .data:
            if case .bytes(let bytes) = value { HexText.append(bytes, to: output) }
        case .link:
            guard case .integer(let key) = value else { return }
            if let (value, type) = try objects.primaryKey(ObjectKey(rawValue: key), property) {
                ScalarWriter.append(value, type, to: output)
            } else {
                output.append("#")
                output.append(decimal: key)
            }
        case .bool, .int, .float, .double, .string, .date, .uuid, .objectID, .decimal128:
            ScalarWriter.append(value, property.definition.type, to: output)
        }
    }
}

extension JSONNode {
    /// Reads the text of a draft.
    ///
    /// - Parameters:
    ///   - text: nil for null.
    ///   - isElement: whether the text is an element of the property's collection.
    init(
        draft text: String?, of property: ObjectText.Property, isElement: Bool,
        memory: RecordMemory
    ) throws {
        guard let text else {
            self.init(value: .null, offset: 0)
            return
        }
        let definition = property.definition
        if definition.collection != .none, !isElement {
            self = try Array(text.utf8).withUnsafeBytes { try JSONNode(json: $0, memory) }
            return
        }
        switch definition.type {
        case .mixed, .embedded, .typedLink:
            self = try Array(text.utf8).withUnsafeBytes { try JSONNode(json: $0, memory) }
        case .link where property.target?.primaryKey == nil:
            let digits = text.first == "#" ? text.dropFirst() : text[...]
            let key = JSONNode(value: .number(Array(digits.utf8)), offset: 0)
            self.init(
                value: .object([Member(name: Array("$key".utf8), value: key)]), offset: 0)
        case .data:
            guard let bytes = Array(text.utf8).withUnsafeBytes({ HexText.decode($0) }) else {
                throw DataProblem("Data is written as pairs of hexadecimal digits.", at: nil)
            }
            let base64 = ByteOutput()
            bytes.withUnsafeBytes { Base64Text.append($0, to: base64) }
            self.init(value: .string(base64.contents), offset: 0)
        case .bool, .int, .float, .double, .string, .date, .uuid, .objectID, .decimal128, .link:
            self.init(value: .field(Array(text.utf8)), offset: 0)
        }
    }

    /// Reads a value of JSON.
    init(json bytes: UnsafeRawBufferPointer, _ memory: RecordMemory) throws {
        var scanner = JSONScanner(bytes, memory: memory)
        self = try scanner.node()
        try scanner.requireEnd()
    }
}

extension InspectedVersion {
    /// The value of a property as a text that somebody can change, or the element at a position of
    /// its list, set or map.
    public func draft(
        of property: String, _ key: Int64, in className: String, at position: Int? = nil
    ) throws -> PropertyDraft {
        try read { connection in
            let (table, location, property) = try place(property, key, className, connection)
            let objects = ObjectText(connection)
            guard let position else {
                return try PropertyDraft(property, of: table, at: location, objects)
            }
            return try PropertyDraft(
                elementAt: position, property, of: table, at: location, objects)
        }
    }
}
