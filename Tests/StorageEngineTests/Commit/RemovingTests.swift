import Foundation
import Glibc
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Removing a database file together with the files that belong to it, and refusing to remove
/// anything else.
@Suite struct RemovingTests {
    private let directory: CrashDirectory
    private let path: String

    init() throws {
        directory = try CrashDirectory()
        path = directory.file("data")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    /// Creates a closed file of a few versions. Returns the digest of its contents.
    @discardableResult
    private func prepare(_ path: String) throws -> UInt64 {
        let connection = try Connection(Database.open(path: path))
        try ShrinkWorkload.prepare(connection, items: 20)
        return try DatabaseDigest.of(connection)
    }

    private func expectRefused(
        _ code: StorageError.Code, _ path: String, _ source: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: StorageError.self, sourceLocation: source) {
            try Database.remove(path: path)
        }
        #expect(error?.code == code, sourceLocation: source)
        #expect(error?.message.contains(path) == true, sourceLocation: source)
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file(name)))
    }

    /// Between looking at a file and removing it, somebody else may have removed it and made
    /// another one, even in the same place on the disk.
    @Test func aFileThatIsNotTheOneMeantIsLeftAlone() throws {
        try prepare(path)
        let meant = try Database.open(path: path).identifier
        #expect(try Database.open(path: path).identifier == meant)
        #expect(try Database.remove(path: path))
        let digest = try prepare(path)
        let other = try Database.open(path: path).identifier
        #expect(other != meant)
        #expect(try !Database.remove(path: path, ifIdentifiedAs: meant))
        #expect(try DatabaseDigest.of(Connection(Database.open(path: path))) == digest)
        #expect(try Database.remove(path: path, ifIdentifiedAs: other))
        #expect(try !Database.remove(path: path, ifIdentifiedAs: other))
        // An empty file is none that was looked at.
        try write([], to: "data")
        #expect(try !Database.remove(path: path, ifIdentifiedAs: other))
        #expect(try Database.remove(path: path))
    }

    @Test func aFileGoesWithItsSideFilesAndNothingElse() throws {
        try prepare(path)
        #expect(try Database.compact(path: path))
        try write([1], to: "data.management/compact")
        try write([1], to: "data.note")
        try write([1], to: "data.txt")
        try write([1], to: "data2")
        #expect(try Database.remove(path: path))
        #expect(try names == ["data.lock", "data.txt", "data2"])
        #expect(try !Database.remove(path: path))
        // Another file can be created at the path.
        try prepare(path)
    }

    @Test func whatTheLibraryDidNotMakeStaysInTheDirectoryBesideTheFile() throws {
        try prepare(path)
        try #require(mkdir(directory.file("data.management"), 0o777) == 0)
        try write([1], to: "data.management/compact")
        try write([1], to: "data.management/diary")
        #expect(try Database.remove(path: path))
        let left = try FileManager.default.contentsOfDirectory(
            atPath: directory.file("data.management"))
        #expect(left == ["diary"])
    }

    @Test func aLinkInThePlaceOfThatDirectoryIsNotFollowed() throws {
        try prepare(path)
        try #require(mkdir(directory.file("other"), 0o777) == 0)
        try write([1], to: "other/compact")
        try #require(symlink("other", directory.file("data.management")) == 0)
        #expect(throws: StorageError.self) { try Database.compact(path: path) }
        #expect(try Database.remove(path: path))
        #expect(FileManager.default.fileExists(atPath: directory.file("other/compact")))
    }

    @Test func whatIsLeftOfACompactionGoesAlthoughTheFileHasGone() throws {
        try prepare(path)
        #expect(try Database.compact(path: path))
        try write([1], to: "data.management/compact")
        unlink(path)
        try write([1], to: "data.note")
        #expect(try !Database.remove(path: path))
        #expect(try names == ["data.lock", "data.note"])
    }

    @Test func aFolderIsRefusedWithAllThatIsInIt() throws {
        let inside = directory.file("folder") + "/data"
        try #require(mkdir(directory.file("folder"), 0o777) == 0)
        let digest = try prepare(inside)
        for suffix in ["", "/"] { expectRefused(.fileAccess, directory.file("folder") + suffix) }
        try #require(symlink("folder", directory.file("link")) == 0)
        expectRefused(.fileAccess, directory.file("link"))
        let connection = try Connection(Database.open(path: inside))
        #expect(try DatabaseDigest.of(connection) == digest)
    }

    @Test func whatIsNoDatabaseIsRefused() throws {
        try write(Array("a letter".utf8), to: "letter")
        try write([UInt8](repeating: 0, count: 4096), to: "zeros")
        try #require(mkfifo(directory.file("pipe"), 0o600) == 0)
        for name in ["letter", "zeros", "pipe"] {
            try write([1], to: name + ".note")
            expectRefused(.notADatabase, directory.file(name))
            #expect(FileManager.default.fileExists(atPath: directory.file(name + ".note")))
        }
        #expect(try names.count == 6)
        expectRefused(.notADatabase, "/dev/null")
    }

    @Test func damagedUnfinishedAndEmptyFilesAreRemoved() throws {
        try prepare(path)
        var damaged = try readBytes(path)
        damaged[200] ^= 1
        for image in [
            damaged, [], [UInt8](repeating: 0, count: Int(FileHeader.newFileSize)),
        ] {
            try write(image, to: "data")
            #expect(try Database.remove(path: path))
        }
    }

    @Test(arguments: [false, true])
    func aFileThatThisProcessHasOpenIsRefused(readOnly: Bool) throws {
        let digest = try prepare(path)
        try #require(symlink("data", directory.file("link")) == 0)
        do {
            let database = try Database.open(path: path, options: .init(readOnly: readOnly))
            for path in [path, directory.file("link")] { expectRefused(.alreadyOpen, path) }
            #expect(try DatabaseDigest.of(Connection(database)) == digest)
        }
        #expect(try Database.remove(path: path))
    }

    @Test(arguments: FileKind.allCases)
    func aFileThatAnotherProcessHasOpenIsRefused(kind: FileKind) throws {
        do {
            let connection = try Connection(Database.open(path: path, options: kind.options))
            try ShrinkWorkload.prepare(connection, items: 20)
        }
        let child = try CoordinationTestProcess("read-versions", path, kind.rawValue)
        #expect(child.nextLine() != nil)
        let before = try readBytes(path)
        expectRefused(.alreadyOpen, path)
        #expect(try readBytes(path) == before)
        child.kill()
        #expect(try Database.remove(path: path))
    }

    @Test func aFileThatMayOnlyBeReadIsRemoved() throws {
        try prepare(path)
        try #require(chmod(path, 0o444) == 0)
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        do {
            let other = try CoordinationTestFile(path, readOnly: true)
            interceptor.setFaults([SystemCallFault(.fail(errno: EACCES), call: .open, ordinal: 1)])
            expectRefused(.alreadyOpen, path)
            try other.close()
        }
        interceptor.setFaults([SystemCallFault(.fail(errno: EACCES), call: .open, ordinal: 1)])
        #expect(try Database.remove(path: path))
    }

    @Test func aLinkLeadsToTheFileThatIsRemoved() throws {
        try prepare(path)
        let link = directory.file("link")
        try #require(symlink("data", link) == 0)
        #expect(try Database.remove(path: link))
        #expect(try names == ["data.lock", "link"])
        #expect(try !Database.remove(path: link))
        // The link leads to the next file.
        try prepare(link)
        #expect(try names == ["data", "data.lock", "link"])
    }

    @Test func aRefusalOfTheSystemLeavesTheFile() throws {
        let digest = try prepare(path)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [SystemCallFault(.failForever(errno: EACCES), call: .unlink, ordinal: 1)])
        interceptor.install()
        expectRefused(.permissionDenied, path)
        interceptor.uninstall()
        let connection = try Connection(Database.open(path: path))
        #expect(try DatabaseDigest.of(connection) == digest)
    }

    /// A process that opens a file while it is removed waits, and creates a new one. Its commits
    /// are not lost.
    @Test func nobodyCommitsToAFileThatHasBeenRemoved() throws {
        let path = path
        let removing = BackgroundThread { isStopped in
            var count = 0
            while !isStopped() {
                do { if try Database.remove(path: path) { count += 1 } } catch let error {
                    guard (error as? StorageError)?.code == .alreadyOpen else { throw error }
                }
                usleep(100)
            }
            return count
        }
        for round in 0..<150 {
            let connection = try Connection(
                round % 2 == 0 ? .open(path: path) : .openUnregistered(path: path))
            try connection.beginWrite()
            try connection.setSchemaVersion(UInt64(round))
            try connection.commit()
            let opened = try System.status(connection.database.file.descriptor)
            let present = try System.status(path: path)
            #expect(opened.inode == present.inode && opened.linkCount == 1)
        }
        #expect(try removing.finish() > 0)
    }
}
