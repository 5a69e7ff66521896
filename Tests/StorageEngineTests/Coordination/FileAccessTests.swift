import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// What users other than the owner of a file can do and see. The tests need a privileged user, who
/// can act as others.
@Suite(.enabled(if: geteuid() == 0), .timeLimit(.minutes(3)), .serialized)
struct FileAccessTests {
    private let directory = TestDirectory()
    private var path: String { directory.file() }

    init() {
        chmod(directory.path, 0o777)
    }

    /// Creates a file with one value, owned by a user and a group.
    private func create(_ mode: mode_t, owner: uid_t = 0, group: gid_t = 0) throws {
        do {
            let pager = try Pager(database: Database.open(path: path))
            for index in 0..<20 {
                try pager.write { store in try store.set(index, value(UInt8(index), count: 9000)) }
            }
        }
        unlink(path + ".lock")
        #expect(chown(path, owner, group) == 0)
        #expect(chmod(path, mode) == 0)
    }

    /// Does the same with objects, which can be copied.
    private func createObjects(_ mode: mode_t, owner: uid_t = 0, group: gid_t = 0) throws {
        do {
            let connection = try Connection(Database.open(path: path))
            try ShrinkWorkload.prepare(connection, items: 100)
        }
        unlink(path + ".lock")
        #expect(chown(path, owner, group) == 0)
        #expect(chmod(path, mode) == 0)
    }

    private func mode(_ path: String) throws -> mode_t {
        try System.status(path: path).permissions
    }

    private func write(_ byte: UInt8, commits: Int = 1) throws {
        let pager = try Pager(database: .openUnregistered(path: path))
        for _ in 0..<commits {
            try pager.write { store in
                for index in 0..<20 { try store.set(index, value(byte, count: 9000)) }
            }
        }
        #expect(try pager.newestValues()[0] == value(byte, count: 9000))
    }

    // MARK: Blocking

    @Test func whoMayOnlyReadKeepsNobodyFromOpeningOrWriting() throws {
        try create(0o644)
        let everything = System.LockRange(start: 0, length: .max)
        let stranger = try User.nobody.act { try System.open(path, flags: O_RDONLY) }
        defer { System.close(stranger) }
        try System.lock(stranger, .shared, on: everything)
        try write(50)
        #expect(User.nobody.act { open(path + ".lock", O_RDONLY) } == -1)
        do {
            let first = try Pager(database: Database.open(path: path))
            try write(51)
            try first.write { store in try store.set(0, value(52)) }
        }
    }

    @Test func whoMayOnlyReadKeepsNobodyFromCompacting() throws {
        try createObjects(0o644)
        let reader = try User.nobody.act {
            try Connection(Database.openUnregistered(path: path, options: .init(readOnly: true)))
        }
        let stranger = try User.nobody.act { try System.open(path, flags: O_RDONLY) }
        defer { System.close(stranger) }
        try System.lock(stranger, .shared, on: System.LockRange(start: 0, length: .max))
        let digest = try DatabaseDigest.of(reader)
        #expect(try Database.compact(path: path))
        #expect(try DatabaseDigest.of(reader) == digest)
        #expect(try DatabaseDigest.of(Connection(Database.open(path: path))) == digest)
    }

    @Test func aReaderKeepsItsVersionBesideWritersThatComeAndGo() throws {
        try create(0o644)
        let expected = (0..<20).map { value(UInt8($0), count: 9000) }
        let options = Database.Options(readOnly: true)
        var reader: Pager? = try User.nobody.act {
            try Pager(database: .openUnregistered(path: path, options: options))
        }
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
        try reader?.beginRead()
        for byte in UInt8(60)..<66 {
            try write(byte, commits: 30)
            // These pages were not read before, so they do not come from memory.
            #expect(try ValueStore(reader!).values().prefix(20) == expected[...])
        }
        #expect(try reader?.newestValues().prefix(20) == expected[...])
        let size = try System.status(path: path).size
        #expect(size < 8 << 20)
        // Another reader sees the version that is the newest when it opens the file.
        let second = try User.nobody.act {
            try Pager(database: .openUnregistered(path: path, options: options))
        }
        #expect(try second.newestValues()[0] == value(65, count: 9000))
        try write(70, commits: 30)
        #expect(try second.newestValues()[0] == value(65, count: 9000))
        #expect(try reader?.newestValues().prefix(20) == expected[...])
        // The pages that the reader held are free once it has gone.
        reader = nil
        let database = try Database.open(path: path)
        #expect(try database.statistics().pinnedVersions.count == 1)
    }

