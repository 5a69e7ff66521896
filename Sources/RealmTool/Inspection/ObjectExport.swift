import StorageEngine
import ToolSupport

/// The objects of a class or a query as text, part by part, so that memory does not grow with them.
// Safe because it is used by one thread at a time.
public final class ObjectExport: @unchecked Sendable {
    public enum Format: String, Sendable { case csv, jsonl }

    private static let bytesOfPart = 1 << 18

    /// Keeps the version pinned.
    private let version: InspectedVersion
    private let connection: Connection
    private let table: Table
    private let rows: FoundRows
    private let output = ByteOutput(capacity: bytesOfPart)
    private let writer: any RowWriter
    private var position = 0
    private var hasBegun = false

    /// - Parameter columns: the properties that are written, in this order; nil for all.
    public init(
        _ version: InspectedVersion, _ question: InspectedVersion.Question, _ format: Format,
        columns: [String]?
    ) throws {
        self.version = version
        connection = try version.connection()
        table = try version.table(question.className, connection)
        rows = try version.find(question, upTo: .max, in: table, connection)
        let objects = ObjectText(connection)
        let shape = RowShape(
            table: table, properties: try objects.properties(of: table, named: columns),
            objects: objects)
        writer =
            switch format {
            case .csv:
                CSVWriter(shape, to: output, delimiter: UInt8(ascii: ","), hasHeader: true)
            case .jsonl: JSONWriter(shape, to: output, isArray: false)
            }
    }

    /// The next part; nil at the end.
    public func next() throws -> [UInt8]? {
        output.clear()
        if !hasBegun { try writer.begin() }
        hasBegun = true
        while position < rows.count, output.count < Self.bytesOfPart {
            if let location = try rows.location(at: position, in: table) {
                try writer.append(location)
            }
            position += 1
        }
        connection.releaseExcessMemory()
        return output.count > 0 ? output.contents : nil
    }
}
