import ArgumentParser
import StorageEngine
import ToolSupport

/// The command `realm export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all objects of a class as CSV or JSON lines, or all classes.",
        discussion: """
            The objects are those of one version of the file, however long it takes and whatever \
            is written meanwhile. 'realm query --format' writes some objects in the same formats.

            CSV has a header. Null is an empty field, an empty text is "". Lists, sets, maps, \
            embedded objects and mixed values are JSON in a field.
            JSON lines have an object a line. Data is Base64. Dates are in ISO 8601 and universal \
            time, and give back the very same date.
            A link is the primary key of its object, or {"$key": 5} where the class has none: \
            export with --keys then.
            Without a class, all classes are written as JSON lines, each object with its $class. \
            Embedded objects are written with the objects that hold them.

            EXAMPLES
              realm export people.realm Person > people.csv
              realm export people.realm Person --format jsonl --output people.jsonl
              realm export people.realm Person --columns id,name --delimiter tab
              realm export people.realm | gzip > everything.jsonl.gz
              realm schema people.realm --format json > schema.json
              zcat everything.jsonl.gz | realm import copy.realm - --schema schema.json
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case csv, json, jsonl }

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("The class; all classes without one.", valueName: "class"))
    var className: String?

    @Option(help: "What is written; json is an array, jsonl an object a line.")
    var format: Format?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A file instead of standard output. It gets its name once it is complete.",
            valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp("Only these properties, in this order: id,name.", valueName: "names"))
    var columns: String?

    @Option(help: "What separates the fields of CSV: a character, or 'tab'.")
    var delimiter = Delimiter.comma

    @Flag(help: "CSV without a first record that names the properties.")
    var noHeader = false

    @Flag(help: "Write the key of each object, which links to classes without primary key name.")
    var keys = false

    @OptionGroup var key: KeyOptions

    func validate() throws {
        if className == nil, format ?? .jsonl != .jsonl || columns != nil || keys {
            throw ValidationError(
                "Without a class, all objects are written as JSON lines with their keys.")
        }
    }

    func run() throws {
        Interruption.watch()
        let opened = try RealmFile.open(file, key: key.key())
        let tables =
            try className.map { [try opened.table($0)] }
            ?? opened.connection.tableDefinitions()
            .filter { !$0.isEmbedded }.map { try opened.table($0.name) }
        let target = try OutputFile(output, from: file)
        do {
            for table in tables { try export(table, of: opened, to: target.output) }
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
    }

    private func export(_ table: Table, of opened: RealmFile, to output: ByteOutput) throws {
        let progress = ProgressLine("Exporting \(table.definition.name)")
        defer { progress.clear() }
        let className = table.definition.name
        let writer = try writer(className, of: opened.connection, to: output)
        try writer.begin()
        let threads = try ExportThreads(opened, table, to: output, showing: progress)
        if threads.count > 1 {
            try threads.run { try self.writer(className, of: $0, to: $1) }
            if try table.count() > 0 { writer.goOn() }
        } else {
            try RowStream(
                connection: opened.connection, table: table, output: output, progress: progress
            ).writeAll(to: writer)
        }
        try writer.end()
    }

    /// Makes a writer of the objects of a class, as a connection reads them.
    private func writer(
        _ className: String, of connection: Connection, to output: ByteOutput
    ) throws -> any RowWriter {
        guard let table = try connection.table(named: className) else {
            throw ToolError(.internalError, "'\(file)' has lost the class '\(className)'.")
        }
        let objects = ObjectText(connection)
        let names = columns?.split(separator: ",").map(String.init)
        let isAll = self.className == nil
        let shape = RowShape(
            table: table, properties: try objects.properties(of: table, named: names),
            objects: objects, hasKeys: keys || isAll && table.primaryKey == nil, hasClass: isAll)
        return switch format ?? (isAll ? .jsonl : .csv) {
        case .csv: CSVWriter(shape, to: output, delimiter: delimiter.byte, hasHeader: !noHeader)
        case .json: JSONWriter(shape, to: output, isArray: true)
        case .jsonl: JSONWriter(shape, to: output, isArray: false)
        }
    }
}

/// What separates the fields of CSV.
struct Delimiter: ExpressibleByArgument {
    let byte: UInt8

    static let comma = Delimiter(byte: UInt8(ascii: ","))

    var defaultValueDescription: String { "," }

    init(byte: UInt8) { self.byte = byte }

    init?(argument: String) {
        if argument == "tab" {
            byte = 0x09
            return
        }
        let bytes = Array(argument.utf8)
        // Neither in numbers, dates nor identifiers, which are written without quotes.
        guard bytes.count == 1, ",;|^~!#$%&*?\t ".utf8.contains(bytes[0]) else { return nil }
        byte = bytes[0]
    }
}
