import Foundation
import Glibc
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Compaction: files are rewritten packed, in place.
@Suite struct CompactionTests {
    private let directory: CrashDirectory
    private let path: String

    init() throws {
        directory = try CrashDirectory()
        path = directory.file("data")
    }

    /// Creates a closed file with much free space, and returns the digest of its contents.
    private func prepare(_ kind: FileKind = .plain, items: Int = 600) throws -> UInt64 {
        let connection = try Connection(Database.open(path: path, options: kind.options))
        try ShrinkWorkload.prepare(connection, items: items)
        try ShrinkWorkload.deleteMost(connection)
        return try DatabaseDigest.of(connection)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    private func size() throws -> UInt64 { try System.status(path: path).size }

    private func expectHolds(_ digest: UInt64, _ kind: FileKind = .plain) throws {
        let connection = try Connection(Database.open(path: path, options: kind.options))
        #expect(try DatabaseDigest.of(connection) == digest)
        #expect(try connection.verify() == [])
    }

    @Test(arguments: FileKind.allCases)
    func aCompactedFileHoldsTheSameAndNothingElse(kind: FileKind) throws {
        let digest = try prepare(kind)
        let before = try size()
        var asked: (UInt64, UInt64)?
        let isDone = try Database.compact(path: path, options: kind.options) {
            asked = ($0, $1)
            return true
        }
        #expect(isDone)
        #expect(asked?.0 == before)
        #expect(try #require(asked).1 < before / 3)
        #expect(try size() <= (try #require(asked)).1)
        #expect(try names == ["data", "data.lock", "data.management"])
        try expectHolds(digest, kind)
        // There is no free space except the unused parts of full leaves.
        let connection = try Connection(Database.open(path: path, options: kind.options))
        let statistics = try connection.database.statistics()
        #expect(statistics.freeBytes <= statistics.liveBytes / 4)
        // The file can be written to.
        for step in 1...30 { try ShrinkWorkload.run(step, on: connection) }
        #expect(try connection.verify() == [])
    }

    @Test func aRewrittenFileHasAnotherKey() throws {
        let digest = try prepare()
        let keys: [[UInt8]?] = [nil, FileKind.key, [UInt8](repeating: 5, count: 64), nil]
        for (old, new) in zip(keys, keys.dropFirst()) {
            #expect(
                try Database.rewrite(
                    path: path, options: .init(encryptionKey: old), encryptionKey: new))
            let error = #expect(throws: StorageError.self) {
                try Database.open(path: path, options: .init(encryptionKey: old))
            }
            #expect(error?.code == .wrongKey)
            let connection = try Connection(
                Database.open(path: path, options: .init(encryptionKey: new)))
            #expect(connection.database.isEncrypted == (new != nil))
            #expect(try DatabaseDigest.of(connection) == digest)
            #expect(try connection.verify() == [])
        }
    }

    @Test func aFileIsNotCompactedAgainstTheOwnersWish() throws {
        let digest = try prepare()
        let before = try readBytes(path)
        #expect(try !Database.compact(path: path) { _, _ in false })
        #expect(try readBytes(path).count == before.count)
        let refusal = StorageError(.invalidArgument, path: path, message: "Not now.")
        #expect(throws: refusal) {
            try Database.compact(path: path) { _, _ throws(StorageError) in throw refusal }
        }
        try expectHolds(digest)
    }

    @Test func whatIsNotThereIsNotCompacted() throws {
        var isAsked = false
        let isDone = try Database.compact(path: path) { _, _ in
            isAsked = true
            return true
        }
        #expect(!isDone && !isAsked)
        #expect(try names == [])
    }

    @Test func aFileThatThisProcessHasOpenIsNotCompacted() throws {
        _ = try prepare()
        let before = try size()
        for readOnly in [false, true] {
            let database = try Database.open(path: path, options: .init(readOnly: readOnly))
            #expect(try !Database.compact(path: path))
            #expect(try size() == before)
            withExtendedLifetime(database) {}
        }
        #expect(try Database.compact(path: path))
    }

    @Test(arguments: FileKind.allCases)
    func aFileThatAnotherProcessHasOpenIsNotCompacted(kind: FileKind) throws {
        let digest = try prepare(kind)
        let child = try CoordinationTestProcess("read-versions", path, kind.rawValue)
        #expect(child.nextLine() == "0 \(digest)")
        var isAsked = false
        let isDone = try Database.compact(path: path, options: kind.options) { _, _ in
            isAsked = true
            return true
        }
        #expect(!isDone && isAsked)
        child.kill()
        #expect(try Database.compact(path: path, options: kind.options))
        try expectHolds(digest, kind)
    }

    @Test func aFileWithTwoNamesIsLeftAlone() throws {
        let digest = try prepare()
        try #require(link(path, directory.file("other")) == 0)
        #expect(try !Database.compact(path: path))
        try expectHolds(digest)
    }

    @Test func aLinkLeadsToTheCompactedFile() throws {
        let digest = try prepare()
        let link = directory.file("link")
        try #require(symlink("data", link) == 0)
        let before = try size()
        #expect(try Database.compact(path: link))
        #expect(try size() < before)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "data")
        try expectHolds(digest)
    }

    @Test func permissionsStay() throws {
        _ = try prepare()
        try #require(chmod(path, 0o660) == 0)
        #expect(try Database.compact(path: path))
        #expect(try System.status(path: path).permissions == 0o660)
    }

    /// Collections in mixed values keep their identities, so no later version may assign one again.
    @Test func versionsGoOnInACompactedFileAndInACopy() throws {
        let digest = try prepare()
        let copyPath = directory.file("copy")
        let version = try {
            let connection = try Connection(Database.open(path: path))
            try connection.writeCopy(toPath: copyPath)
            return connection.version
        }()
        #expect(try Database.compact(path: path))
        for path in [path, copyPath] {
            let connection = try Connection(Database.open(path: path))
            #expect(connection.version > version)
            #expect(try DatabaseDigest.of(connection) == digest)
            let table = try connection.table(named: "Item")!
            let list = try #require(try table.nestedList(7, of: table.key(at: 0)))
            try connection.beginWrite()
            try list.insertEmpty(.list, at: 0)
            let new = try #require(try list.nestedList(at: 0))
            #expect(try #require(new.collection.path.last).identity.version > version)
            #expect(try #require(list.collection.path.last).identity.version <= version)
            try connection.commit()
            #expect(try connection.verify() == [])
        }
    }

    // MARK: Concurrent openers

    /// Processes that open the file wait while it is rewritten, and then open the new one.
    @Test func whoOpensTheFileMeanwhileFindsTheNewOne() throws {
        let digest = try prepare(items: 1500)
        for _ in 0..<3 {
            let child = try CoordinationTestProcess("compact", path, "plain")
            let openers = (0..<4).map { number in
                let path = path
                return BackgroundThread { _ in
                    var digests: [UInt64] = []
                    for _ in 0..<20 {
                        let connection = try Connection(
                            number == 0 ? .openUnregistered(path: path) : .open(path: path))
                        digests.append(try DatabaseDigest.of(connection))
                    }
                    return digests
                }
            }
            for opener in openers {
                for found in try opener.wait() { #expect(found == digest) }
            }
            #expect(["true", "false"].contains(child.nextLine()))
            try expectHolds(digest)
        }
        #expect(try names.filter { $0 != "data.management" } == ["data", "data.lock"])
    }

    /// Processes increment a counter in transactions while others try to compact. No increment is
    /// lost.
    @Test func nothingIsLostBetweenWritersAndCompaction() throws {
        do { try SharedCounter.create(Connection(Database.open(path: path))) }
        let path = path
        let compactions = Locked(0)
        let compacting = BackgroundThread { isStopped in
            while !isStopped() {
                let child = try CoordinationTestProcess("compact", path, "plain")
                if child.nextLine() == "true" { compactions.withLock { $0 += 1 } }
                _ = child.waitForSignal()
            }
        }
        var round: Int64 = 0
        // On a busy machine, the other process may need many attempts until it comes at a time when
        // the file is closed.
        let deadline = Date() + 60
        while round < 150 || compactions.withLock({ $0 }) == 0 && Date() < deadline {
            // The file is opened anew each time, so that there are times at which no process has it
            // open.
            do {
                let connection = try Connection(Database.open(path: path))
                try SharedCounter.increment(connection, writer: 0, round)
            }
            if round % 10 == 0 { usleep(20_000) }
            round += 1
        }
        try compacting.finish()
        #expect(compactions.withLock { $0 } > 0)
        let connection = try Connection(Database.open(path: path))
        #expect(try SharedCounter.read(connection).log == (0..<round).map { $0 })
        #expect(try connection.verify() == [])
    }

    // MARK: Failures

    @Test(arguments: FileKind.allCases)
    func aKillAtAnyCallLeavesTheOldFileOrTheNewOne(kind: FileKind) throws {
        let digest = try prepare(kind, items: 150)
        let image = try readBytes(path)
        let whole = try CoordinationTestProcess("compact-with-faults", path, "", kind.rawValue)
        let line = try #require(whole.nextLine()).split(separator: " ")
        #expect(line[0] == "true")
        let calls = try #require(Int(line[1]))
        for call in stride(from: 1, through: calls, by: LongTests.choose(1, otherwise: 3)) {
            unlink(path)
            try Data(image).write(to: URL(fileURLWithPath: path))
            let child = try CoordinationTestProcess(
                "compact-with-faults", path, "kill-before:\(call)", kind.rawValue)
            _ = child.nextLine()
            _ = child.waitForSignal()
            try expectHolds(digest, kind)
            // The files that the failed call left behind do not disturb the next one.
            #expect(try Database.compact(path: path, options: kind.options), "call \(call)")
            #expect(try names == ["data", "data.lock", "data.management"], "call \(call)")
            try expectHolds(digest, kind)
        }
    }

    /// The kind of the file, by the key that opens it.
    private func kindOfFile() throws -> FileKind {
        do throws(StorageError) {
            _ = try Database.open(path: path, options: FileKind.plain.options)
            return .plain
        } catch  where error.code == .wrongKey {
            return .encrypted
        }
    }

    @Test(arguments: [(FileKind.plain, FileKind.encrypted), (.encrypted, .plain)])
    func aKillWhileTheKeyChangesLeavesTheOldFileOrTheNewOne(
        old: FileKind, new: FileKind
    ) throws {
        let digest = try prepare(old, items: 150)
        let image = try readBytes(path)
        let arguments = [old.rawValue, new.rawValue]
        let whole = try CoordinationTestProcess(
            "rewrite-with-faults", path, "", arguments[0], arguments[1])
        let line = try #require(whole.nextLine()).split(separator: " ")
        #expect(line[0] == "true")
        let calls = try #require(Int(line[1]))
        var found: Set<FileKind> = []
        let step = LongTests.choose(1, otherwise: 4)
        for call in Array(stride(from: 1, to: calls, by: step)) + [calls] {
            unlink(path)
            try Data(image).write(to: URL(fileURLWithPath: path))
            let child = try CoordinationTestProcess(
                "rewrite-with-faults", path, "kill-before:\(call)", arguments[0], arguments[1])
            _ = child.nextLine()
            _ = child.waitForSignal()
            let kind = try kindOfFile()
            found.insert(kind)
            try expectHolds(digest, kind)
        }
        #expect(found == [old, new])
    }

    @Test func whoEndsItEarlyFindsTheFileAsItWas() throws {
        do {
            try ShrinkWorkload.prepare(Connection(Database.open(path: path)), items: 1500)
        }
        let digest = try DatabaseDigest.of(Connection(Database.open(path: path)))
        let interruption = StorageError(.interrupted, path: path, message: "Interrupted.")
        let keys: [[UInt8]?] = [nil, FileKind.key]
        for key in keys {
            var calls = 0
            let ending: Database.Progress = { done, all throws(StorageError) in
                #expect(done <= all)
                calls += 1
                if calls == 2 { throw interruption }
            }
            #expect(throws: interruption) {
                try Database.rewrite(
                    path: path, options: .init(), encryptionKey: key, progress: ending)
            }
            #expect(calls == 2)
            calls = 0
            #expect(throws: interruption) {
                try Connection(Database.open(path: path)).writeCopy(
                    toPath: directory.file("copy"), encryptionKey: key, progress: ending)
            }
            #expect(try names == ["data", "data.lock", "data.management"])
            let left = try FileManager.default.contentsOfDirectory(
                atPath: directory.file("data.management"))
            #expect(left == [])
        }
        try expectHolds(digest)
        #expect(throws: interruption) {
            try Connection(Database.open(path: path)).verify { _, _ throws(StorageError) in
                throw interruption
            }
        }
    }

    @Test func aFullDiskLeavesTheFileAsItWas() throws {
        let digest = try prepare()
        let before = try size()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        for ordinal in 1...2 {
            interceptor.setFaults([
                SystemCallFault(.fail(errno: ENOSPC), call: .fallocate, ordinal: ordinal)
            ])
            let error = #expect(throws: StorageError.self) { try Database.compact(path: path) }
            #expect(error?.code == .outOfDiskSpace)
            #expect(try size() == before)
        }
        interceptor.setFaults([])
        #expect(try names == ["data", "data.lock", "data.management"])
        try expectHolds(digest)
    }
}
