import Foundation
import StorageEngine
import ToolSupport

/// What is imported into a class, and how.
public struct ImportRequest: Decodable, Sendable {
    public enum Format: String, Codable, Sendable { case csv, jsonl }
    /// What happens with an object whose primary key exists.
    public enum Existing: String, Codable, Sendable { case fail, update, skip }

    public let className: String
    public let format: Format
    /// What separates the fields of CSV: one character of ASCII.
    public let delimiter: String
    public let existing: Existing
    /// The property for each column of CSV, or member of JSON. The others are left out.
    public let mapping: [String: String]

    public init(
        className: String, format: Format, delimiter: String = ",", existing: Existing = .fail,
        mapping: [String: String] = [:]
    ) {
        self.className = className
        self.format = format
        self.delimiter = delimiter
        self.existing = existing
        self.mapping = mapping
    }

    func options() throws -> ImportOptions {
        var options = ImportOptions()
        options.className = className
        options.delimiter = try delimiterByte()
        options.existing =
            switch existing {
            case .fail: .fail
            case .update: .update
            case .skip: .skip
            }
        options.mapping = mapping
        options.hints = .none
        return options
    }

    func delimiterByte() throws -> UInt8 {
        guard let byte = delimiter.utf8.first, delimiter.utf8.count == 1 else {
            throw ToolError(.usage, "Fields are separated by one character.")
        }
        return byte
    }
}

/// What an import has done.
public struct ImportOutcome: Encodable, Sendable {
    public let inserted: Int
    public let updated: Int
    public let skipped: Int
    /// A version of the file that has the objects.
    public let version: UInt64
}

extension FileEditor {
    /// Imports objects in one transaction: all of them, or none.
    ///
    /// - Parameters:
    ///   - descriptor: a file that is open for reading, which is closed then.
    ///   - name: what it is called in messages.
    ///   - stop: ends it, and nothing is imported.
    public func importObjects(
        _ request: ImportRequest, from descriptor: Int32, name: String, until stop: StopRequest
    ) throws -> ImportOutcome {
        let input = try InputBuffer(descriptor: descriptor, name: name)
        let connection = try beginTransaction()
        let importer = Importer(
            connection, request.format == .csv ? .csv(input) : .json(input),
            try request.options(), progress: nil, stop: stop)
        try importer.run()
        let counts = importer.committed
        return ImportOutcome(
            inserted: counts.inserted, updated: counts.updated, skipped: counts.skipped,
            version: connection.version)
    }
}

/// What the beginning of a file shows of its columns, before anything is imported.
public struct ImportPreview: Encodable, Sendable {
    public struct Column: Encodable, Sendable {
        public let name: String
        /// The property that has the name, or nearly so; nil if there is none.
        public let property: String?
        /// The values in the first records, as they are written.
        public fileprivate(set) var samples: [String] = []
    }

    public private(set) var columns: [Column] = []

    private static let mostRecords = 5
    private static let longestSample = 80

    /// - Parameter beginning: the first bytes of the file, which may end within a record.
    init(
        _ beginning: [UInt8], _ request: ImportRequest, _ definition: TableDefinition
    ) throws {
        let input = beginning.withUnsafeBytes { InputBuffer($0, name: "the file") }
        do {
            switch request.format {
            case .csv: try readCSV(input, request, definition)
            case .jsonl: try readJSON(input, definition)
            }
        } catch let problem as DataProblem {
            // A record may be cut. The import finds other mistakes again, and says where they are.
            guard columns.isEmpty else { return }
            throw ToolError(.badData, problem.message)
        }
    }

    private mutating func readCSV(
        _ input: InputBuffer, _ request: ImportRequest, _ definition: TableDefinition
    ) throws {
        let records = try CSVRecords(
            input, delimiter: request.delimiterByte(), memory: RecordMemory())
        guard try records.next() else {
            throw DataProblem("The file is empty. Its first record names the columns.", at: nil)
        }
        for index in 0..<records.fieldCount { add(records.text(index), definition) }
        for _ in 0..<Self.mostRecords {
            guard try records.next(), records.fieldCount == columns.count else { return }
            for index in columns.indices { sample(records.text(index), index) }
        }
    }

    private mutating func readJSON(
        _ input: InputBuffer, _ definition: TableDefinition
    ) throws {
        let records = JSONRecords(input)
        let memory = RecordMemory()
        for number in 0..<Self.mostRecords {
            guard try records.next() else {
                guard number > 0 else { throw DataProblem("The file is empty.", at: nil) }
                return
            }
            let record = records.record
            var scanner = JSONScanner(record, memory: memory)
            try scanner.expect("{", "at the beginning of an object")
            guard !scanner.take("}") else { continue }
            repeat {
                let name = String(decoding: try scanner.name().bytes, as: UTF8.self)
                scanner.skipSpace()
                let start = scanner.place
                _ = try scanner.node()
                // What is no property of the object.
                if name == "$class" || name == "$key" { continue }
                let known = columns.firstIndex { $0.name == name }
                if known == nil { add(name, definition) }
                sample(
                    String(decoding: record[start..<scanner.place], as: UTF8.self),
                    known ?? columns.count - 1)
            } while scanner.take(",")
        }
    }

    private mutating func add(_ name: String, _ definition: TableDefinition) {
        let names = definition.columns.map(\.name)
        let property =
            names.first { $0 == name }
            ?? names.first { Self.plain($0) == Self.plain(name) && !Self.plain(name).isEmpty }
        columns.append(Column(name: name, property: property))
    }

    private mutating func sample(_ text: String, _ column: Int) {
        columns[column].samples.append(String(text.prefix(Self.longestSample)))
    }

    /// A name without what people write differently: `First name` is `firstName`.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}

extension InspectedVersion {
    /// Shows the columns of a file that is to be imported, and the properties for them.
    public func preview(
        of beginning: [UInt8], _ request: ImportRequest
    ) throws -> ImportPreview {
        try read { connection in
            let table = try table(request.className, connection)
            return try ImportPreview(beginning, request, table.definition)
        }
    }
}

extension ImportRequest {
    public init(json text: String) throws {
        do {
            self = try JSONDecoder().decode(ImportRequest.self, from: Data(text.utf8))
        } catch {
            throw ToolError(.usage, "The request does not say what is imported.")
        }
    }
}
