import ArgumentParser
import StorageEngine
import ToolSupport

/// The command `realm schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the classes of a file, as Swift model classes or as JSON.",
        discussion: """
            The Swift source compiles against RealmSwift and opens the file. Names that Swift does \
            not allow are mapped in propertiesMapping() and className(). The JSON is what \
            'realm import --schema' makes classes from.

            EXAMPLES
              realm schema people.realm > Sources/people/Models.swift
              realm schema people.realm Person --format json
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case swift, json }

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("Only these classes.", valueName: "class"))
    var classes: [String] = []

    @Option(help: "How the classes are written.")
    var format = Format.swift

    @OptionGroup var key: KeyOptions

    func run() throws {
        let opened = try RealmFile.open(file, key: key.key())
        var definitions = try opened.connection.tableDefinitions()
        if !classes.isEmpty { definitions = try classes.map { try opened.table($0).definition } }
        let version = try opened.connection.schemaVersion()
        let output = ByteOutput.standard
        switch format {
        case .swift:
            output.append(text: SwiftSource(definitions, version: version ?? 0).text())
        case .json:
            output.append(text: try SchemaDocument(version: version, definitions).text())
        }
        try output.finish()
    }
}
