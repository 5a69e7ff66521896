import Glibc
import StorageEngine
import ToolSupport

/// Objects as a table for people: columns as wide as their widest value.
///
/// All rows are kept until the end, so whoever writes many chooses another format.
final class TableWriter: RowWriter {
    /// The columns of a terminal after which a value is cut.
    static let widestValue = 40
    /// No value is cut to less, however narrow the terminal is.
    private static let narrowestCut = 8

    private let shape: RowShape
    private let output: ByteOutput
    private let cutsValues: Bool
    private var table: TextTable
    private let scratch = ByteOutput()

    init(_ shape: RowShape, to output: ByteOutput, cutsValues: Bool) {
        self.shape = shape
        self.output = output
        self.cutsValues = cutsValues
        let names = shape.properties.map { CellText.shown($0.definition.name, cut: cutsValues) }
        let left = shape.properties.indices.filter {
            !Self.isNumber(shape.properties[$0].definition)
        }
        let shift = shape.hasKeys ? 1 : 0
        table = TextTable(
            leftColumns: Set(left.map { $0 + shift }),
            header: (shape.hasKeys ? ["$key"] : []) + names)
    }

    private static func isNumber(_ column: ColumnDefinition) -> Bool {
        guard column.collection == .none else { return false }
        return switch column.type {
        case .int, .float, .double, .decimal128: true
        case .bool, .string, .data, .date, .uuid, .objectID, .link, .embedded, .mixed, .typedLink:
            false
        }
    }

    func begin() throws {}

    func append(_ location: RowLocation) throws {
        var row: [String] = []
        if shape.hasKeys { row.append(String(shape.table.key(at: location).rawValue)) }
        for property in shape.properties { row.append(try cell(property, location)) }
        table.rows.append(row)
    }

    func end() throws {
        if cutsValues, isatty(STDOUT_FILENO) == 1 { fit(Terminal.width(of: STDOUT_FILENO)) }
        for line in table.lines() { output.append(text: line + "\n") }
        try output.check()
    }

    /// Cuts values in the widest columns until lines fit into a terminal, as far as that goes.
    func fit(_ limit: Int) {
        var widths = table.columnWidths
        let original = widths
        let room = limit - 2 * (widths.count - 1)
        while widths.reduce(0, +) > room {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > Self.narrowestCut
            else { break }
            widths[widest] -= 1
        }
        for column in widths.indices where widths[column] < original[column] {
            table.header[column] = CellText.cut(table.header[column], widths[column])
            for row in table.rows.indices {
                table.rows[row][column] = CellText.cut(table.rows[row][column], widths[column])
            }
        }
    }

    private func cell(_ property: ObjectText.Property, _ location: RowLocation) throws -> String {
        scratch.clear()
        if property.definition.type == .string, property.definition.collection == .none,
            case .bytes(let bytes) = try shape.table.value(property.column, at: location)
        {
            return CellText.shown(bytes, cut: cutsValues)
        }
        try shape.objects.append(property, of: shape.table, at: location, to: scratch)
        if !property.isComplex, scratch.bytes.first == UInt8(ascii: "\"") {
            // A date, an identifier or a key, whose quotes say nothing.
            let inside = UnsafeRawBufferPointer(rebasing: scratch.bytes.dropFirst().dropLast())
            return CellText.shown(inside, cut: cutsValues)
        }
        return CellText.shown(scratch.bytes, cut: cutsValues)
    }
}

/// Texts as they are shown to people.
enum CellText {
    /// Returns a text without control characters, cut to some columns.
    static func cut(_ text: String, _ columns: Int) -> String {
        if TerminalWidth.columns(of: text) <= columns { return text }
        return String(TerminalWidth.prefix(of: text, columns: columns - 1)) + "…"
    }

    static func shown(_ text: String, cut: Bool) -> String {
        var text = text
        return text.withUTF8 { shown(UnsafeRawBufferPointer($0), cut: cut) }
    }

    /// Returns the text with control characters escaped, because they would move the cursor or
    /// change the terminal, and cut where it is wider than a column may be.
    static func shown(_ bytes: UnsafeRawBufferPointer, cut: Bool) -> String {
        let limit = cut ? TableWriter.widestValue : .max
        // A character can have many bytes, but hardly more than 32 on average.
        let most = cut ? min(bytes.count, limit * 32) : bytes.count
        let text = String(decoding: bytes[..<most], as: UTF8.self)
        var shown = ""
        var width = 0
        // Where the text is cut, if it turns out to be too wide: one column is for the ellipsis.
        var end = shown.endIndex
        for character in text {
            let piece = escaped(character)
            width += TerminalWidth.columns(of: piece)
            if width > limit { return shown[..<end] + "…" }
            shown += piece
            if width < limit { end = shown.endIndex }
        }
        return most < bytes.count ? shown[..<end] + "…" : shown
    }

    private static func escaped(_ character: Character) -> String {
        var text = ""
        for scalar in character.unicodeScalars {
            switch scalar.value {
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            case 0x09: text += "\\t"
            case 0x00..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
