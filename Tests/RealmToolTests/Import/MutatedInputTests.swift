import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import RealmTool

/// Whatever bytes are imported, the outcome is an import or a message with a place, and the file
/// stays sound.
@Suite struct MutatedInputTests {
    private static let pieces = [
        "\"", ",", "\n", "\r", "{", "}", "[", "]", ":", "\\", "\\u12", "null", "-", "1e999",
        "\u{0}",
        "$key", "{\"$link\":{}}", "漢", "@", "\"\"",
    ]

    private func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...generator.next(below: 4) {
            let place = generator.next(below: bytes.count + 1)
            switch generator.next(below: 4) {
            case 0 where place < bytes.count: bytes[place] = UInt8(generator.next(below: 256))
            case 1:
                let end = min(bytes.count, place + 1 + generator.next(below: 20))
                bytes.removeSubrange(place..<end)
            case 2:
                let end = min(bytes.count, place + generator.next(below: 60))
                bytes.insert(contentsOf: bytes[place..<end], at: generator.next(below: place + 1))
            default:
                let piece = Self.pieces[generator.next(below: Self.pieces.count)]
                bytes.insert(contentsOf: Array(piece.utf8), at: place)
            }
        }
        return bytes
    }

    private func text(
        _ connection: Connection, asCSV: Bool, asArray: Bool
    ) throws -> [UInt8] {
        let table = try #require(try connection.table(named: "Class 0"))
        let objects = ObjectText(connection)
        let shape = RowShape(
            table: table, properties: try objects.properties(of: table), objects: objects)
        let output = ByteOutput()
        let writer: any RowWriter =
            asCSV
            ? CSVWriter(shape, to: output, delimiter: UInt8(ascii: ","), hasHeader: true)
            : JSONWriter(shape, to: output, isArray: asArray)
        try writer.begin()
        try RowStream(connection: connection, table: table, output: output, progress: nil)
            .writeAll(to: writer)
        try writer.end()
        return Array(output.bytes)
    }

    @Test(arguments: 0..<12)
    func mutatedInputIsImportedOrRefused(seed: Int) throws {
        let folder = try TemporaryFolder()
        let source = try RandomFile(
            seed: UInt64(2000 + seed), path: folder["a.realm"], hasKeylessClasses: false)
        var generator = SeededGenerator(seed: UInt64(seed))
        let isCSV = seed % 2 == 0
        let valid = try text(
            source.connection, asCSV: isCSV, asArray: seed % 4 == 1)
        let definitions = try source.connection.tableDefinitions()
        let copy = try Connection(Database.open(path: folder["b.realm"]))
        for _ in 0..<30 {
            let bytes = mutated(valid, &generator)
            var options = ImportOptions()
            options.className = "Class 0"
            options.newClasses = definitions
            options.existing = .update
            options.leavesOutMissingLinks = true
            options.batch = 1 + generator.next(below: 30)
            let input = bytes.withUnsafeBytes { InputBuffer($0, name: "input") }
            let importer = Importer(
                copy, isCSV ? .csv(input) : .json(input), options, progress: nil)
            do {
                try importer.run()
                #expect(importer.committed.records == importer.counts.records)
            } catch let error as ToolError {
                #expect(error.code == .badData, "\(error.message)")
                #expect(error.message.hasPrefix("input:"), "\(error.message)")
            }
        }
        #expect(try copy.verify() == [])
    }
}
