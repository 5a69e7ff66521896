import StorageEngine
import ToolSupport

/// Values as JSON for the cells of a table, each short, however long the value is.
///
/// | value | JSON |
/// | --- | --- |
/// | null, bool | `null`, `true`, `false` |
/// | number, date, UUID, object id | a string, as CSV has it: 64 bits do not fit a page's numbers |
/// | string | a string; `{"text": …, "bytes": 70000}` where it is cut |
/// | data | `{"hex": …, "bytes": 70000}` |
/// | link | `{"link": "5", "class": "Dog", "label": "5 Rex"}` |
/// | embedded object | `{"embedded": "5", "class": "Address", "label": "{…}"}` |
/// | list, set, map | `{"count": 3, "label": "[1, 2, 3]"}` |
/// | mixed value | `{"type": "int", "value": …}`, with what the value is by itself |
final class CellWriter {
    private let objects: ObjectText
    /// The properties of the classes that links and embedded objects lead to, by table.
    private var properties: [Int: [ObjectText.Property]] = [:]

    /// The longest text of a cell, in bytes.
    static let longestText = 240
    /// The longest description of a collection or an object, in bytes. Elements begin before.
    private static let longestLabel = 96
    private static let longestData = 32
    /// How deep descriptions look into objects and collections.
    private static let deepest = 3

    init(_ objects: ObjectText) { self.objects = objects }

    private func properties(of table: Table) throws -> [ObjectText.Property] {
        if let known = properties[table.number] { return known }
        let found = try objects.properties(of: table)
        properties[table.number] = found
        return found
    }

    // MARK: Objects

    /// Appends an object: `{"key": "5", "cells": […]}`.
    func append(object location: RowLocation, of table: Table, to output: ByteOutput) throws {
        output.append("{\"key\":\"")
        output.append(decimal: table.key(at: location).rawValue)
        output.append("\",\"cells\":[")
        for property in try properties(of: table) {
            output.separate()
            try append(property, of: table, at: location, to: output)
        }
        output.append("]}")
    }

    private func append(
        _ property: ObjectText.Property, of table: Table, at location: RowLocation,
        to output: ByteOutput
    ) throws {
        guard property.definition.collection != .none else {
            let value = try table.value(property.column, at: location)
            return try append(value, property, to: output)
        }
        let elements = Elements(property, of: table, table.key(at: location))
        output.append("{")
        output.member("count", try elements.count())
        output.member("label")
        let label = ByteOutput()
        try describe(elements, to: label, depth: 0)
        append(text: label.bytes, to: output)
        output.append("}")
    }

    /// Appends a single value or an element of a collection.
    func append(
        _ value: Scalar, _ property: ObjectText.Property, to output: ByteOutput
    ) throws {
        if value.isNull { return output.append("null") }
        switch property.definition.type {
        case .mixed, .typedLink: try append(try mixed(value, property), to: output)
        case .link, .embedded:
            guard case .integer(let key) = value, let target = property.target else {
                return output.append("null")
            }
            try appendLink(to: ObjectKey(rawValue: key), of: target, to: output)
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128:
            append(plain: value, property.definition.type, to: output)
        }
    }

    private func append(plain value: Scalar, _ type: ValueType, to output: ByteOutput) {
        if case .bytes(let bytes) = value {
            return type == .data
                ? append(data: bytes, to: output) : append(string: bytes, to: output)
        }
        if type == .bool { return ScalarWriter.append(value, type, to: output) }
        output.append(UInt8(ascii: "\""))
        ScalarWriter.append(value, type, to: output)
        output.append(UInt8(ascii: "\""))
    }

    private func append(string bytes: UnsafeRawBufferPointer, to output: ByteOutput) {
        if bytes.count <= Self.longestText { return JSONText.append(string: bytes, to: output) }
        output.append("{")
        output.member("text")
        append(text: bytes, limit: Self.longestText, to: output)
        output.member("bytes", bytes.count)
        output.append("}")
    }

