import StorageEngine
import ToolSupport

/// What a number is in a property that holds a date. SQLite has no dates.
enum NumberedDates: String, CaseIterable {
    /// Seconds since the beginning of 1970.
    case unix
    /// Milliseconds since the beginning of 1970.
    case milliseconds
    /// Days since noon of 24 November 4714 BC, as SQLite's `julianday` gives.
    case julian
    /// Seconds since the beginning of 2001, as `Date` and Core Data store them.
    case reference

    private static let secondsTo2001 = 978_307_200.0
    private static let daysTo2001 = 2_451_910.5

    /// The seconds since the beginning of 2001.
    func seconds(_ number: Double) -> Double {
        switch self {
        case .unix: number - Self.secondsTo2001
        // In this order, integers become the date that is nearest.
        case .milliseconds: (number - Self.secondsTo2001 * 1000) / 1000
        case .julian: ((number - Self.daysTo2001) * 86_400_000).rounded() / 1000
        case .reference: number
        }
    }
}

/// Gives properties the values of rows of SQLite.
///
/// | value | properties that take it |
/// | --- | --- |
/// | NULL | optional ones, links |
/// | INTEGER, REAL | numbers that hold it; texts; bools if 0 or 1; dates, see ``NumberedDates`` |
/// | TEXT | what the text is in CSV; a mixed value is the text |
/// | BLOB | data; UUIDs of 16 bytes, object ids of 12 |
struct SQLiteReader {
    private let rows: SQLiteRows
    private let memory: RecordMemory
    private let dates: NumberedDates?
    private let text = ByteOutput()

    init(_ rows: SQLiteRows, memory: RecordMemory, dates: NumberedDates?) {
        self.rows = rows
        self.memory = memory
        self.dates = dates
    }

    /// Gives a property the value of a field of the row.
    @inline(__always)
    func read(_ field: Int, into column: Int, of builder: RowBuilder) throws {
        let kind = rows.kind(field)
        switch (kind, builder.simpleTypes[column]) {
        case (.integer, .int): try builder.set(column, to: .integer(rows.integer(field)))
        case (.real, .double): try builder.set(column, to: .double(rows.double(field)))
        case (.integer, .double): try builder.set(column, to: .double(Double(rows.integer(field))))
        case (.integer, .bool) where rows.integer(field) & ~1 == 0:
            try builder.set(column, to: .integer(rows.integer(field)))
        case (.blob, .data): try builder.set(column, to: .bytes(rows.blob(field)))
        case (.null, .some) where builder.areOptional[column]: try builder.set(column, to: .null)
        case (.text, .some): try builder.set(column, to: token(rows.text(field)))
        case (_, let type?):
            try builder.set(column, to: scalar(field, kind, as: type, of: builder, column: column))
        case (_, nil): try readComplex(field, kind, into: column, of: builder)
        }
    }

    private func token(_ bytes: UnsafeRawBufferPointer) -> ValueToken {
        ValueToken(kind: .field, bytes: bytes, offset: 0)
    }

    // MARK: Single values

