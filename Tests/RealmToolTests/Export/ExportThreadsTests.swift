import Foundation
import Glibc
import StorageEngine
import Testing
import ToolSupport

@testable import RealmTool

/// Exports by several threads.
@Suite struct ExportThreadsTests {
    private static let count = 4 * ExportThreads.chunkSize + 77
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["many.realm"]
    }

    /// Makes a file of many objects, some of which have texts that are longer than a thread keeps.
    private func makeMany(longTexts: Int) throws {
        let connection = try Connection(Database.open(path: path))
        var options = ImportOptions()
        options.className = "Many"
        options.newClasses = [
            TableDefinition(
                name: "Many",
                columns: [
                    ColumnDefinition(name: "id", type: .int),
                    ColumnDefinition(name: "text", type: .string),
                ])
        ]
        let long = String(repeating: "long,", count: 150_000)
        var csv = "id,text\n"
        for id in 0..<Self.count {
            csv += "\(id),\"\(id % 10_000 < longTexts ? long : "short")\"\n"
        }
        let input = Array(csv.utf8).withUnsafeBytes { InputBuffer($0, name: "input") }
        try Importer(connection, .csv(input), options, progress: nil).run()
    }

    private func writer(
        _ format: String, _ connection: Connection, _ output: ByteOutput
    ) throws -> any RowWriter {
        let table = try #require(try connection.table(named: "Many"))
        let objects = ObjectText(connection)
        let shape = RowShape(
            table: table, properties: try objects.properties(of: table), objects: objects,
            hasKeys: true)
        if format != "csv" { return JSONWriter(shape, to: output, isArray: format == "json") }
        return CSVWriter(shape, to: output, delimiter: UInt8(ascii: ","), hasHeader: true)
    }

    private func export(_ format: String, processors: Int) throws -> [UInt8] {
        let file = try RealmFile.open(path, key: nil)
        let table = try file.table("Many")
        let descriptor = open(folder["out"], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let output = ByteOutput(to: descriptor, name: "out")
        let writer = try writer(format, file.connection, output)
        try writer.begin()
        let threads = try ExportThreads(
            file, table, to: output, showing: nil, processors: processors)
        #expect(threads.count == (processors == 1 ? 1 : min(processors + 1, 5)))
        if threads.count > 1 {
            try threads.run { try self.writer(format, $0, $1) }
            writer.goOn()
        } else {
            try RowStream(
                connection: file.connection, table: table, output: output, progress: nil
            ).writeAll(to: writer)
        }
        try writer.end()
        try output.finish()
        return try folder.bytes(of: "out")
    }

    @Test(arguments: ["csv", "json", "jsonl"])
    func threadsWriteWhatOneThreadWrites(format: String) throws {
        try makeMany(longTexts: 0)
        let expected = try export(format, processors: 1)
        #expect(expected.count(where: { $0 == 0x0A }) >= Self.count)
        for processors in [2, 3, 16] {
            let written = try export(format, processors: processors)
            #expect(written == expected, "\(processors) processors")
        }
    }

    @Test func longTextsAreWrittenInTheMiddleOfAChunk() throws {
        try makeMany(longTexts: 3)
        #expect(try export("csv", processors: 2) == export("csv", processors: 1))
    }

    @Test func theThreadsReadTheVersionOfTheCommand() throws {
        try makeMany(longTexts: 0)
        let file = try RealmFile.open(path, key: nil)
        let table = try file.table("Many")
        let threads = try ExportThreads(
            file, table, to: ByteOutput(to: -1, name: "none"), showing: nil, processors: 2)
        let other = try Connection(Database.open(path: path))
        try other.beginWrite()
        try #require(try other.table(named: "Many")).deleteAll()
        try other.commit()
        // The output cannot be written, which is found only after the first chunk was made.
        #expect(throws: ToolError.self) {
            try threads.run { connection, output in
                let seen = try connection.table(named: "Many")?.count()
                #expect(seen == Self.count)
                return try self.writer("csv", connection, output)
            }
        }
    }

    @Test func aFullDiskAndAClosedPipeEndAllThreads() throws {
        try makeMany(longTexts: 0)
        let full = try ToolProcess.shell(
            "realm export many.realm Many > /dev/full", in: folder.path)
        #expect(full.code == 1)
        #expect(
            full.error == "Error: 'standard output' cannot be written: No space left on device.\n")
        let closed = try ToolProcess.shell(
            "realm export many.realm Many | head -n 2; exit ${PIPESTATUS[0]}", in: folder.path)
        #expect(closed.output == "id,text\n0,short\n")
        #expect(closed.error == "")
        #expect(closed.code == 128 + SIGPIPE)
    }
}
