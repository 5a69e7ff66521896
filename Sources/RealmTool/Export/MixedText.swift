import StorageEngine
import ToolSupport

/// Mixed values as JSON. What JSON has no values of its own for is an object with one member, whose
/// name says what it is.
///
/// | value | text |
/// | --- | --- |
/// | null, bool, int, string, list, map | as they are |
/// | double | a number with a point or an exponent |
/// | float, date, data | `{"$float": 1.5}`, `{"$date": …}`, `{"$data": …}` |
/// | UUID | `{"$uuid": …}` |
/// | object id, decimal | `{"$objectId": …}`, `{"$decimal128": …}` |
/// | double that is not finite | `{"$double": "nan"}` |
/// | link | `{"$link": {"class": "Dog", "id": 5}}`, with `key` where there is no primary key |
/// | map whose only key begins with `$` | `{"$map": {…}}` |
struct MixedText {
    let objects: ObjectText

    init(_ objects: ObjectText) { self.objects = objects }

    func append(_ value: MixedValue, to output: ByteOutput) throws {
        switch value {
        case .null: output.append("null")
        case .bool(let value): scalar(.integer(value ? 1 : 0), .bool, to: output)
        case .int(let value): output.append(decimal: value)
        case .string(let bytes): JSONText.append(string: bytes, to: output)
        case .double(let value) where value.isFinite: NumberText.append(value, to: output)
        case .double(let value): named("$double", .double(value), .double, to: output)
        case .float(let value): named("$float", .float(value), .float, to: output)
        case .date(let value): named("$date", .double(value), .date, to: output)
        case .data(let bytes): named("$data", .bytes(bytes), .data, to: output)
        case .uuid(let first, let second):
            named("$uuid", .fixed16(first, second), .uuid, to: output)
        case .objectID(let first, let second):
            named("$objectId", .fixed12(first, second), .objectID, to: output)
        case .decimal128(let value):
            named("$decimal128", .fixed16(value.low, value.high), .decimal128, to: output)
        case .link(let link): try append(link, to: output)
        case .list: try appendElements(of: value, isMap: false, to: output)
        case .map: try appendMap(value, to: output)
        }
    }

    private func scalar(_ value: Scalar, _ type: ValueType, to output: ByteOutput) {
        ScalarWriter.appendJSON(value, type, to: output)
    }

    private func named(
        _ name: StaticString, _ value: Scalar, _ type: ValueType, to output: ByteOutput
    ) {
        output.append("{\"")
        output.append(name)
        output.append("\":")
        scalar(value, type, to: output)
        output.append(UInt8(ascii: "}"))
    }

    private func append(_ link: TypedLink, to output: ByteOutput) throws {
        guard let table = try objects.connection.table(number: link.table) else {
            throw ToolError(.damaged, "A link leads to no class. The file is damaged.")
        }
        output.append("{\"$link\":{\"class\":")
        JSONText.append(string: table.definition.name, to: output)
        if let column = table.primaryKey, let location = try table.location(of: link.key),
            case let value = try table.value(column, at: location), !value.isNull
        {
            output.append(",\"id\":")
            scalar(value, table.definition.columns[column].type, to: output)
        } else {
            output.append(",\"key\":")
            output.append(decimal: link.key.rawValue)
        }
        output.append("}}")
    }

    private func appendMap(_ value: MixedValue, to output: ByteOutput) throws {
        var count = 0
        var mayBeMistaken = false
        try objects.connection.forEachElement(of: value) { key, _ in
            count += 1
            if key.first == UInt8(ascii: "$") { mayBeMistaken = true }
            return count < 2
        }
        guard count == 1, mayBeMistaken else {
            return try appendElements(of: value, isMap: true, to: output)
        }
        output.append("{\"$map\":")
        try appendElements(of: value, isMap: true, to: output)
        output.append(UInt8(ascii: "}"))
    }

    private func appendElements(
        of value: MixedValue, isMap: Bool, to output: ByteOutput
    ) throws {
        var failure: (any Error)?
        var isFirst = true
        output.append(UInt8(ascii: isMap ? "{" : "["))
        try objects.connection.forEachElement(of: value) { key, element in
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            if isMap {
                JSONText.append(string: key, to: output)
                output.append(UInt8(ascii: ":"))
            }
            do { try append(element, to: output) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        output.append(UInt8(ascii: isMap ? "}" : "]"))
    }
}