    private func scalar(
        _ field: Int, _ kind: SQLiteRows.Kind, as type: ValueType, of builder: RowBuilder,
        column: Int
    ) throws -> Scalar {
        var place: String {
            "\(builder.definition.name).\(builder.definition.columns[column].name)"
        }
        if kind == .null {
            throw DataProblem(
                "'\(place)' must not be null; it holds \(ScalarReader.noun(type)).", at: nil)
        }
        let isNumber = kind == .integer || kind == .real
        switch type {
        case .float where kind == .integer: return .float(Float(rows.integer(field)))
        case .float where kind == .real: return .float(Float(rows.double(field)))
        case .int where kind == .real:
            if let number = Int64(exactly: rows.double(field)) { return .integer(number) }
        case .date where isNumber:
            let number = kind == .integer ? Double(rows.integer(field)) : rows.double(field)
            return .double(try unit(of: field, kind, place).seconds(number))
        case .string where isNumber, .decimal128 where isNumber:
            return try ScalarReader.scalar(
                token(number(field, kind)), type, isOptional: false, memory: memory, place: place)
        case .uuid where kind == .blob && rows.blob(field).count == 16:
            let bytes = rows.blob(field)
            return .fixed16(
                UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        case .objectID where kind == .blob && rows.blob(field).count == 12:
            let bytes = rows.blob(field)
            return .fixed12(
                UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        case .bool, .int, .float, .double, .string, .data, .date, .uuid, .link, .objectID,
            .decimal128, .mixed, .typedLink, .embedded:
            break
        }
        throw DataProblem(
            "\(shown(field, kind)) is not \(ScalarReader.noun(type)), which '\(place)' holds.",
            at: nil)
    }

    /// What a number that becomes a date counts.
    private func unit(
        of field: Int, _ kind: SQLiteRows.Kind, _ place: String
    ) throws -> NumberedDates {
        if let dates { return dates }
        throw DataProblem(
            "'\(place)' holds a date, and \(numberText(field, kind)) is a number. "
                + "--dates says what numbers are: "
                + NumberedDates.allCases.map(\.rawValue).joined(separator: ", ") + ".", at: nil)
    }

    /// A number as text, in memory that lives as long as the record.
    private func number(_ field: Int, _ kind: SQLiteRows.Kind) -> UnsafeRawBufferPointer {
        text.clear()
        if kind == .integer {
            text.append(decimal: rows.integer(field))
        } else {
            NumberText.append(rows.double(field), to: text)
        }
        return memory.copy(text.bytes)
    }

    private func numberText(_ field: Int, _ kind: SQLiteRows.Kind) -> String {
        String(decoding: number(field, kind), as: UTF8.self)
    }

    private func shown(_ field: Int, _ kind: SQLiteRows.Kind) -> String {
        switch kind {
        case .null: "NULL"
        case .integer, .real: "'\(numberText(field, kind))'"
        case .text: token(rows.text(field)).shown
        case .blob: "A BLOB of \(rows.blob(field).count) bytes"
        }
    }

    // MARK: Links, collections, embedded objects and mixed values

    private func readComplex(
        _ field: Int, _ kind: SQLiteRows.Kind, into column: Int, of builder: RowBuilder
    ) throws {
        let property = builder.definition.columns[column]
        let isSingle = property.collection == .none
        switch kind {
        case .null: try builder.set(column, to: JSONNode(value: .null, offset: 0))
        case .text where isSingle && property.type == .mixed:
            try builder.set(
                column, to: JSONNode(value: .string(Array(rows.text(field))), offset: 0))
        case .text: try builder.set(column, to: token(rows.text(field)))
        case .integer, .real, .blob:
            let place = "\(builder.definition.name).\(property.name)"
            switch property.type {
            case .link where isSingle:
                try builder.set(column, to: link(field, kind, place: place))
            case .mixed where isSingle:
                try builder.set(column, to: mixed(field, kind))
            case .bool, .int, .float, .double, .string, .data, .date, .uuid, .link, .objectID,
                .decimal128, .mixed, .typedLink, .embedded:
                throw DataProblem(
                    "\(shown(field, kind)) is no JSON, which '\(place)' takes.", at: nil)
            }
        }
    }

    /// The primary key of a link, as a number, or as the text of an identifier.
    private func link(
        _ field: Int, _ kind: SQLiteRows.Kind, place: String
    ) throws -> ValueToken {
        guard kind == .blob else { return token(number(field, kind)) }
        guard [12, 16].contains(rows.blob(field).count) else {
            throw DataProblem(
                "\(shown(field, kind)) is not a link, which '\(place)' holds.", at: nil)
        }
        // Not the text of a field, whose digits could be an integer.
        return ValueToken(kind: .string, bytes: identifier(field), offset: 0)
    }

    /// The text of a UUID of 16 bytes, or of an object id of 12.
    private func identifier(_ field: Int) -> UnsafeRawBufferPointer {
        let bytes = rows.blob(field)
        text.clear()
        if bytes.count == 16 {
            HexText.append(
                uuid: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                to: text)
        } else {
            HexText.append(bytes, to: text)
        }
        return memory.copy(text.bytes)
    }

    private func mixed(_ field: Int, _ kind: SQLiteRows.Kind) -> JSONNode {
        if kind == .blob {
            text.clear()
            Base64Text.append(rows.blob(field), to: text)
            return Self.named("$data", .string(Array(text.bytes)))
        }
        let digits = Array(number(field, kind))
        if kind == .real, !rows.double(field).isFinite {
            return Self.named("$double", .string(digits))
        }
        return JSONNode(value: .number(digits), offset: 0)
    }

    /// A mixed value that JSON has no form for.
    private static func named(_ name: String, _ value: JSONNode.Value) -> JSONNode {
        let member = JSONNode.Member(
            name: Array(name.utf8), value: JSONNode(value: value, offset: 0))
        return JSONNode(value: .object([member]), offset: 0)
    }
}
