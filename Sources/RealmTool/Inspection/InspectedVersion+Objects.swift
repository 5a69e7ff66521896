import StorageEngine
import ToolSupport

extension InspectedVersion {
    /// The most bytes of a value in one answer.
    public static let mostBytes = 1 << 18

    /// An object with its position among all of its class; `null` if it does not exist.
    ///
    /// - Parameter isToEdit: whether the answer has what the object is now, for ``FileEditor``.
    ///   That takes reading all of it.
    public func object(
        _ key: Int64, in className: String, isToEdit: Bool = false
    ) throws -> [UInt8] {
        try read { connection in
            let table = try table(className, connection)
            let key = ObjectKey(rawValue: key)
            let output = ByteOutput()
            guard let location = try table.location(of: key) else { return Array("null".utf8) }
            output.append("{")
            output.member("version", number)
            output.member("position", try table.position(of: key) ?? 0)
            output.member("linkedFrom", try table.backlinkCount(of: key))
            output.member("owner")
            if let owner = try table.owner(of: key),
                let origin = try connection.table(number: owner.object.table)
            {
                output.append("{")
                output.member("class", origin.definition.name)
                output.member("key")
                output.append(text: "\"\(owner.object.key.rawValue)\"")
                output.append("}")
            } else {
                output.append("null")
            }
            let objects = ObjectText(connection)
            if isToEdit {
                output.member(
                    "fingerprint", try Fingerprint.ofObject(in: table, at: location, objects))
            }
            output.member("object")
            let cells = CellWriter(objects)
            try cells.append(object: location, of: table, to: output)
            output.append("}")
            return output.contents
        }
    }

    /// Some elements of a list, set or map, with the number of all.
    ///
    /// - Parameter isToEdit: whether the answer has what the collection is now, for ``FileEditor``.
    ///   That takes reading all elements.
    public func elements(
        of property: String, _ key: Int64, in className: String, from: Int, count: Int,
        isToEdit: Bool = false
    ) throws -> [UInt8] {
        try read { connection in
            let (table, location, property) = try place(property, key, className, connection)
            guard property.definition.collection != .none else {
                throw ToolError(
                    .usage, "'\(property.definition.name)' is no list, set or map.")
            }
            let elements = Elements(property, of: table, table.key(at: location))
            let all = try elements.count()
            let first = min(max(0, from), all)
            let range = first..<min(all, first + min(max(0, count), Self.mostRows))
            let objects = ObjectText(connection)
            let cells = CellWriter(objects)
            let output = ByteOutput()
            output.append("{")
            if isToEdit {
                output.member(
                    "fingerprint", try Fingerprint.of(property, of: table, at: location, objects))
            }
            output.member("count", all)
            output.member("from", first)
            output.member("elements")
            output.append("[")
            try elements.forEach(in: range) { key, value in
                output.separate()
                output.append("{")
                if let key {
                    output.member("key")
                    JSONText.append(string: CellWriter.prefix(key, Self.mostBytes), to: output)
                }
                output.member("value")
                try cells.append(value, property, to: output)
                output.append("}")
            }
            output.append("]}")
            return output.contents
        }
    }

    /// A part of a value as text: of a string, of data as hexadecimal digits, of everything else
    /// as JSON; with the number of all bytes.
    public func value(
        of property: String, _ key: Int64, in className: String, from: Int
    ) throws -> [UInt8] {
        try read { connection in
            let (table, location, property) = try place(property, key, className, connection)
            let output = ByteOutput()
            func answer(
                _ bytes: UnsafeRawBufferPointer, isText: Bool = true,
                _ append: (UnsafeRawBufferPointer) -> Void
            ) {
                let first = min(max(0, from), bytes.count)
                let rest = UnsafeRawBufferPointer(rebasing: bytes[first...])
                let part =
                    isText
                    ? CellWriter.prefix(rest, Self.mostBytes)
                    : UnsafeRawBufferPointer(rebasing: rest.prefix(Self.mostBytes))
                output.append("{")
                output.member("bytes", bytes.count)
                output.member("next", first + part.count)
                output.member("text")
                append(part)
                output.append("}")
            }
            let isPlain = property.definition.collection == .none
            let value = isPlain ? try table.value(property.column, at: location) : .null
            let type = property.definition.type
            if type == .string, case .bytes(let bytes) = value {
                answer(bytes) { JSONText.append(string: $0, to: output) }
            } else if type == .data, case .bytes(let bytes) = value {
                answer(bytes, isText: false) {
                    output.append("\"")
                    HexText.append($0, to: output)
                    output.append("\"")
                }
            } else {
                let text = ByteOutput()
                let objects = ObjectText(connection)
                try objects.append(property, of: table, at: location, to: text)
                answer(text.bytes) { JSONText.append(string: $0, to: output) }
            }
            return output.contents
        }
    }

    func place(
        _ name: String, _ key: Int64, _ className: String, _ connection: Connection
    ) throws -> (Table, RowLocation, ObjectText.Property) {
        let table = try table(className, connection)
        guard let location = try table.location(of: ObjectKey(rawValue: key)) else {
            throw ToolError(.usage, "The object does not exist in this version of the file.")
        }
        let properties = try ObjectText(connection).properties(of: table, named: [name])
        return (table, location, properties[0])
    }
}
