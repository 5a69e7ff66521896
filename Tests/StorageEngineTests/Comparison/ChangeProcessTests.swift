import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Changes by other processes, and waiting for them.
@Suite struct ChangeProcessTests {
    let directory = TestDirectory()

    @Test func commitsOfAnotherProcessAreFoundByComparing() throws {
        let database = try Database.open(path: directory.file())
        let connection = try Connection(database)
        var workload = ChangeWorkload(seed: 5)
        try connection.beginWrite()
        try connection.createTables(ChangeWorkload.definitions)
        for _ in 0..<200 { try workload.step(connection) }
        try connection.commit()
        let observation = try connection.observeChanges()
        let old = try DatabaseImage(connection)
        let child = try CoordinationTestProcess("change-numbers", directory.file(), "40")
        #expect(child.nextLine() == "open")
        for round in 1...3 {
            let version = database.newestVersion
            try child.proceed()
            #expect(database.waitForVersion(newerThan: version, timeout: .seconds(60)) > version)
            #expect(child.nextLine() == "done")
            // A transaction of this process in between does not hide those of the others.
            try connection.beginWrite()
            for _ in 0..<10 { try workload.step(connection) }
            try connection.commit()
            let new = try DatabaseImage(connection)
            #expect(
                observation.transactions(
                    after: observation.version, through: connection.version) == nil)
            try observation.changes().check(old, new, "round \(round)")
            #expect(try observation.changes()[table: 0]?.insertions.isEmpty == false)
        }
        try child.proceed()
    }

    @Test func waitingEndsWithTheVersionTheTimeOrTheWish() throws {
        let database = try Database.open(path: directory.file())
        let connection = try Connection(database)
        #expect(database.newestVersion == 0)
        #expect(database.waitForVersion(newerThan: 0, timeout: .milliseconds(5)) == 0)
        let isCancelled = Locked(false)
        let waiters = (0..<2).map { _ in
            BackgroundThread { _ in
                database.waitForVersion(newerThan: 1, timeout: nil) {
                    isCancelled.withLock { $0 }
                }
            }
        }
        try connection.beginWrite()
        try connection.createTables(ChangeWorkload.definitions)
        try connection.commit()
        #expect(database.waitForVersion(newerThan: 0) == 1)
        isCancelled.withLock { $0 = true }
        database.wakeWaiters()
        for waiter in waiters { #expect(try waiter.wait() == 1) }
    }
}
