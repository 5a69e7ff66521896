import StorageEngine
import ToolSupport

/// All objects of a file as lines of JSON, for those who compare files.
package enum ObjectLines {
    /// Calls `body` with the class and the text of each object that is not embedded in another one,
    /// class by class.
    package static func forEach(
        in connection: Connection, _ body: (_ className: String, _ line: [UInt8]) -> Void
    ) throws {
        let output = ByteOutput()
        for definition in try connection.tableDefinitions() where !definition.isEmbedded {
            guard let table = try connection.table(named: definition.name) else { continue }
            let objects = ObjectText(connection)
            let shape = RowShape(
                table: table, properties: try objects.properties(of: table), objects: objects)
            let writer = JSONWriter(shape, to: output, isArray: false)
            var scan = try LeafScan(table, keepsLeaves: false)
            while try scan.next() {
                for row in 0..<scan.rowCount {
                    output.clear()
                    try writer.append(RowLocation(leaf: scan.leaf, row: row))
                    body(definition.name, [UInt8](output.bytes))
                }
                connection.releaseExcessMemory()
            }
        }
    }
}
