import ArgumentParser
import Foundation
import StorageEngine
import ToolSupport

/// The command `realm import`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds objects from CSV or JSON to a file, or makes a file of them.",
        discussion: """
            The input is what 'realm export' writes, of any size: CSV, JSON lines, or a JSON \
            array, which other programs may have written as well. The first record of CSV names \
            the properties; properties that the input lacks are zero, empty or null. The class \
            must exist, unless --schema or --infer make it; they also make the file.

            Everything is imported in one transaction: either all of it, or, after a mistake, \
            Control-C or a full disk, nothing. For more than some ten million objects, or where \
            other writers must not wait, --batch commits every so many records; each batch is \
            imported as a whole or not at all, and the message says how many records are. A \
            mistake is reported with file, line and column.

            Links name the primary key of an object, which may come later in the input.

            EXAMPLES
              realm import people.realm Person people.csv --infer --primary-key id
              realm import people.realm Person people.jsonl
              realm import people.realm Person new.csv --existing update
              realm import people.realm Person huge.csv --batch 100000
              realm import people.realm Person list.tsv --delimiter tab --columns id,name
              sqlite3 -header -csv app.db 'SELECT * FROM person' |
                realm import people.realm Person - --infer
              zcat all.jsonl.gz | realm import copy.realm - --schema schema.json

            EXIT CODES
              0    all is imported
              65   the input has a mistake
              130  interrupted
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case csv, json, jsonl }

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Argument(
        help: ArgumentHelp(
            "The class, and the file to import; '-' is standard input. Without a class, each "
                + "object of JSON names its own.", valueName: "class> <input"))
    var classAndInput: [String]

    @Option(
        help: ArgumentHelp(
            "csv or json (lines or an array). By default json for names in .json, .jsonl and "
                + ".ndjson, and without a class."))
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "Make the classes that the file lacks, as 'realm schema --format json' wrote them.",
            valueName: "file"))
    var schema: String?

    @Flag(help: "Make the class, with types as the first thousand records of CSV show them.")
    var infer = false

    @Option(
        help: ArgumentHelp(
            "With --infer: the property that is the primary key.", valueName: "name"))
    var primaryKey: String?

    @Option(help: "What an object whose primary key exists does: fail, update or skip.")
    var existing = ExistingPolicy.fail

    @Option(help: "What a link that leads to no object does: fail or null.")
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
            "The properties of the fields, for CSV without a header: id,name.",
            valueName: "names"))
    var columns: String?

    @Flag(help: "Leave out what the class has no property for.")
    var ignoreUnknown = false

    @OptionGroup var key: KeyOptions

    enum MissingLinks: String, CaseIterable, ExpressibleByArgument { case fail, null }

    private var className: String? { classAndInput.count > 1 ? classAndInput[0] : nil }
    private var inputPath: String { classAndInput[classAndInput.count - 1] }
    private var isCSV: Bool {
        format.map { $0 == .csv }
            ?? (className == nil
                ? [".csv", ".tsv"].contains { inputPath.hasSuffix($0) }
                : ![".json", ".jsonl", ".ndjson"].contains { inputPath.hasSuffix($0) })
    }

    func validate() throws {
        guard classAndInput.count <= 2 else {
            throw ValidationError("Give a class and an input, or an input only.")
        }
        if let batch, batch < 1 { throw ValidationError("--batch is 1 or greater.") }
        if skip < 0 { throw ValidationError("--skip is 0 or greater.") }
        if infer, !isCSV || columns != nil {
            throw ValidationError("--infer needs CSV with a header.")
        }
        if primaryKey != nil, !infer { throw ValidationError("--primary-key goes with --infer.") }
        if className == nil, isCSV { throw ValidationError("CSV needs the name of a class.") }
    }

    func run() throws {
        Interruption.watch()
        let input = try InputBuffer(inputPath)
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
        _ input: InputBuffer, _ options: ImportOptions, isNew: Bool
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
        var parts = ["\(Display.grouped(counts.inserted)) objects imported"]
        if counts.updated > 0 { parts.append("\(Display.grouped(counts.updated)) updated") }
        if counts.skipped > 0 { parts.append("\(Display.grouped(counts.skipped)) kept") }
        let all = counts.inserted + counts.updated + counts.skipped
        let rate = seconds > 0 ? Int(Double(all) / seconds) : 0
        return parts.joined(separator: ", ")
            + " in \(Display.number(seconds)) s (\(Display.grouped(rate)) a second).\n"
    }

    private func options(for input: InputBuffer) throws -> ImportOptions {
        var options = ImportOptions()
        options.className = className
        options.isCSV = isCSV
        options.delimiter = delimiter.byte
        options.columns = columns?.split(separator: ",").map(String.init)
        options.existing = existing
        options.leavesOutMissingLinks = missingLinks == .null
        options.ignoresUnknown = ignoreUnknown
        options.batch = batch
        options.skip = skip
        if let schema { options.newClasses = try SchemaDocument.read(schema).definitions() }
        if infer, let className {
            let inferred = try ClassInference.definition(
                of: input, delimiter: delimiter.byte, named: className, primaryKey: primaryKey)
            options.newClasses.append(inferred)
        }
        return options
    }
}

extension ExistingPolicy: ExpressibleByArgument {}