    @Test func aReaderIsRefusedBesideAWriter() throws {
        try create(0o644)
        let pager = try Pager(database: Database.open(path: path))
        let error = #expect(throws: StorageError.self) {
            _ = try User.nobody.act {
                try Database.openUnregistered(path: path, options: .init(readOnly: true))
            }
        }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("write access") == true)
        try pager.write { store in try store.set(0, value(9)) }
    }

    // MARK: Access of side files

    @Test(
        arguments: [
            0o600: 0o600, 0o644: 0o600, 0o660: 0o660, 0o664: 0o660, 0o666: 0o666, 0o640: 0o600,
        ] as [mode_t: mode_t])
    func theLockFileIsForThoseWhoMayWriteTheFile(file: mode_t, lock: mode_t) throws {
        try create(file, owner: 1001, group: 5000)
        try write(1)
        let status = try System.status(path: path + ".lock")
        #expect(status.permissions == lock)
        #expect((status.owner, status.group) == (1001, 5000))
        // This includes a lock file that existed before.
        #expect(chmod(path + ".lock", 0o644) == 0)
        try write(2)
        #expect(try mode(path + ".lock") == lock)
    }

    @Test func aGroupThatMayWriteTheFileCanOpenIt() throws {
        try create(0o664, owner: 1001, group: 5000)
        let member = User(id: 1002, group: 5000)
        try member.act { try write(1) }
        #expect(try mode(path + ".lock") == 0o660)
        try User(id: 1003, group: 5000).act { try write(2) }
        try User(id: 1001, group: 5000).act { try write(3) }
        #expect(throws: StorageError.self) { try User.nobody.act { try write(4) } }
    }

    @Test(arguments: [0o600, 0o640, 0o666] as [mode_t])
    func copiesHaveTheAccessOfTheFile(mode: mode_t) throws {
        try createObjects(mode, owner: 1001, group: 5000)
        let copy = directory.file("copy")
        do {
            let connection = try Connection(Database.open(path: path))
            try connection.writeCopy(toPath: copy)
        }
        #expect(try self.mode(copy) == mode)
        #expect(try System.status(path: copy).group == 5000)
        #expect(try Database.compact(path: path))
        let status = try System.status(path: path)
        #expect(status.permissions == mode)
        #expect((status.owner, status.group) == (1001, 5000))
        _ = try Database.open(path: copy)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(
            names
                == ["copy", "copy.lock", "test.realm", "test.realm.lock", "test.realm.management"])
    }

    /// At each call that changes a file, no other user may read the file that is there.
    @Test func aCopyThatIsLeftBehindIsPrivate() throws {
        try createObjects(0o640)
        let whole = try CoordinationTestProcess("compact-with-faults", path, "", "plain")
        let line = try #require(whole.nextLine()).split(separator: " ")
        let calls = try #require(Int(line[1]))
        let management = path + ".management"
        var left = 0
        for call in 1...calls {
            let child = try CoordinationTestProcess(
                "compact-with-faults", path, "kill-before:\(call)", "plain")
            _ = child.nextLine()
            _ = child.waitForSignal()
            for name in try FileManager.default.contentsOfDirectory(atPath: management) {
                left += 1
                let mode = try self.mode(management + "/" + name)
                #expect([0o600, 0o640].contains(mode), "\(name): \(mode)")
            }
            #expect(try mode(path) == 0o640)
        }
        #expect(left > 0)
    }
}

// These functions of <sys/fsuid.h> are missing from the C library's module. Both affect the calling
// thread only.
@_silgen_name("setfsuid") private func setfsuid(_ id: uid_t) -> Int32
@_silgen_name("setfsgid") private func setfsgid(_ id: gid_t) -> Int32

/// A user of the operating system, for access to files.
struct User {
    let id: uid_t
    let group: gid_t

    static let nobody = User(id: 65534, group: 65534)

    /// Runs `body` with the file access rights of this user. They apply to the calling thread only.
    func act<Result>(_ body: () throws -> Result) rethrows -> Result {
        Self.become(id, group)
        defer { Self.become(0, 0) }
        return try body()
    }

    private static func become(_ id: uid_t, _ group: gid_t) {
        // The group can be changed as root only, both on the way there and back.
        _ = setfsuid(0)
        _ = setfsgid(group)
        _ = setfsuid(id)
    }
}
