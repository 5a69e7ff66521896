import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// The version that a connection sees after a failure on the way to another version.
@Suite struct IsolationFailureTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    private func expectConsistent(_ connection: Connection, _ label: String) throws {
        let (count, log) = try SharedCounter.read(connection)
        #expect(Int(count) == log.count, "\(label)")
        #expect(connection.version == UInt64(log.count) + 1, "\(label)")
    }

    /// Another process has written, and a system call fails while its commits are read.
    @Test(arguments: [SystemCall.pread, .lseek, .mmap, .lock], [1, 2, 3, 5, 20])
    func aTransactionThatCannotBeginLeavesAConsistentConnection(
        call: SystemCall, ordinal: Int
    ) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file("begin")
        let connection = try Connection(Database.open(path: path))
        try SharedCounter.create(connection)
        let other = try Connection(Database.openUnregistered(path: path))
        for missed in [1, 3, 40] {
            for round in 0..<missed { try SharedCounter.increment(other, writer: 0, Int64(round)) }
            let label = "\(call) \(ordinal), \(missed) commits missed"
            interceptor.setFaults([
                SystemCallFault(.fail(errno: EIO), call: call, ordinal: ordinal)
            ])
            var isReading = true
            do {
                try SharedCounter.increment(connection, writer: 1, 0)
            } catch let error as StorageError {
                #expect(error.code == .fileAccess, "\(label): \(error)")
                isReading = connection.version != 0
            }
            interceptor.setFaults([])
            if isReading { try expectConsistent(connection, label) }
            _ = try connection.refresh()
            try expectConsistent(connection, label)
            try SharedCounter.increment(connection, writer: 1, 1)
            #expect(try connection.verify() == [], "\(label)")
        }
    }

    @Test func aFailedRefreshCanBeRepeated() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file("refresh")
        let connection = try Connection(Database.open(path: path))
        try SharedCounter.create(connection)
        let other = try Connection(Database.openUnregistered(path: path))
        try SharedCounter.increment(other, writer: 0, 0)
        interceptor.setFaults([SystemCallFault(.fail(errno: EIO), call: .pread, ordinal: 1)])
        #expect(throws: StorageError.self) { try connection.refresh() }
        interceptor.setFaults([])
        #expect(try connection.refresh())
        try expectConsistent(connection, "refreshed")
    }

    @Test func aConnectionThatStoppedReadingReadsAgain() throws {
        let database = try Database.open(path: directory.file("stopped"))
        let connection = try Connection(database)
        try SharedCounter.create(connection)
        let other = try Connection(database)
        connection.endRead()
        try SharedCounter.increment(other, writer: 0, 0)
        #expect(try connection.refresh())
        try expectConsistent(connection, "after refresh")
        connection.endRead()
        try SharedCounter.increment(connection, writer: 0, 1)
        try expectConsistent(connection, "after a write")
        connection.endRead()
        // No old version is pinned any more.
        #expect(try database.statistics().pinnedVersions.count == 1)
    }
}
