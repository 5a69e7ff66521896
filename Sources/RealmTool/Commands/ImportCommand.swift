import ArgumentParser
import Foundation
import StorageEngine
import ToolSupport

/// The command `realm import`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds objects from CSV, JSON or SQLite to a file, or makes a file.",
        discussion: """
            The input is what 'realm export' writes, of any size: CSV, JSON lines, or a JSON \
            array, which other programs may have written as well; or a table of an SQLite \
            database. The first record of CSV and the columns of a table name the properties; \
            properties that the input lacks are zero, empty or null. The class must exist, unless \
            --schema or --infer make it; they also make the file.

            Everything is imported in one transaction: either all of it, or, after a mistake, \
            Control-C or a full disk, nothing. For more than some ten million objects, or where \
            other writers must not wait, --batch commits every so many records; each batch is \
            imported as a whole or not at all, and the message says how many records are. A \
            mistake is reported with file, line and column.

            Links name the primary key of an object, which may come later in the input.

            From SQLite come the rows of the table that has the name of the class, or of --table, \
            or those that --query gives, where 'AS' names the properties. It is read as it is when \
            the command begins, while others may write to it.

            EXAMPLES
              realm import people.realm Person people.csv --infer --primary-key id
              realm import people.realm Person people.jsonl
              realm import people.realm Person new.csv --existing update
              realm import people.realm Person huge.csv --batch 100000
              realm import people.realm Person list.tsv --delimiter tab --columns id,name
              realm import people.realm Person app.db --table people --infer
              realm import people.realm Dog app.db --query 'SELECT did AS id FROM dogs'
              zcat all.jsonl.gz | realm import copy.realm - --schema schema.json

            EXIT CODES
              0    all is imported
              65   the input has a mistake
              130  interrupted
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, json, jsonl, sqlite
    }

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Argument(
        help: ArgumentHelp(
            "The class, and the file to import; '-' is standard input. Without a class, each "
                + "object of JSON names its own.", valueName: "class> <input"))
    var classAndInput: [String]

    @Option(
        help: ArgumentHelp(
            "The format of the input; json is lines or an array. By default sqlite for its "
                + "databases, json for names in .json, .jsonl and .ndjson, and without a class."))
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "Make the classes that the file lacks, as 'realm schema --format json' wrote them.",
            valueName: "file"))
    var schema: String?

    @Flag(
        help: ArgumentHelp(
            "Make the class, with types as the first thousand records of CSV show them, or all "
                + "rows of SQLite."))
    var infer = false

    @Option(
        help: ArgumentHelp(
            "With --infer: the property that is the primary key. For a table of SQLite, by "
                + "default its primary key.", valueName: "name"))
    var primaryKey: String?

    @Option(
        help: ArgumentHelp("The table of SQLite, if it is not named like the class."))
    var table: String?

    @Option(
        help: ArgumentHelp("The rows of SQLite: a SELECT statement.", valueName: "select"))
    var query: String?

    @Option(
        help: ArgumentHelp(
            "What the numbers are that SQLite has for dates: unix (seconds since 1970), "
                + "milliseconds (since 1970), julian (days), or reference (seconds since 2001).",
            valueName: "unit"))
    var dates: NumberedDates?

    @Option(help: "What happens with an object whose primary key exists.")
    var existing = ExistingPolicy.fail

    @Option(help: "What happens with a link that leads to no object.")
    var missingLinks = MissingLinks.fail

    @Option(
        help: ArgumentHelp(
            "Commit every so many records, instead of all at once.", valueName: "count"))
    var batch: Int?

    @Option(help: ArgumentHelp("Pass over the first records.", valueName: "count"))
    var skip = 0

    @Option(help: "What separates the fields of CSV: a character, or 'tab'.")
    var delimiter = Delimiter.comma

    @Option(
        help: ArgumentHelp(
            "The properties of the fields, for CSV without a header, or instead of the names of "
                + "columns in SQLite: id,name.",
            valueName: "names"))
    var columns: String?

    @Flag(help: "Leave out what the class has no property for.")
    var ignoreUnknown = false

    @OptionGroup var key: KeyOptions

    enum MissingLinks: String, CaseIterable, ExpressibleByArgument { case fail, null }

    private var className: String? { classAndInput.count > 1 ? classAndInput[0] : nil }
    private var inputPath: String { classAndInput[classAndInput.count - 1] }
    /// The format of the input, with that of arrays for all of JSON.
    private var inputFormat: Format {
        if let format { return format == .jsonl ? .json : format }
        if SQLiteDatabase.isDatabase(inputPath) { return .sqlite }
        let isCSV =
            className == nil
            ? [".csv", ".tsv"].contains { inputPath.hasSuffix($0) }
            : ![".json", ".jsonl", ".ndjson"].contains { inputPath.hasSuffix($0) }
        return isCSV ? .csv : .json
    }

    private var givenColumns: [String]? { columns?.split(separator: ",").map(String.init) }

    func validate() throws {
        guard classAndInput.count <= 2 else {
            throw ValidationError("Give a class and an input, or an input only.")
        }
        if let batch, batch < 1 { throw ValidationError("--batch is 1 or greater.") }
        if skip < 0 { throw ValidationError("--skip is 0 or greater.") }
        let inputFormat = inputFormat
        if infer, inputFormat == .json || inputFormat == .csv && columns != nil {
            throw ValidationError("--infer needs CSV with a header, or a table of SQLite.")
        }
        if primaryKey != nil, !infer { throw ValidationError("--primary-key goes with --infer.") }
        if className == nil, inputFormat != .json {
            throw ValidationError(
                (inputFormat == .csv ? "CSV" : "SQLite") + " needs the name of a class.")
        }
        if inputFormat == .sqlite, inputPath == "-" {
            throw ValidationError("SQLite is read from a file only.")
        }
        if table != nil, query != nil {
            throw ValidationError("--table and --query exclude each other.")
        }
    }

    func run() throws {
        Interruption.watch()
        let input = try source()
        let options = try options(for: input)
        let isNew = !FileManager.default.fileExists(atPath: file)
        if isNew, options.newClasses.isEmpty {
            throw ToolError(
                .usage, "There is no file '\(file)'. With --infer or --schema, it is made.")
        }
        do {
            try importAll(input, options, isNew: isNew)
        } catch let failure as Failure {
            // A file that was made for nothing.
            if isNew, failure.leavesNothing { _ = try? Database.remove(path: file) }
            throw failure.error
        }
    }

    /// An error, and whether the file has nothing in it. Thrown once the file is closed.
    private struct Failure: Error {
        let error: any Error
        let leavesNothing: Bool
    }

    private func importAll(
        _ input: ImportSource, _ options: ImportOptions, isNew: Bool
    ) throws {
        let opened = try RealmFile.open(
            file, key: key.key(), forWriting: true, creating: isNew)
        let progress = ProgressLine("Importing")
        let importer = Importer(opened.connection, input, options, progress: progress)
        let start = monotonicNanoseconds()
        do {
            try importer.run()
        } catch {
            progress.clear()
            // Classes that another process has made meanwhile are there as well.
            _ = try? opened.connection.refresh()
            let definitions = try? opened.connection.tableDefinitions()
            throw Failure(error: error, leavesNothing: definitions?.isEmpty ?? false)
        }
        progress.clear()
        let elapsed = seconds(from: start, to: monotonicNanoseconds())
        let output = ByteOutput.standard
        if infer, let inferred = options.newClasses.last {
            output.append(text: Self.description(inferred))
        }
        output.append(text: Self.summary(importer.committed, elapsed))
        try output.finish()
    }

    private static func description(_ definition: TableDefinition) -> String {
        let properties = definition.columns.map { "\($0.name): \(TypeName.description($0))" }
        return CellText.shown(
            "\(definition.name) has \(properties.joined(separator: ", "))", cut: false) + "\n"
    }

    static func summary(_ counts: ImportCounts, _ seconds: Double) -> String {
        var parts = ["\(Display.count(counts.inserted, "object")) imported"]
        if counts.updated > 0 { parts.append("\(Display.grouped(counts.updated)) updated") }
        if counts.skipped > 0 { parts.append("\(Display.grouped(counts.skipped)) kept") }
        let all = counts.inserted + counts.updated + counts.skipped
        let rate = seconds > 0 ? Int(Double(all) / seconds) : 0
        return parts.joined(separator: ", ")
            + " in \(Display.number(seconds)) s (\(Display.grouped(rate)) a second).\n"
    }

    private func source() throws -> ImportSource {
        let format = inputFormat
        if format == .sqlite {
            let database = try SQLiteDatabase(inputPath)
            if let query { return .sqlite(try SQLiteRows(database, query)) }
            return .sqlite(try database.rows(of: tableName(in: database)))
        }
        let input = try InputBuffer(inputPath)
        guard table == nil, query == nil, dates == nil else {
            throw ToolError(
                .usage,
                "--table, --query and --dates go with SQLite, and '\(inputPath)' is no database "
                    + "of it.")
        }
        return format == .csv ? .csv(input) : .json(input)
    }

    private func tableName(in database: SQLiteDatabase) throws -> String {
        try database.table(named: table ?? className ?? "")
    }

    private func options(for input: ImportSource) throws -> ImportOptions {
        var options = ImportOptions()
        options.className = className
        options.delimiter = delimiter.byte
        options.columns = givenColumns
        options.existing = existing
        options.leavesOutMissingLinks = missingLinks == .null
        options.ignoresUnknown = ignoreUnknown
        options.dates = dates
        options.batch = batch
        options.skip = skip
        if let schema {
            let document = try SchemaDocument.read(schema)
            options.newClasses = try document.definitions()
            options.schemaVersion = document.version ?? 0
        }
        if infer, let className {
            options.newClasses.append(try inferred(className, from: input))
        }
        return options
    }

    private func inferred(
        _ className: String, from input: ImportSource
    ) throws -> TableDefinition {
        switch input {
        case .csv(let input), .json(let input):
            return try ClassInference.definition(
                of: input, delimiter: delimiter.byte, named: className, primaryKey: primaryKey)
        case .sqlite(let rows):
            var key = primaryKey
            if key == nil, query == nil, columns == nil {
                key = try rows.database.primaryKey(of: tableName(in: rows.database))
            }
            return try SQLiteInference.definition(
                of: rows, named: className, columns: givenColumns, primaryKey: key,
                isRequired: primaryKey != nil, dates: dates,
                progress: ProgressLine("Looking at the rows"))
        }
    }
}

extension ExistingPolicy: ExpressibleByArgument {}

extension NumberedDates: ExpressibleByArgument {}
