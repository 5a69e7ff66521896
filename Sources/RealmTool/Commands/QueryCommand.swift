import ArgumentParser
import StorageEngine
import ToolSupport

/// The command `realm query`.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Prints the objects of a class that match a predicate.",
        discussion: """
            The predicate is what filter() takes: comparisons, AND, OR, NOT, IN, BETWEEN, \
            BEGINSWITH, CONTAINS and LIKE with [c], paths through links, ANY, SUBQUERY, \
            collections' @count and @sum. Put it between single quotes for the shell, and its \
            texts between double ones. docs/guide/querying.md explains predicates.

            A table shows the first 100 objects and cuts long values; the other formats have all \
            of both. What CSV and JSON look like: realm export --help.

            EXAMPLES
              realm query people.realm Person
              realm query people.realm Person 'age > 30 AND name BEGINSWITH "A"'
              realm query people.realm Person 'ANY dogs.name == "Rex"' --columns id,name
              realm query people.realm Person --sort age:desc --sort name --limit 10
              realm query people.realm Dog 'owner == nil' --count
              realm query people.realm Dog --sort owner.name --format jsonl | jq .name
            """)

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("The class.", valueName: "class"))
    var className: String

    @Argument(help: ArgumentHelp("What objects must satisfy.", valueName: "predicate"))
    var predicate: String?

    @Option(
        help: ArgumentHelp(
            "Sort by a property, the most significant first; 'age:desc' descends, 'owner.name' "
                + "follows a link.", valueName: "property"))
    var sort: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only the first objects; 0 for all. A table has 100 by default.", valueName: "count"))
    var limit: Int?

    @Option(help: "What is written; json is an array, jsonl an object a line.")
    var format = RowFormat.table

    @Option(
        help: ArgumentHelp("Only these properties, in this order: id,name.", valueName: "names"))
    var columns: String?

    @Flag(help: "Print only how many objects match.")
    var count = false

    @Flag(help: "Do not cut long values in tables.")
    var wide = false

    @Flag(help: "Print the key of each object, which links to classes without primary key name.")
    var keys = false

    @OptionGroup var key: KeyOptions

    private static let limitOfTables = 100

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or greater.") }
    }

    func run() throws {
        let opened = try RealmFile.open(file, key: key.key())
        let table = try opened.table(className)
        let selection: Selection
        do {
            selection = try Selection(opened, table, predicate: predicate, sort: sort)
        } catch let problem as PredicateProblem {
            throw ToolError(.usage, problem.text)
        }
        let output = ByteOutput.standard
        if count {
            output.append(text: "\(try selection.count())\n")
            return try output.finish()
        }
        let objects = ObjectText(opened.connection)
        let names = columns?.split(separator: ",").map(String.init)
        let shape = RowShape(
            table: table, properties: try objects.properties(of: table, named: names),
            objects: objects, hasKeys: keys)
        let writer: any RowWriter =
            switch format {
            case .table: TableWriter(shape, to: output, cutsValues: !wide)
            case .csv:
                CSVWriter(shape, to: output, delimiter: UInt8(ascii: ","), hasHeader: true)
            case .json: JSONWriter(shape, to: output, isArray: true)
            case .jsonl: JSONWriter(shape, to: output, isArray: false)
            }
        try write(selection, writer, output)
        try output.finish()
    }

    private func write(
        _ selection: Selection, _ writer: any RowWriter, _ output: ByteOutput
    ) throws {
        var limit = self.limit ?? (format == .table ? Self.limitOfTables : 0)
        if limit == 0 { limit = .max }
        let stream = RowStream(
            connection: selection.file.connection, table: selection.table, output: output,
            progress: nil)
        try writer.begin()
        let keys = try selection.keys(limit: limit)
        if let keys {
            try stream.write(keys, to: writer)
        } else {
            try stream.writeAll(limit: limit, to: writer)
        }
        try writer.end()
        guard format == .table else { return }
        let all =
            try keys.map { $0.count < limit ? $0.count : try selection.count() }
            ?? selection.count()
        output.append(
            text: all > limit
                ? "\(Display.grouped(limit)) of \(Display.count(all, "object")). "
                    + "--limit 0 shows all.\n"
                : "\(Display.count(all, "object"))\n")
    }
}
