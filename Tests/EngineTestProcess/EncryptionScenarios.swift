import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// Scenarios about encrypted files. The first argument of each is the path.
let encryptionScenarios: [String: Scenario] = [
    // Arguments: path, commits, seed.
    "change-cells": { arguments in
        let connection = try Connection(
            Database.open(path: arguments[0], options: FileKind.encrypted.options))
        var random = RepeatableRandom(seed: UInt64(arguments[2])!)
        report("open")
        waitForTest()
        for round in 0..<Int(arguments[1])! {
            // Check once more without the write lock, while the other processes write.
            _ = try connection.refresh()
            guard try CheckedCells.checkedChanges(connection) != nil,
                try CheckedCells.change(connection, &random)
            else {
                report("stale page in round \(round), version \(connection.version)")
                return
            }
        }
        report("done")
        waitForTest()
    },
    // Reports from a forked child whether decrypted pages are there, the result of reading one, and
    // whether the child would write with its parent's nonces.
    "fork-with-decrypted-pages": { arguments in
        let database = try Database.open(
            path: arguments[0], options: FileKind.encrypted.options)
        let pager = try Pager(database: database)
        try pager.beginRead()
        let start = try pager.page(pager.root)
        let isThere = Node(start).birth == pager.root.birth
        var random = SealingSession()
        let salt = random.next().salt
        guard forkProcess() == 0 else {
            var status: Int32 = 0
            wait(&status)
            return
        }
        let isGone = UnsafeRawBufferPointer(start: start, count: pager.pageSize)
            .allSatisfy { $0 == 0 }
        report("parent \(isThere), child \(!isGone)")
        do {
            _ = try pager.page(pager.root)
            report("read")
        } catch let error as StorageError {
            report("\(error.code)")
        }
        report("same session: \(random.next().salt == salt)")
        _exit(0)
    },
    // Ends the process by `exit` while its threads go on until the system ends them.
    "exit-beside-threads": { arguments in
        // Runs as the last exit handler, because it is registered first.
        atexit { usleep(20_000) }
        let database = try Database.open(
            path: arguments[0], options: FileKind.encrypted.options)
        let writers = (0..<2).map { number in
            BackgroundThread { _ in
                let connection = try Connection(database)
                var random = RepeatableRandom(seed: UInt64(number))
                while try CheckedCells.change(connection, &random, .relaxed) {}
            }
        }
        report("writing")
        waitForTest()
        withExtendedLifetime(writers) { exit(0) }
    },
]
