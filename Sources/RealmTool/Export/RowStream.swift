import StorageEngine
import ToolSupport

/// Passes objects to a writer, one leaf after another, so that memory does not grow with them.
struct RowStream {
    let connection: Connection
    let table: Table
    let output: ByteOutput
    let progress: ProgressLine?
    private static let keysBetweenChecks = 1024

    /// Writes the first objects in the order of their keys.
    func writeAll(limit: Int = .max, to writer: any RowWriter) throws {
        let all = min(try table.count(), limit)
        var done = 0
        var scan = try LeafScan(table, keepsLeaves: false)
        while done < limit, try scan.next() {
            let leaf = scan.leaf
            let count = min(scan.rowCount, limit - done)
            for row in 0..<count {
                try writer.append(RowLocation(leaf: leaf, row: row))
            }
            done += count
            try didWrite(done, of: all)
        }
    }

    /// Writes objects by their keys.
    func write(_ keys: [ObjectKey], to writer: any RowWriter) throws {
        for (index, key) in keys.enumerated() {
            guard let location = try table.location(of: key) else { continue }
            try writer.append(location)
            if index % Self.keysBetweenChecks == 0 {
                try didWrite(index, of: keys.count)
                connection.releaseExcessMemory()
            }
        }
    }

    private func didWrite(_ done: Int, of all: Int) throws {
        try output.check()
        try Interrupted.check()
        progress?.update(UInt64(done), of: UInt64(all)) { ProgressLine.rows(done, $0) }
    }
}
