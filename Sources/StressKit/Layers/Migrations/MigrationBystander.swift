import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// A thread of another process than the one that migrates. It has the file open, and reads or
/// writes all the time.
struct MigrationBystander {
    private let file: MigratedFile
    private let path: String
    /// Returns whether it was told that the schema has changed.
    private let reading: BackgroundThread<Bool>?
    /// Returns how many transactions it has made.
    private let writing: BackgroundThread<Int64>?

    init(_ scenario: String, _ file: MigratedFile, _ path: String) throws {
        self.file = file
        self.path = path
        let (reads, writes) = (scenario == "beside", scenario == "writer-beside")
        // Opened here, so that it is open before the other process starts.
        let database = reads || writes ? try Database.open(path: path, options: file.options) : nil
        reading = reads ? Self.startReading(database!, file) : nil
        writing = writes ? Self.startWriting(database!, file) : nil
    }

    /// Reads each version that a connection gets to see.
    private static func startReading(
        _ database: Database, _ file: MigratedFile
    ) -> BackgroundThread<Bool> {
        BackgroundThread { isStopped in
            let connection = try Connection(database)
            var (isChanged, wasNew) = (false, false)
            // Once more after the end, when all is there.
            var isLast = false
            repeat {
                isLast = isStopped()
                do { _ = try connection.refresh() } catch let error as StorageError
                    where error.code == .schemaChanged
                {
                    isChanged = true
                }
                let isNew = try file.isNew(connection)
                if wasNew, !isNew {
                    throw Finding(.wrongState, "a reader sees the file before the migration again.")
                }
                wasNew = isNew
            } while !isLast
            return isChanged
        }
    }

    /// Counts in a class that is none of the application's. Opens the file anew when it is told
    /// that the schema has changed.
    private static func startWriting(
        _ database: Database, _ file: MigratedFile
    ) -> BackgroundThread<Int64> {
        BackgroundThread { isStopped in
            var connection = try Connection(database)
            var (count, changes) = (Int64(0), 0)
            while !isStopped() {
                do {
                    let next = try StressWorkload.countBystander(on: connection)
                    guard next == count + 1 else {
                        throw Finding(.lostCommit, "a count is \(next) after \(count).")
                    }
                    count = next
                } catch let error as StorageError where error.code == .schemaChanged {
                    changes += 1
                    if changes > 1 {
                        throw Finding(.wrongError, "the schema changes twice in one migration.")
                    }
                    connection = try Connection(database)
                }
            }
            return count
        }
    }

    /// Ends the thread, and judges what it was told.
    func finish(_ outcome: MigratedFile.Outcome) throws {
        if let reading, try reading.finish(), try !file.judge(path, outcome) {
            throw Finding(
                .wrongError, "a reader is told of another schema, and the file is the old one.")
        }
        guard let writing else { return }
        let count = try writing.finish()
        let found = try Self.count(in: path, file.options)
        if found != count {
            throw Finding(.lostCommit, "\(count) transactions were made, and \(found) are there.")
        }
    }

    static func count(in path: String, _ options: Database.Options) throws -> Int64 {
        let connection = try Connection(Database.open(path: path, options: options))
        guard let table = try connection.table(named: StressSchema.bystander),
            case .integer(let count) = try table.value(0, of: table.key(at: 0))
        else { throw Finding(.wrongState, "a class that is not migrated has no object.") }
        return count
    }
}
