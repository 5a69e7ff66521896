import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Several processes with one encrypted file, and a process that forks.
@Suite struct EncryptionProcessTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// One process keeps a page decrypted that the other writes again and again.
    @Test func twoProcessesNeverReadStalePages() throws {
        let path = directory.file("cells")
        let connection = try FileKind.encrypted.open(path)
        try CheckedCells.create(connection)
        let commits = 5000
        let children = try (0..<2).map {
            try CoordinationTestProcess("change-cells", path, "\(commits)", "\($0)")
        }
        for child in children { #expect(child.nextLine() == "open") }
        for child in children { try child.proceed() }
        // A third process only reads, independently of the others.
        var last: Int64 = 0
        while true {
            _ = try connection.refresh()
            let changes = try #require(try CheckedCells.checkedChanges(connection))
            try #require(changes >= last)
            last = changes
            if last == 2 * Int64(commits) { break }
            let coordinator = connection.database.coordinator
            let newest = coordinator.waitForVersion(
                newerThan: connection.version, timeout: .seconds(30))
            if newest == connection.version { break }
        }
        for child in children {
            #expect(child.nextLine() == "done")
            try child.proceed()
        }
        #expect(last == 2 * Int64(commits))
        #expect(try connection.verify() == [])
    }

    @Test func aForkedChildHasNeitherPagesNorTheParentsSession() throws {
        let path = directory.file("forked")
        do {
            let pager = try Pager(
                database: .open(path: path, options: FileKind.encrypted.options))
            try pager.write { try $0.set(0, value(1)) }
        }
        let process = try CoordinationTestProcess("fork-with-decrypted-pages", path)
        #expect(process.nextLine() == "parent true, child false")
        #expect(process.nextLine() == "usedAfterFork")
        #expect(process.nextLine() == "same session: false")
    }

    /// `exit` lets libraries clean up while threads still encrypt.
    @Test func aProcessEndsInOrderWhileItsThreadsWrite() throws {
        let path = directory.file("ending")
        try CheckedCells.create(FileKind.encrypted.open(path))
        for _ in 0..<20 {
            let process = try CoordinationTestProcess("exit-beside-threads", path)
            #expect(process.nextLine() == "writing")
            usleep(UInt32.random(in: 0..<5000))
            try process.proceed()
            try #require(process.waitForSignal() == 0)
        }
        let connection = try FileKind.encrypted.open(path)
        #expect(try CheckedCells.checkedChanges(connection) != nil)
        #expect(try connection.verify() == [])
    }

    /// The kernel tells which memory it leaves out of core dumps, and what a forked child would
    /// find.
    @Test(arguments: [true, false]) func decryptedPagesAreNotDumped(isShared: Bool) throws {
        let path = directory.file("dumped")
        var options = FileKind.encrypted.options
        if !isShared { options.mostDecryptedBytes = 0 }
        let pager = try Pager(database: .open(path: path, options: options))
        try pager.write { try $0.set(0, value(1)) }
        let address = UInt(bitPattern: try pager.page(pager.root))
        // It is read as a stream, because the file system reports its length as 0.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        var isInside = false
        var flags: [Substring]?
        for line in maps.split(separator: "\n") {
            let range = line.prefix { $0 != " " }.split(separator: "-")
            if range.count == 2, let start = UInt(range[0], radix: 16),
                let end = UInt(range[1], radix: 16)
            {
                isInside = start <= address && address < end
            } else if isInside, line.hasPrefix("VmFlags:") {
                flags = line.split(separator: " ")
            }
        }
        let found = try #require(flags, "\(maps.count) characters, \(address)")
        #expect(found.contains("dd") && found.contains("wf"))
        #expect((pager.privateRuns == nil) == isShared)
    }
}
