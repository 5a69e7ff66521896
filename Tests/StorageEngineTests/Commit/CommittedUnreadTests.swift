import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Commits that succeed while their connection cannot move to what they made: the error says that
/// the transaction is not to be repeated.
@Suite struct CommittedUnreadTests {
    private let directory: CrashDirectory
    private let interceptor: SystemInterceptor

    init() throws {
        directory = try CrashDirectory()
        interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
    }

    /// Has a transaction make the file longer.
    private func addMuch(_ connection: Connection) throws {
        try connection.beginWrite()
        let log = try connection.table(named: "Counter")!.list(
            1, of: try connection.table(named: "Counter")!.key(at: 0))
        for number in 0..<40_000 {
            try log.insert(.integer(Int64(number) &* 0x1E37_79B9_7F4A_7C15), at: try log.count())
        }
    }

    private func count(_ connection: Connection) throws -> Int {
        let table = try connection.table(named: "Counter")!
        return try table.list(1, of: try table.key(at: 0)).count()
    }

    /// What is read after a commit is mapped before it, so the transaction fails as a whole.
    @Test(arguments: [FileKind.plain, .encrypted])
    func aCommitWhoseFileCannotBeMappedLeavesNoTrace(_ kind: FileKind) throws {
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file("grown")
        let connection = try Connection(Database.open(path: path, options: kind.options))
        try SharedCounter.create(connection)
        let before = connection.version
        try addMuch(connection)
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOMEM), call: .mmap, ordinal: 1)
        ])
        let error = #expect(throws: StorageError.self) { try connection.commit() }
        #expect(error?.code == .addressSpaceExhausted)
        interceptor.setFaults([])
        #expect(connection.version == before)
        #expect(try count(connection) == 0)
        let other = try Connection(Database.openUnregistered(path: path, options: kind.options))
        #expect(try count(other) == 0)
        try addMuch(connection)
        try connection.commit()
        #expect(try count(connection) == 40_000)
        #expect(try connection.verify() == [])
    }

    /// The pin of the connection is shared, all others are taken, and there is no room for more.
    @Test func aCommitThatCannotBeReadSaysThatItIsDone() throws {
        let path = directory.file("unread")
        interceptor.install()
        defer { interceptor.uninstall() }
        let database = try Database.open(path: path)
        let connection = try Connection(database)
        try SharedCounter.create(connection)
        var kept: Snapshot? = connection.pager.snapshot
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1)
        ])
        var others: [Connection] = []
        while let other = try? Connection(database) { others.append(other) }
        let error = #expect(throws: StorageError.self) {
            try SharedCounter.increment(connection, writer: 0, 7)
        }
        #expect(error?.code == .committedUnread)
        #expect(error?.path == path)
        #expect(error?.message.contains("must not be repeated") == true)
        #expect(!connection.isInWriteTransaction)
        // It reads nothing, rather than what was there before.
        #expect(connection.version == 0)
        #expect(throws: StorageError.self) { try connection.refresh() }
        let reader = others.removeLast()
        #expect(try reader.refresh())
        #expect(try SharedCounter.read(reader).log == [7])

        kept = nil
        #expect(kept == nil)
        interceptor.setFaults([])
        #expect(try connection.refresh())
        #expect(try SharedCounter.read(connection).log == [7])
        try SharedCounter.increment(connection, writer: 0, 8)
        #expect(try SharedCounter.read(connection).log == [7, 8])
        #expect(try connection.verify() == [])
    }
}
