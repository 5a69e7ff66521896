import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Changes while transactions of several threads become durable in groups.
@Suite struct ChangeGroupTests {
    let directory = TestDirectory()

    private func open() throws -> Database {
        let database = try Database.open(path: directory.file())
        let connection = try Connection(database)
        var workload = ChangeWorkload(seed: 1)
        try connection.beginWrite()
        try connection.createTables(ChangeWorkload.definitions)
        for _ in 0..<40 { try workload.step(connection) }
        try connection.commit()
        return database
    }

    /// Each thread gets its own changes and those of the others, even if it begins to write on top
    /// of transactions that are not on disk yet.
    @Test func everyThreadIsToldTheChangesOfAll() throws {
        let database = try open()
        let works = (1...4).map { seed in
            BackgroundThread { _ in
                var workload = ChangeWorkload(seed: UInt64(seed))
                let connection = try Connection(database)
                let observation = try connection.observeChanges()
                var old = try DatabaseImage(connection)
                func check(_ comment: Comment) throws {
                    let new = try DatabaseImage(connection)
                    try observation.changes().check(old, new, comment)
                    try observation.advance()
                    old = new
                }
                for round in 0..<12 {
                    try connection.beginWrite()
                    try check("thread \(seed), beginning round \(round)")
                    for _ in 0..<4 { try workload.step(connection) }
                    if round % 5 == 4 {
                        connection.rollback()
                    } else {
                        try connection.commit()
                    }
                    try check("thread \(seed), after round \(round)")
                }
            }
        }
        for work in works { try work.wait() }
        #expect(database.changeLog.size == 0)
    }

    /// Two transactions fail together, and another one gets the number of their version.
    @Test func transactionsThatFailLeaveNoRecord() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let database = try open()
        let connection = try Connection(database)
        let observation = try connection.observeChanges()
        interceptor.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)])
        let first = setting(database, 0, to: 1000)
        interceptor.waitUntilHeld()
        let failing = (1...2).map { index in
            let before = database.writer.commits.joinedTransactions
            let work = setting(database, index, to: 1000)
            while database.writer.commits.joinedTransactions == before { usleep(200) }
            return work
        }
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1)
        ])
        interceptor.release()
        let version = try first.wait().version
        for work in failing {
            #expect(throws: StorageError.self) { _ = try work.wait() }
        }
        interceptor.setFaults([])
        let next = try setting(database, 3, to: 1000).wait()
        #expect(next.version == version + 1)
        try connection.refresh()
        let modified = try #require(try observation.changes()[table: 0]).modifications
        let people = try connection.table(named: "Person")!
        #expect(
            try modified.objects.map(\.key) == [people.key(at: 0), people.key(at: 3)])
        try observation.advance()
        _ = try setting(database, 4, to: 1000).wait()
        try connection.refresh()
        #expect(
            observation.transactions(after: observation.version, through: connection.version)?
                .count == 1)
    }

    /// Returns a running transaction that sets the age of the person at a position.
    private func setting(
        _ database: Database, _ position: Int, to age: Int64
    ) -> BackgroundThread<CommitStatistics> {
        BackgroundThread { _ in
            let connection = try Connection(database)
            try connection.beginWrite()
            let people = try connection.table(named: "Person")!
            try people.set(0, of: people.key(at: position), to: .integer(age))
            return try connection.commit()
        }
    }
}
