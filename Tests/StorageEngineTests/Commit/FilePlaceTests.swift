import Foundation
import Testing

@testable import StorageEngine

/// Files that are removed, moved or replaced while they are open.
@Suite struct FilePlaceTests {
    private let directory = TestDirectory()
    private var path: String { directory.file() }

    private func open(_ name: String = "test.realm") throws -> Pager {
        let pager = try Pager(database: Database.open(path: directory.file(name)))
        try pager.write { store in try store.set(0, value(1)) }
        return pager
    }

    private func commitError(
        _ pager: Pager, _ durability: CommitDurability = .full
    ) throws -> StorageError? {
        do {
            try pager.beginWrite()
            try ValueStore(pager).set(1, value(2))
            _ = try pager.commit(durability)
            return nil
        } catch let error as StorageError {
            #expect(!pager.isInWriteTransaction)
            return error
        }
    }

    /// Waits for longer than a commit relies on the last check of the path.
    private func waitForPathCheck() { usleep(2000) }

    private func expectsLoss(_ pager: Pager, _ how: String) throws {
        for durability in [CommitDurability.full, .relaxed] {
            let error = try commitError(pager, durability)
            #expect(error?.code == .fileReplaced)
            #expect(error?.path == path)
            #expect(error?.message.contains(how) == true)
        }
        // The file can still be read.
        #expect(try pager.newestValues()[0] == value(1))
    }

    @Test func aCommitToAFileWithoutANameFails() throws {
        let pager = try open()
        unlink(path)
        try expectsLoss(pager, "was removed")
    }

    @Test func aCommitToAFileInADirectoryThatWasRemovedFails() throws {
        #expect(mkdir(directory.file("below"), 0o777) == 0)
        let pager = try Pager(database: Database.open(path: directory.file("below/a")))
        try pager.write { store in try store.set(0, value(1)) }
        try FileManager.default.removeItem(atPath: directory.file("below"))
        #expect(try commitError(pager)?.code == .fileReplaced)
    }

    @Test func aCommitToAFileThatAnotherOneReplacedFails() throws {
        let pager = try open()
        do { _ = try open("other") }
        #expect(rename(directory.file("other"), path) == 0)
        try expectsLoss(pager, "was removed")
        // A process that opens the path gets the other file, once the lock file of the first one is
        // not in use.
    }

    @Test func aCommitToAFileThatWasMovedAwayFailsOnceAnotherOneIsThere() throws {
        let pager = try open()
        #expect(rename(path, directory.file("moved")) == 0)
        waitForPathCheck()
        // The commit goes to the file at its new place.
        #expect(try commitError(pager) == nil)
        try FileManager.default.copyItem(atPath: directory.file("moved"), toPath: path)
        waitForPathCheck()
        try expectsLoss(pager, "was moved away")
    }

    @Test func aFileThatIsPutBackCanBeWrittenToAgain() throws {
        let pager = try open()
        #expect(rename(path, directory.file("moved")) == 0)
        try Data().write(to: URL(fileURLWithPath: path))
        waitForPathCheck()
        try expectsLoss(pager, "was moved away")
        #expect(rename(directory.file("moved"), path) == 0)
        #expect(try commitError(pager) == nil)
    }

    @Test func everyProcessIsTold() throws {
        let pager = try open()
        let other = try Pager(database: .openUnregistered(path: path))
        unlink(path)
        try expectsLoss(other, "was removed")
        try expectsLoss(pager, "was removed")
    }

    @Test func afterwardsAFileAtThePathIsOpenedAnew() throws {
        do {
            let pager = try open()
            unlink(path)
            try expectsLoss(pager, "was removed")
        }
        let pager = try Pager(database: Database.open(path: path))
        #expect(try commitError(pager) == nil)
    }

    // MARK: Changes without loss

    @Test func otherNamesKeepAFile() throws {
        let pager = try open()
        #expect(link(path, directory.file("second")) == 0)
        waitForPathCheck()
        #expect(try commitError(pager) == nil)
        unlink(path)
        waitForPathCheck()
        #expect(try commitError(pager) == nil)
        unlink(directory.file("second"))
        #expect(try commitError(pager)?.code == .fileReplaced)
    }

    @Test func aLinkThatIsTurnedElsewhereKeepsAFile() throws {
        do { _ = try open("first") }
        do { _ = try open("second") }
        #expect(symlink(directory.file("first"), path) == 0)
        let pager = try Pager(database: Database.open(path: path))
        unlink(path)
        #expect(symlink(directory.file("second"), path) == 0)
        waitForPathCheck()
        #expect(try commitError(pager) == nil)
    }

    @Test func whatCannotBeToldIsNoLoss() throws {
        let pager = try open()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [
                .init(.failForever(errno: EACCES), call: .stat, ordinal: 1),
                .init(.failForever(errno: EIO), call: .fstat, ordinal: 1),
            ])
        interceptor.install()
        defer { interceptor.uninstall() }
        waitForPathCheck()
        #expect(try commitError(pager) == nil)
    }

    @Test func aDatabaseInMemoryHasNoPlaceToLose() throws {
        let pager = try Pager(
            database: Database.open(path: path, options: .init(inMemory: true)))
        #expect(try commitError(pager) == nil)
    }

    /// A commit makes one more system call, and hardly ever a second one.
    @Test func aCommitLooksOnce() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try open()
        #expect(try commitError(pager, .relaxed) == nil)
        let (opened, paths) = (interceptor.count(of: .fstat), interceptor.count(of: .stat))
        let start = ContinuousClock.now
        for _ in 0..<200 { #expect(try commitError(pager, .relaxed) == nil) }
        let time = start.duration(to: .now)
        #expect(interceptor.count(of: .fstat) - opened == 200)
        #expect(interceptor.count(of: .stat) - paths <= Int(time / .milliseconds(1)) + 1)
    }
}
