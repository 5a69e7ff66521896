import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import RealmTool

/// Files that are exported and imported again hold the same.
@Suite struct RoundTripTests {
    /// All objects of all classes as lines, without what differs after an import: keys.
    private func contents(_ connection: Connection) throws -> [String] {
        let output = ByteOutput()
        for definition in try connection.tableDefinitions() where !definition.isEmbedded {
            guard let table = try connection.table(named: definition.name) else { continue }
            let objects = ObjectText(connection)
            let shape = RowShape(
                table: table, properties: try objects.properties(of: table), objects: objects,
                hasKeys: table.primaryKey == nil, hasClass: true)
            let writer = JSONWriter(shape, to: output, isArray: false)
            try RowStream(connection: connection, table: table, output: output, progress: nil)
                .writeAll(to: writer)
        }
        return output.takeText().split(separator: "\n").map(String.init)
    }

    private func importing(
        _ text: String, asCSV: Bool, into path: String, _ options: ImportOptions
    ) throws -> Connection {
        let connection = try Connection(Database.open(path: path))
        let input = Array(text.utf8).withUnsafeBytes { InputBuffer($0, name: "input") }
        try Importer(
            connection, asCSV ? .csv(input) : .json(input), options, progress: nil
        ).run()
        return connection
    }

    @Test(arguments: 0..<40)
    func aWholeFileComesBackFromJSONLines(seed: Int) throws {
        let folder = try TemporaryFolder()
        let source = try RandomFile(seed: UInt64(seed), path: folder["a.realm"])
        let lines = try contents(source.connection)
        var options = ImportOptions()
        let document = SchemaDocument(version: 0, try source.connection.tableDefinitions())
        let schema = try folder.write(try document.text(), to: "schema.json")
        options.newClasses = try SchemaDocument.read(schema).definitions()
        #expect(options.newClasses == (try source.connection.tableDefinitions()))
        let copy = try importing(
            lines.joined(separator: "\n"), asCSV: false, into: folder["b.realm"], options)
        // Objects get their keys in the order in which they are made, which is that of the export.
        #expect(try contents(copy) == lines)
        #expect(try copy.verify() == [])
    }

    @Test(arguments: 0..<40)
    func theClassesComeBackFromCSV(seed: Int) throws {
        let folder = try TemporaryFolder()
        let source = try RandomFile(
            seed: UInt64(1000 + seed), path: folder["a.realm"], hasKeylessClasses: false)
        let definitions = try source.connection.tableDefinitions()
        let delimiter = UInt8(ascii: seed % 2 == 0 ? "," : ";")
        // Links lead to classes that come later, so they are left out at first. The second time,
        // all objects are there.
        for isFirst in [true, false] {
            for definition in definitions where !definition.isEmbedded {
                var options = ImportOptions()
                options.className = definition.name
                options.delimiter = delimiter
                options.newClasses = definitions
                options.leavesOutMissingLinks = isFirst
                options.existing = isFirst ? .fail : .update
                let text = try csv(definition.name, source.connection, delimiter)
                _ = try importing(text, asCSV: true, into: folder["b.realm"], options)
            }
        }
        let copy = try Connection(Database.open(path: folder["b.realm"]))
        #expect(try contents(copy) == contents(source.connection))
        #expect(try copy.verify() == [])
    }

    private func csv(
        _ className: String, _ connection: Connection, _ delimiter: UInt8
    ) throws -> String {
        let table = try #require(try connection.table(named: className))
        let objects = ObjectText(connection)
        let shape = RowShape(
            table: table, properties: try objects.properties(of: table), objects: objects)
        let output = ByteOutput()
        let writer = CSVWriter(shape, to: output, delimiter: delimiter, hasHeader: true)
        try writer.begin()
        try RowStream(connection: connection, table: table, output: output, progress: nil)
            .writeAll(to: writer)
        return output.takeText()
    }
}
