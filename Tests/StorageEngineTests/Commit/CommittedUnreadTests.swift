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
