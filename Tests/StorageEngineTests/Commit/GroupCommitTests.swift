import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

@Suite struct GroupCommitTests {
    let directory = TestDirectory()
    private let images: CrashDirectory

    init() throws { images = try CrashDirectory() }

    /// A database of the values 0..<5 whose next sync is held, but not later ones.
    private struct Held: Sendable {
        let database: Database
        let interceptor: SystemInterceptor
        /// A thread that has written value 50 and waits for its sync.
        let first: BackgroundThread<UInt64>

        init(_ path: String, directory: String, faults: [SystemCallFault] = []) throws {
            interceptor = SystemInterceptor(scope: .files(pathPrefix: directory))
            interceptor.install()
            database = try Database.open(path: path)
            try Pager(database: database).write { store in
                for index in 0..<5 { try store.set(index, value(UInt8(index + 1))) }
            }
            interceptor.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)] + faults)
            first = Self.writing(database) { try $0.set(0, value(50)) }
            interceptor.waitUntilHeld()
        }

        static func writing(
            _ database: Database, _ body: @escaping @Sendable (ValueStore) throws -> Void
        ) -> BackgroundThread<UInt64> {
            BackgroundThread { _ in try Pager(database: database).write(body).version }
        }

        /// Starts a transaction, and returns once it has joined a group.
        func join(_ body: @escaping @Sendable (ValueStore) throws -> Void) -> BackgroundThread<
            UInt64
        > {
            let before = database.writer.commits.joinedTransactions
            let work = Self.writing(database, body)
            while database.writer.commits.joinedTransactions == before { usleep(200) }
            return work
        }

        func values() throws -> [[UInt8]] { try Pager(database: database).newestValues() }

        func end() { interceptor.uninstall() }
    }

    private func held(_ faults: [SystemCallFault] = []) throws -> Held {
        try Held(directory.file(), directory: directory.path, faults: faults)
    }

    @Test func whatFinishesDuringASyncSharesTheNext() throws {
        let held = try held()
        defer { held.end() }
        let others = (1...4).map { index in
            held.join { try $0.set(index, value(UInt8(50 + index))) }
        }
        // No commit returns, and none is visible, before it is durable.
        #expect(!held.first.isDone && others.allSatisfy { !$0.isDone })
        #expect(try held.values()[0] == value(1))
        #expect(held.database.coordinator.visibleVersion == 1)
        held.interceptor.release()
        #expect(try held.first.wait() == 2)
        #expect(try others.map { try $0.wait() } == [3, 4, 5, 6])
        #expect(held.interceptor.count(of: .fdatasync) == 2)
        #expect(try held.values()[..<5] == (50...54).map { value($0) }[...])
        #expect(held.database.coordinator.visibleSequence == 3)
        try checkSpace(held.database)
    }

    /// Checks that every page is in use, free, or waiting.
    private func checkSpace(_ database: Database) throws {
        let pager = try Pager(database: database)
        try pager.beginWrite()
        defer { pager.rollback() }
        let store = ValueStore(pager)
        var reached = ExtentSet()
        for reference in [pager.root] + (try store.references()) where !reference.isNone {
            let pages = PageHeader(try pager.page(reference)).pageCount
            let isNew = reached.insert(Extent(start: reference.page, count: UInt64(pages)))
            #expect(isNew)
        }
        #expect(pager.spaceProblems(reached: reached) == [])
    }

    @Test func aGroupIsFoundAfterReopening() throws {
        do {
            let held = try held()
            defer { held.end() }
            let others = (1...4).map { index in
                held.join { try $0.set(index, value(UInt8(50 + index), count: 5000)) }
            }
            held.interceptor.release()
            for other in others { _ = try other.wait() }
            _ = try held.first.wait()
        }
        for _ in 0..<2 {
            let database = try Database.open(path: directory.file())
            let pager = try Pager(database: database)
            #expect(
                try pager.newestValues()[..<5]
                    == ([value(50)] + (51...54).map { value($0, count: 5000) })[...])
            try pager.write { try $0.set(70, value(1)) }
            try checkSpace(database)
        }
    }

    @Test func rollingBackInsideAGroupLeavesTheOthersUntouched() throws {
        let held = try held()
        defer { held.end() }
        // This joins the open group; both transactions edit the same pages.
        let second = held.join { try $0.touch(1, 60) }
        let cancelled = BackgroundThread { [database = held.database] _ in
            let pager = try Pager(database: database)
            try pager.beginWrite()
            let store = ValueStore(pager)
            #expect(try store.values()[0] == value(50))
            #expect(try store.values()[1][0] == 60)
            for index in 0..<5 { try store.touch(index, 99) }
            try store.set(6, value(99, count: 9000))
            pager.rollback()
            // The transaction has seen both values, so they are durable by now.
            return try ValueStore(pager).values()[1]
        }
        let third = held.join { try $0.touch(2, 61) }
        #expect(!cancelled.isDone)
        held.interceptor.release()
        #expect(try cancelled.wait()[0] == 60)
        for work in [held.first, second, third] { _ = try work.wait() }
        let values = try held.values()
        #expect(values.prefix(4).map { $0[0] } == [50, 60, 61, 4])
        #expect(values[6].isEmpty)
    }

    @Test func anEmptyTransactionWaitsForWhatItSaw() throws {
        let held = try held()
        defer { held.end() }
        let empty = BackgroundThread { [database = held.database] _ in
            let pager = try Pager(database: database)
            try pager.write { store in
                let first = try store.values()[0]
                #expect(first == value(50))
            }
            return pager.version
        }
        usleep(50_000)
        #expect(!empty.isDone)
        held.interceptor.release()
        #expect(try empty.wait() == 2)
        _ = try held.first.wait()
    }

    @Test func aFailedSyncFailsEverythingThatWasBuiltOnIt() throws {
        let held = try held([SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: 1)])
        defer { held.end() }
        let second = held.join { try $0.set(1, value(60)) }
        let open = try underWay(on: held)
        held.interceptor.release()
        for work in [held.first, second] {
            let error = #expect(throws: StorageError.self) { try work.wait() }
            #expect(error?.code == .outcomeUnknown)
        }
        open.go.signal()
        let error = #expect(throws: StorageError.self) { try open.work.wait() }
        #expect(error?.code == .outcomeUnknown)
        #expect(throws: StorageError.self) {
            try Pager(database: held.database).write { try $0.set(3, value(1)) }
        }
        #expect(try held.values()[0] == value(1))
    }

    @Test func aFullDiskFailsEverythingThatWasBuiltOnIt() throws {
        let held = try held()
        defer { held.end() }
        let second = held.join { try $0.set(1, value(60)) }
        let third = held.join { try $0.set(2, value(61)) }
        let open = try underWay(on: held)
        held.interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1)
        ])
        held.interceptor.release()
        _ = try held.first.wait()
        for work in [second, third] {
            let error = #expect(throws: StorageError.self) { try work.wait() }
            #expect(error?.code == .outOfDiskSpace)
        }
        open.go.signal()
        let error = #expect(throws: StorageError.self) { try open.work.wait() }
        #expect(error?.code == .outOfDiskSpace)
        // When there is space again, writing works again.
        held.interceptor.setFaults([])
        let pager = try Pager(database: held.database)
        try pager.write { try $0.set(3, value(77)) }
        let values = try held.values()
        #expect(values[..<5] == [value(50), value(2), value(3), value(77), value(5)][...])
        try checkSpace(held.database)
    }

    /// Returns a transaction that has read its base, and commits once `go` is signalled.
    private func underWay(
        on held: Held
    ) throws -> (work: BackgroundThread<UInt64>, go: DispatchSemaphore) {
        let started = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)
        let work = Held.writing(held.database) { store in
            try store.set(4, value(62))
            started.signal()
            go.wait()
        }
        started.wait()
        return (work, go)
    }

    @Test func manyWritersLoseNothing() throws {
        let path = directory.file()
        let database = try Database.open(path: path)
        let writers = 16
        let rounds = LongTests.choose(400, otherwise: 40)
        try SharedCounter.create(Connection(database))
        let works = (0..<writers).map { writer in
            BackgroundThread { _ in
                let connection = try Connection(database)
                for round in 0..<rounds {
                    try SharedCounter.increment(connection, writer: Int64(writer), Int64(round))
                    // An acknowledged commit is visible at once.
                    let (count, log) = try SharedCounter.read(connection)
                    #expect(log.count == Int(count))
                    #expect(log.contains(Int64(writer) << 32 + Int64(round)))
                }
            }
        }
        for work in works { try work.wait() }
        let connection = try Connection(database)
        let (count, log) = try SharedCounter.read(connection)
        #expect(Int(count) == writers * rounds)
        for writer in 0..<Int64(writers) {
            #expect(
                log.filter { $0 >> 32 == writer }.map { $0 & 0xFFFF } == Array(0..<Int64(rounds)))
        }
        #expect(try connection.verify() == [])
        #expect(Int(database.coordinator.visibleVersion) == writers * rounds + 1)
    }

    // MARK: Power loss

    /// Writers commit in groups on a traced file. Every image that power loss could leave holds a
    /// prefix of the commits that includes all acknowledged ones.
    @Test func everyLossOfPowerDuringGroupsLeavesAPrefix() throws {
        try checkLossOfPower(.full)
    }

    @Test func everyLossOfPowerUnderRelaxedDurabilityLeavesAPrefix() throws {
        try checkLossOfPower(.relaxed)
    }

    private func checkLossOfPower(_ durability: CommitDurability) throws {
        let path = directory.file("traced")
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        /// For each commit that returned, the number of events before that, and the number of
        /// commits that it had made durable.
        let acknowledged = Locked<[(events: Int, count: Int)]>([])
        var tried = 0
        var preparingEvents = 0
        do {
            let database = try Database.open(path: path)
            try SharedCounter.create(Connection(database))
            preparingEvents = interceptor.trace.count { $0.path == path }
            let works = (0..<4).map { writer in
                BackgroundThread { _ in
                    let connection = try Connection(database)
                    for round in 0..<8 {
                        try SharedCounter.increment(
                            connection, writer: Int64(writer), Int64(round), durability)
                        let events = interceptor.trace.count { $0.path == path }
                        let count = Int(try SharedCounter.read(connection).count)
                        if durability == .full {
                            acknowledged.withLock { $0.append((events, count)) }
                        }
                    }
                }
            }
            for work in works { try work.wait() }
            interceptor.uninstall()
        }
        let events = interceptor.trace.filter { $0.path == path }
        let counts = acknowledged.withLock { $0 }
        var history = PowerLossHistory(durable: [], pending: [], acknowledged: 0)
        for event in events.prefix(preparingEvents) { history.add(event) }
        history = PowerLossHistory(durable: history.present, pending: [], acknowledged: 0)
        for (index, event) in events.enumerated().dropFirst(preparingEvents) {
            history.add(event)
            let known = counts.filter { $0.events <= index + 1 }.map(\.count).max() ?? 0
            history.acknowledge(known)
        }
        var random = SeededGenerator(seed: 5)
        for moment in history.decisiveMoments where !moment.pending.isEmpty {
            for _ in 0..<LongTests.choose(100, otherwise: 10) {
                tried += 1
                try images.withImage(moment.sample(&random)) { image in
                    let connection = try Connection(Database.open(path: image))
                    let (count, log) = try SharedCounter.read(connection)
                    #expect(log.count == Int(count))
                    #expect(Int(count) >= moment.acknowledged)
                    #expect(try connection.verify() == [])
                    // The commits of each writer are there in order, without gaps.
                    for writer in 0..<Int64(4) {
                        let own = log.filter { $0 >> 32 == writer }.map { $0 & 0xFFFF }
                        #expect(own == Array(0..<Int64(own.count)))
                    }
                    try SharedCounter.increment(connection, writer: 9, 0)
                    #expect(try connection.verify() == [])
                }
            }
        }
        #expect(tried > 50)
    }
}