    private func append(data bytes: UnsafeRawBufferPointer, to output: ByteOutput) {
        output.append("{")
        output.member("hex")
        output.append(UInt8(ascii: "\""))
        HexText.append(bytes.prefix(Self.longestData), to: output)
        output.append(UInt8(ascii: "\""))
        output.member("bytes", bytes.count)
        output.append("}")
    }

    private func mixed(
        _ value: Scalar, _ property: ObjectText.Property
    ) throws -> MixedValue {
        guard let mixed = MixedValue(value, storedAs: property.definition.type) else {
            throw ToolError(.damaged, "A mixed value cannot be read. The file is damaged.")
        }
        return mixed
    }

    private func append(_ value: MixedValue, to output: ByteOutput) throws {
        output.append("{")
        output.member("type")
        switch value {
        case .list: output.append("\"list\"")
        case .map: output.append("\"map\"")
        default: output.append(json: value.type.map(TypeName.name(of:)))
        }
        output.member("value")
        switch value {
        case .null: output.append("null")
        case .link(let link):
            guard let target = try objects.connection.table(number: link.table) else {
                throw ToolError(.damaged, "A link leads to no class. The file is damaged.")
            }
            try appendLink(to: link.key, of: target, to: output)
        case .list, .map:
            output.append("{")
            output.member("count", try objects.connection.elementCount(of: value))
            output.member("label")
            let label = ByteOutput()
            try describe(value, to: label, depth: 0)
            append(text: label.bytes, to: output)
            output.append("}")
        default:
            if let type = value.type { append(plain: value.plainScalar, type, to: output) }
        }
        output.append("}")
    }

    // MARK: Links

    private func appendLink(
        to key: ObjectKey, of target: Table, to output: ByteOutput
    ) throws {
        let isEmbedded = target.definition.isEmbedded
        output.append("{")
        if isEmbedded { output.member("embedded") } else { output.member("link") }
        output.append("\"")
        output.append(decimal: key.rawValue)
        output.append("\"")
        output.member("class", target.definition.name)
        output.member("label")
        let label = ByteOutput()
        if isEmbedded {
            try describe(object: key, of: target, to: label, depth: 0)
        } else {
            try name(key, of: target, to: label)
        }
        append(text: label.bytes, to: output)
        output.append("}")
    }

    /// Appends what people know an object by: its primary key, and its first text.
    private func name(_ key: ObjectKey, of table: Table, to output: ByteOutput) throws {
        guard let location = try table.location(of: key) else { return }
        let columns = table.definition.columns
        if let column = table.primaryKey {
            append(
                short: try table.value(column, at: location), columns[column].type, to: output)
        } else {
            output.append("#")
            output.append(decimal: key.rawValue)
        }
        let text = columns.firstIndex {
            $0.type == .string && $0.collection == .none && !$0.isPrimaryKey
        }
        guard let text, case let value = try table.value(text, at: location), !value.isNull
        else { return }
        output.append(" ")
        append(short: value, .string, to: output)
    }

    // MARK: Descriptions

    private func append(short value: Scalar, _ type: ValueType, to output: ByteOutput) {
        switch value {
        case .null: output.append("null")
        case .bytes(let bytes) where type == .data:
            HexText.append(bytes.prefix(Self.longestData / 4), to: output)
        case .bytes(let bytes):
            output.append(Self.prefix(bytes, Self.longestLabel / 2))
        default: ScalarWriter.append(value, type, to: output)
        }
    }

    private func describe(
        _ value: Scalar, _ property: ObjectText.Property, to output: ByteOutput, depth: Int
    ) throws {
        if value.isNull { return output.append("null") }
        switch property.definition.type {
        case .mixed, .typedLink:
            try describe(try mixed(value, property), to: output, depth: depth)
        case .link, .embedded:
            guard case .integer(let number) = value, let target = property.target else { return }
            let key = ObjectKey(rawValue: number)
            if target.definition.isEmbedded {
                try describe(object: key, of: target, to: output, depth: depth + 1)
            } else {
                try name(key, of: target, to: output)
            }
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128:
            append(short: value, property.definition.type, to: output)
        }
    }

