import Foundation
import Glibc
import StorageEngine
import StressModel
import ToolSupport

extension Trial {
    /// Tries one thing with a database file, which is removed when `body` has returned.
    ///
    /// - Parameter image: the contents of the file; if empty, there is no file yet.
    func attempt(
        _ point: StressPoint, with image: [UInt8], _ body: (_ path: String) throws -> Void
    ) throws {
        try attempt(point) {
            let path = file("tried")
            try write(image, to: path)
            defer { remove(path) }
            try body(path)
        }
    }

    /// Writes a database file, and removes the files beside it.
    package func write(_ bytes: [UInt8], to path: String) throws {
        remove(path)
        if bytes.isEmpty { return }
        do { try Data(bytes).write(to: URL(fileURLWithPath: path)) } catch {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be written: \((error as NSError).localizedDescription). "
                    + "Choose another folder with --path.")
        }
    }

    package func remove(_ path: String) {
        unlink(path)
        unlink(path + ".lock")
        try? FileManager.default.removeItem(atPath: Self.management(of: path))
    }

    private static func management(of path: String) -> String { path + ".management" }

    /// Compacts a file that no process has open. That must work and leave nothing behind.
    func compactAlone(_ path: String, _ options: Database.Options) throws {
        guard try Database.compact(path: path, options: options) else {
            throw Finding(.wrongState, "a file that no process has open was not compacted.")
        }
        cover("compactions")
        let left = try? FileManager.default.contentsOfDirectory(
            atPath: Self.management(of: path))
        if let name = left?.first {
            throw Finding(.wrongState, "a compaction left '\(name)' behind.")
        }
    }

    package func read(_ path: String) throws -> [UInt8] {
        do { return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } catch {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be read: \((error as NSError).localizedDescription)")
        }
    }

    /// Returns the contents of a database file after the first transactions of a point's workload.
    /// The database was closed cleanly.
    package func prepare(_ point: StressPoint, transactions: Int) throws -> [UInt8] {
        guard transactions > 0 else { return [] }
        let path = file("prepared")
        remove(path)
        defer { remove(path) }
        try run(point, transactions, path)
        return try read(path)
    }

    /// Runs the transactions. A separate function, so that the database is closed when it returns.
    private func run(_ point: StressPoint, _ transactions: Int, _ path: String) throws {
        let workload = try point.workload()
        let connection = try Connection(Database.open(path: path, options: point.options()))
        for transaction in 1...transactions { try workload.run(transaction, on: connection) }
    }
}
