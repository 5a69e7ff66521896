import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Foreign files at the paths at which this library expects, or would create, a file of its own.
@Suite(.timeLimit(.minutes(2))) struct ForeignFileTests {
    private let directory = TestDirectory()

    private func create(_ name: String) throws {
        let pager = try Pager(database: Database.open(path: directory.file(name)))
        try pager.write { store in try store.set(0, value(7)) }
    }

    private func openError(
        _ name: String, _ options: Database.Options = .init()
    ) -> StorageError? {
        do throws(StorageError) {
            _ = try Database.open(path: directory.file(name), options: options)
            return nil
        } catch {
            return error
        }
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
    }

    private func expectsRefusal(_ name: String, _ what: String) {
        for readOnly in [false, true] {
            let error = openError(name, .init(readOnly: readOnly))
            #expect(error?.code == .incompatibleLockFile)
            #expect(error?.message.contains(directory.file(name) + ".lock'") == true)
            #expect(error?.message.contains(what) == true)
            #expect(error?.message.contains("Move it away") == true)
        }
    }

    // MARK: At the path of a lock file

    @Test func aDatabaseWhereTheLockFileWouldBeIsLeftAlone() throws {
        try create("a")
        unlink(directory.file("a.lock"))
        try create("a.lock")
        let before = try bytes("a.lock")
        expectsRefusal("a", "a file of something else")
        #expect(try bytes("a.lock") == before)
        let pager = try Pager(database: Database.open(path: directory.file("a.lock")))
        #expect(try pager.newestValues()[0] == value(7))
        // While it is open, even during a transaction, no process waits for its locks.
        expectsRefusal("a", "a file of something else")
        try pager.beginWrite()
        expectsRefusal("a", "a file of something else")
        pager.rollback()
    }

    @Test(arguments: [1, 7, 8, 100, 4096, 200_000, 2_000_000])
    func aFileOfSomebodyWhereTheLockFileWouldBeIsLeftAlone(size: Int) throws {
        try create("a")
        for byte in [UInt8(0), 0x41] {
            var contents = Data(repeating: byte, count: size)
            contents[contents.count - 1] = 0x0A
            try contents.write(to: URL(fileURLWithPath: directory.file("a.lock")))
            expectsRefusal("a", "a file of something else")
            #expect(try bytes("a.lock") == contents)
        }
    }

    @Test func anImageOfZerosIsNoLockFile() throws {
        try create("a")
        let contents = Data(count: 2 << 20)
        try contents.write(to: URL(fileURLWithPath: directory.file("a.lock")))
        expectsRefusal("a", "a file of something else")
        #expect(try bytes("a.lock") == contents)
    }

    @Test func noSymbolicLinkIsFollowedToALockFile() throws {
        try create("a")
        let path = directory.file("a.lock")
        unlink(path)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: directory.file("target")))
        for target in ["target", "missing"] {
            unlink(path)
            #expect(symlink(directory.file(target), path) == 0)
            expectsRefusal("a", "a symbolic link")
        }
        #expect(try bytes("target") == Data("mine".utf8))
        #expect(!FileManager.default.fileExists(atPath: directory.file("missing")))
        // The path does not lead to a lock file either.
        try create("b")
        unlink(path)
        #expect(symlink(directory.file("b.lock"), path) == 0)
        expectsRefusal("a", "a symbolic link")
    }

    @Test func whatIsNoFileIsNoLockFile() throws {
        try create("a")
        let path = directory.file("a.lock")
        unlink(path)
        #expect(mkdir(path, 0o777) == 0)
        expectsRefusal("a", "a directory")
        rmdir(path)
        #expect(mkfifo(path, 0o666) == 0)
        expectsRefusal("a", "a socket or a device")
        unlink(path)
        let descriptor = try UnixSocket.bind(path)
        defer { close(descriptor) }
        expectsRefusal("a", "a socket or a device")
        unlink(path)
        try create("a")
    }

    @Test func theLockFileOfADatabaseIsNotADatabase() throws {
        try create("a")
        let pager = try Pager(database: Database.open(path: directory.file("a")))
        #expect(openError("a.lock")?.code == .notADatabase)
        try pager.beginWrite()
        #expect(openError("a.lock")?.code == .notADatabase)
        try ValueStore(pager).set(1, value(8))
        _ = try pager.commit()
        #expect(try pager.newestValues().prefix(2) == [value(7), value(8)])
    }

    // MARK: At the path of a database

    private static let modes = [
        Database.Options(), .init(createIfMissing: false), .init(readOnly: true),
        .init(encryptionKey: [UInt8](repeating: 1, count: 64)),
    ]

    @Test(arguments: modes.indices)
    func whatIsNoRegularFileIsRefusedAtOnce(mode: Int) throws {
        let path = directory.file("a")
        let options = Self.modes[mode]
        func expectRefusal(_ what: String) {
            let error = openError("a", options)
            #expect(error?.code == .fileAccess)
            #expect(error?.message.contains(what) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains(path) == true)
        }
        #expect(mkdir(path, 0o777) == 0)
        expectRefusal("the path is a directory")
        rmdir(path)
        #expect(mkfifo(path, 0o666) == 0)
        expectRefusal("it is a FIFO")
        unlink(path)
        let descriptor = try UnixSocket.bind(path)
        defer { close(descriptor) }
        expectRefusal("it is a socket")
        unlink(path)
        for device in ["/dev/null", "/dev/zero"] {
            #expect(symlink(device, path) == 0)
            expectRefusal("it is a device")
            unlink(path)
        }
    }

    @Test(arguments: modes.indices) func aLinkThatLeadsNowhereIsReported(mode: Int) throws {
        let options = Self.modes[mode]
        let creates = options.createIfMissing && !options.readOnly
        let target = creates ? "missing/file" : "missing"
        #expect(symlink(directory.file(target), directory.file("a")) == 0)
        let error = openError("a", options)
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("symbolic link") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.file("missing")))
        #expect(symlink(directory.file("b"), directory.file("b")) == 0)
        #expect(openError("b", options)?.code == .fileAccess)
    }

    @Test func aLinkToADatabaseIsFollowed() throws {
        try create("a")
        #expect(symlink(directory.file("a"), directory.file("b")) == 0)
        let pager = try Pager(database: Database.open(path: directory.file("b")))
        #expect(try pager.newestValues()[0] == value(7))
    }

    // MARK: File systems that cannot allocate

    @Test(arguments: [EOPNOTSUPP, ENOSYS])
    func aFileSystemThatCannotAllocateServesAsWell(number: Int32) throws {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path),
            faults: [.init(.failForever(errno: number), call: .fallocate, ordinal: 1)])
        interceptor.install()
        defer { interceptor.uninstall() }
        do {
            let connection = try Connection(Database.open(path: directory.file()))
            try ShrinkWorkload.prepare(connection, items: 200)
            for step in 1...20 { try ShrinkWorkload.run(step, on: connection) }
            try connection.writeCopy(toPath: directory.file("copy"))
        }
        let digest = try DatabaseDigest.of(Connection(Database.open(path: directory.file())))
        #expect(try Database.compact(path: directory.file()))
        for name in ["test.realm", "copy"] {
            let connection = try Connection(Database.open(path: directory.file(name)))
            #expect(try DatabaseDigest.of(connection) == digest)
            #expect(try connection.verify() == [])
        }
        // The shared memory has allocated blocks of its own, so storing to it cannot fail.
        var status = stat()
        #expect(stat(directory.file() + ".lock", &status) == 0)
        #expect(Int(status.st_size) >= SharedRegion.blockSize)
        #expect(Int(status.st_blocks) * 512 >= Int(status.st_size))
    }
}

/// A socket with a name in the file system.
enum UnixSocket {
    static func bind(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0, "bind: \(String(cString: strerror(errno)))")
        return descriptor
    }
}
