import StorageEngine
import ToolSupport

/// A class for data that has none: the types of its properties, as the first records show them.
struct ClassInference {
    /// The records that are looked at.
    static let sampleCount = 1000
    private static let sampleBytes = 1 << 20

    /// The types that a text may have, the narrowest first.
    private static let candidates: [ValueType] = [.bool, .int, .double, .date, .uuid]

    private struct Column {
        var name: String
        var candidates = ClassInference.candidates
        var hasNulls = false
        var hasValues = false

        mutating func see(_ token: ValueToken) {
            if token.kind == .emptyField {
                hasNulls = true
                return
            }
            hasValues = true
            candidates.removeAll { !Self.fits(token, $0) }
        }

        private static func fits(_ token: ValueToken, _ type: ValueType) -> Bool {
            let text = token.bytes
            switch type {
            case .bool:
                return ["true", "false"].contains(
                    String(decoding: text.prefix(6), as: UTF8.self).lowercased())
            case .int, .double:
                // A number of an account or a house, which loses its zeros otherwise.
                let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
                if digits.count > 1, digits.first == UInt8(ascii: "0"),
                    digits.dropFirst().first.map({ $0 &- 0x30 < 10 }) ?? false
                {
                    return false
                }
                return type == .int
                    ? NumberText.integer(text) != nil && text.first != UInt8(ascii: "+")
                    : NumberText.double(text) != nil
            case .date: return text.first != UInt8(ascii: "@") && DateText.parse(text) != nil
            case .uuid: return HexText.uuid(text) != nil
            case .float, .string, .data, .objectID, .decimal128, .link, .embedded, .mixed,
                .typedLink:
                return false
            }
        }

        var type: ValueType { hasValues ? candidates.first ?? .string : .string }
    }

    /// Throws if there is no column for the primary key.
    static func require(_ primaryKey: String, among names: [String]) throws(ToolError) {
        if names.contains(primaryKey) { return }
        throw ToolError(
            .usage, NameSuggestion.message(kind: "column", name: primaryKey, among: names))
    }

    /// Returns the class of CSV with a header.
    ///
    /// - Parameter primaryKey: the name of the property that is the primary key.
    static func definition(
        of input: InputBuffer, delimiter: UInt8, named className: String, primaryKey: String?
    ) throws -> TableDefinition {
        while input.rest.count < sampleBytes, try input.readMore() {}
        let memory = RecordMemory()
        let sample = InputBuffer(input.rest, name: input.name)
        let records = try CSVRecords(sample, delimiter: delimiter, memory: memory)
        guard try records.next() else {
            throw ToolError(
                .badData, "\(input.name) is empty. Its first record names the properties.")
        }
        var columns = (0..<records.fieldCount).map { Column(name: records.text($0)) }
        var count = 0
        do {
            while count < sampleCount, try records.next() {
                // The last record of the sample may be cut, and a wrong one is found later.
                guard records.fieldCount == columns.count else { break }
                for index in columns.indices { columns[index].see(records.field(index)) }
                count += 1
            }
        } catch is DataProblem {
            // The import finds it again, and says where.
        }
        if let primaryKey { try require(primaryKey, among: columns.map(\.name)) }
        return TableDefinition(
            name: className,
            columns: columns.filter { $0.name != "$key" }.map { column in
                let isKey = column.name == primaryKey
                let type =
                    isKey && !column.type.traits.mayBePrimaryKey ? ValueType.string : column.type
                return ColumnDefinition(
                    name: column.name, type: type,
                    isOptional: !isKey && (column.hasNulls || !column.hasValues),
                    isPrimaryKey: isKey, isIndexed: isKey)
            })
    }
}