    private func describe(_ value: MixedValue, to output: ByteOutput, depth: Int) throws {
        switch value {
        case .link(let link):
            if let target = try objects.connection.table(number: link.table) {
                try name(link.key, of: target, to: output)
            }
        case .list, .map:
            let isMap = if case .map = value { true } else { false }
            output.append(isMap ? "{" : "[")
            try separated(to: output, depth: depth) { visit in
                try objects.connection.forEachElement(of: value) { key, element in
                    visit {
                        if isMap { self.append(key: key, to: output) }
                        try self.describe(element, to: output, depth: depth + 1)
                    }
                }
            }
            output.append(isMap ? "}" : "]")
        default:
            if let type = value.type {
                append(short: value.plainScalar, type, to: output)
            } else {
                output.append("null")
            }
        }
    }

    private func describe(_ elements: Elements, to output: ByteOutput, depth: Int) throws {
        output.append(elements.isMap ? "{" : "[")
        try separated(to: output, depth: depth) { visit in
            try elements.forEach { key, value in
                visit {
                    if let key { self.append(key: key, to: output) }
                    try self.describe(value, elements.property, to: output, depth: depth + 1)
                }
            }
        }
        output.append(elements.isMap ? "}" : "]")
    }

    private func describe(
        object key: ObjectKey, of table: Table, to output: ByteOutput, depth: Int
    ) throws {
        guard let location = try table.location(of: key) else { return output.append("null") }
        output.append("{")
        let properties = try properties(of: table)
        try separated(to: output, depth: depth) { visit in
            for property in properties {
                let goesOn = visit {
                    output.append(text: property.definition.name + ": ")
                    if property.definition.collection == .none {
                        try self.describe(
                            try table.value(property.column, at: location), property, to: output,
                            depth: depth)
                    } else {
                        try self.describe(
                            Elements(property, of: table, key), to: output, depth: depth + 1)
                    }
                }
                if !goesOn { return }
            }
        }
        output.append("}")
    }

    /// Appends elements with commas between them until the description is long enough. An ellipsis
    /// stands for the rest.
    ///
    /// - Parameter body: calls its argument for each element, and ends when that returns false.
    private func separated(
        to output: ByteOutput, depth: Int,
        _ body: (_ visit: (_ element: () throws -> Void) -> Bool) throws -> Void
    ) throws {
        // Kept aside, because a walk over elements throws errors of the engine only.
        var failure: (any Error)?
        var isFirst = true
        try body { element in
            if !isFirst { output.append(", ") }
            isFirst = false
            guard output.count < Self.longestLabel, depth < Self.deepest else {
                output.append("…")
                return false
            }
            do { try element() } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
    }

    private func append(key: UnsafeRawBufferPointer, to output: ByteOutput) {
        output.append(Self.prefix(key, Self.longestLabel / 2))
        output.append(": ")
    }

    // MARK: Texts

    private func append(
        text bytes: UnsafeRawBufferPointer, limit: Int = .max, to output: ByteOutput
    ) {
        JSONText.append(string: Self.prefix(bytes, limit), to: output)
    }

    /// The first bytes of a text, which end with a whole character.
    static func prefix(
        _ bytes: UnsafeRawBufferPointer, _ limit: Int
    ) -> UnsafeRawBufferPointer {
        guard bytes.count > limit else { return bytes }
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }
}

extension MixedValue {
    /// The value as a column of its own type holds it; null for links, lists and maps.
    fileprivate var plainScalar: Scalar {
        switch self {
        case .null, .link, .list, .map: .null
        case .bool(let value): .integer(value ? 1 : 0)
        case .int(let value): .integer(value)
        case .float(let value): .float(value)
        case .double(let value), .date(let value): .double(value)
        case .string(let bytes), .data(let bytes): .bytes(bytes)
        case .uuid(let first, let second): .fixed16(first, second)
        case .objectID(let first, let second): .fixed12(first, second)
        case .decimal128(let value): .fixed16(value.low, value.high)
        }
    }
}
