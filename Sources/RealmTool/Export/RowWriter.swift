import ArgumentParser
import StorageEngine
import ToolSupport

/// The formats in which objects are written.
enum RowFormat: String, CaseIterable, ExpressibleByArgument {
    /// Aligned columns for people.
    case table
    case csv
    /// One JSON array.
    case json
    /// One JSON object a line.
    case jsonl
}

/// Writes objects one after another.
protocol RowWriter: AnyObject {
    /// Writes what stands before all objects.
    func begin() throws
    func append(_ location: RowLocation) throws
    /// Says that the next object comes after others, which another writer has written.
    func goOn()
    /// Writes what stands behind all objects.
    func end() throws
}

extension RowWriter {
    func goOn() {}
}

/// What a writer of rows writes: some properties of the objects of a table.
struct RowShape {
    let table: Table
    let properties: [ObjectText.Property]
    let objects: ObjectText
    /// Whether each object has its key, `$key`, by which objects without a primary key are linked.
    var hasKeys = false
    /// Whether each object has the name of its class, `$class`.
    var hasClass = false
}

// MARK: - CSV

/// Objects as comma-separated values (RFC 4180, with line feeds). Null is an empty field, an empty
/// text is `""`. What is no single value, and mixed values, are JSON in a field.
final class CSVWriter: RowWriter {
    /// What of a property decides how its values are written. Nothing in it is counted by
    /// reference, which would take as long as writing a value.
    private struct Field {
        let column: Int
        let type: ValueType
        let isCollection: Bool
    }

    private let shape: RowShape
    private let table: Table
    private let fields: [Field]
    private let output: ByteOutput
    private let delimiter: UInt8
    private let hasHeader: Bool
    private let scratch = ByteOutput()

    init(_ shape: RowShape, to output: ByteOutput, delimiter: UInt8, hasHeader: Bool) {
        self.shape = shape
        self.output = output
        self.delimiter = delimiter
        self.hasHeader = hasHeader
        table = shape.table
        fields = shape.properties.map {
            Field(
                column: $0.column, type: $0.definition.type,
                isCollection: $0.definition.collection != .none)
        }
    }

    func begin() throws {
        guard hasHeader else { return }
        var names = shape.properties.map(\.definition.name)
        if shape.hasKeys { names.insert("$key", at: 0) }
        for (position, name) in names.enumerated() {
            if position > 0 { output.append(delimiter) }
            Array(name.utf8).withUnsafeBytes { append(text: $0) }
        }
        output.append(UInt8(ascii: "\n"))
    }

    func append(_ location: RowLocation) throws {
        if shape.hasKeys {
            output.append(decimal: table.key(at: location).rawValue)
        }
        for index in fields.indices {
            if index > 0 || shape.hasKeys { output.append(delimiter) }
            try appendField(index, at: location)
        }
        output.append(UInt8(ascii: "\n"))
    }

    func end() throws { try output.check() }

    @inline(__always)
    private func appendField(_ index: Int, at location: RowLocation) throws {
        let field = fields[index]
        if field.isCollection { return try appendJSON(shape.properties[index], at: location) }
        let value = try table.value(field.column, at: location)
        if case .null = value { return }
        switch field.type {
        case .string: if case .bytes(let bytes) = value { append(text: bytes) }
        case .data:
            if case .bytes(let bytes) = value, bytes.isEmpty { return output.append("\"\"") }
            ScalarWriter.append(value, .data, to: output)
        case .link:
            guard case .integer(let key) = value else { return }
            try appendLink(ObjectKey(rawValue: key), shape.properties[index])
        case .mixed, .embedded, .typedLink: try appendJSON(shape.properties[index], at: location)
        case .bool, .int, .float, .double, .date, .uuid, .objectID, .decimal128:
            ScalarWriter.append(value, field.type, to: output)
        }
    }

    private func appendJSON(_ property: ObjectText.Property, at location: RowLocation) throws {
        scratch.clear()
        try shape.objects.append(property, of: shape.table, at: location, to: scratch)
        append(text: scratch.bytes)
    }

    private func appendLink(_ key: ObjectKey, _ property: ObjectText.Property) throws {
        switch try shape.objects.primaryKey(key, property) {
        case (.bytes(let bytes), _)?: append(text: bytes)
        case (let value, let type)?: ScalarWriter.append(value, type, to: output)
        case nil:
            scratch.clear()
            ObjectText.append(key, to: scratch)
            append(text: scratch.bytes)
        }
    }

    /// Appends a text, between quotes where it needs them.
    private func append(text bytes: UnsafeRawBufferPointer) {
        var needsQuotes = bytes.isEmpty
        for byte in bytes where byte <= UInt8(ascii: "\"") || byte == delimiter {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"), delimiter:
                needsQuotes = true
            default: break
            }
        }
        // A space at an end would be lost by readers that trim.
        guard needsQuotes || bytes.first == 0x20 || bytes.last == 0x20 else {
            return output.append(bytes)
        }
        output.append(UInt8(ascii: "\""))
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }
}

// MARK: - JSON

/// Objects as JSON, one on each line: as an array, or each for itself.
final class JSONWriter: RowWriter {
    private let shape: RowShape
    private let output: ByteOutput
    private let isArray: Bool
    private var isFirst = true

    init(_ shape: RowShape, to output: ByteOutput, isArray: Bool) {
        self.shape = shape
        self.output = output
        self.isArray = isArray
    }

    func begin() throws { if isArray { output.append(UInt8(ascii: "[")) } }

    func goOn() { isFirst = false }

    func append(_ location: RowLocation) throws {
        if isArray {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\n"))
        }
        isFirst = false
        output.append(UInt8(ascii: "{"))
        if shape.hasClass {
            output.append("\"$class\":")
            JSONText.append(string: shape.table.definition.name, to: output)
        }
        if shape.hasKeys {
            if shape.hasClass { output.append(UInt8(ascii: ",")) }
            output.append("\"$key\":")
            output.append(decimal: shape.table.key(at: location).rawValue)
        }
        if shape.hasClass || shape.hasKeys, !shape.properties.isEmpty {
            output.append(UInt8(ascii: ","))
        }
        try shape.objects.appendMembers(
            shape.properties, of: shape.table, at: location, to: output)
        output.append(UInt8(ascii: "}"))
        if !isArray { output.append(UInt8(ascii: "\n")) }
    }

    func end() throws {
        if isArray {
            if !isFirst { output.append(UInt8(ascii: "\n")) }
            output.append("]\n")
        }
        try output.check()
    }
}
