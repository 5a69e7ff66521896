import StorageEngine
import Synchronization
import ToolSupport

/// One version of a file, for any number of threads at the same time. Pins it while it exists.
///
/// What it returns is JSON, because it is read by a page. Errors are `BenchmarkError`,
/// `StorageError` and ``PredicateProblem``.
// Safe because the connection is frozen, and all else is behind a lock.
public final class InspectedVersion: @unchecked Sendable {
    private let pinned: Connection
    let found = Mutex(FoundObjects())

    init(_ connection: Connection) throws(StorageError) {
        pinned = try Connection(freezing: connection)
    }

    public var number: UInt64 { pinned.version }

    /// Calls `body` with a connection of its own, so that the memory it takes for decrypted pages
    /// ends with it.
    ///
    /// - Parameter stop: ends it with a `StorageError` of the code `.interrupted`.
    func read<Answer>(
        until stop: StopRequest? = nil, _ body: (Connection) throws -> Answer
    ) throws -> Answer {
        try body(try connection(until: stop))
    }

    /// Opens a connection that reads this version.
    func connection(until stop: StopRequest? = nil) throws -> Connection {
        let connection = try Connection(readingLike: pinned)
        connection.stopRequest = stop
        return connection
    }

    func table(_ className: String, _ connection: Connection) throws -> Table {
        if let table = try connection.table(named: className) { return table }
        throw ToolError(.usage, "This version of the file has no class '\(className)'.")
    }

    // MARK: Classes

    /// The classes with their properties and the number of their objects.
    public func classes() throws -> [UInt8] {
        try read { connection in
            let output = ByteOutput()
            output.append("{")
            output.member("version", number)
            output.member("schemaVersion")
            output.append(text: try connection.schemaVersion().map { "\($0)" } ?? "null")
            output.member("classes")
            output.append("[")
            for definition in try connection.tableDefinitions() {
                let count = try table(definition.name, connection).count()
                append(definition, count: count, to: output)
            }
            output.append("]}")
            return output.contents
        }
    }

    private func append(_ definition: TableDefinition, count: Int, to output: ByteOutput) {
        output.separate()
        output.append("{")
        output.member("name", definition.name)
        output.member("embedded", definition.isEmbedded)
        output.member("count", count)
        output.member("properties")
        output.append("[")
        for column in definition.columns { append(column, to: output) }
        output.append("]}")
    }

    private func append(_ column: ColumnDefinition, to output: ByteOutput) {
        let property = SchemaDocument.Property(column)
        output.separate()
        output.append("{")
        output.member("name", property.name)
        output.member("type", property.type)
        output.member("collection", property.collection)
        output.member("optional", property.optional ?? false)
        output.member("primaryKey", property.primaryKey ?? false)
        output.member("indexed", property.indexed ?? false)
        output.member("target", property.target)
        output.member("description", TypeName.description(column))
        output.append("}")
    }

    /// The bytes of each class, and of its properties. Reads all leaves.
    public func sizes(until stop: StopRequest? = nil) throws -> [UInt8] {
        try read(until: stop) { connection in
            let output = ByteOutput()
            output.append("{\"classes\":[")
            for definition in try connection.tableDefinitions() {
                let storage = try connection.storage(of: table(definition.name, connection))
                output.separate()
                output.append("{")
                output.member("name", definition.name)
                for (name, bytes) in [
                    ("total", storage.total), ("primaryKeys", storage.primaryKeys),
                    ("backlinks", storage.backlinks), ("structure", storage.structure),
                ] { output.append(text: ",\"\(name)\":\(bytes)") }
                output.append(text: ",\"properties\":\(storage.columns)")
                output.append(text: ",\"indexes\":\(storage.indexes)}")
            }
            output.append("]}")
            return output.contents
        }
    }

    /// The classes as Swift source.
    public func swiftSource() throws -> String {
        try read { connection in
            SwiftSource(
                try connection.tableDefinitions(), version: try connection.schemaVersion() ?? 0
            ).text()
        }
    }
}
