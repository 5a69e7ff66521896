import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Waits for background commits, and keeps what they reported.
private final class Reports: Sendable {
    private let state = Locked<[StorageError?]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ error: StorageError?) {
        state.withLock { $0.append(error) }
        arrived.signal()
    }

    var count: Int { state.withLock { $0.count } }
    var errors: [StorageError] { state.withLock { $0.compactMap { $0 } } }

    /// Waits for further reports.
    func wait(for count: Int) { for _ in 0..<count { arrived.wait() } }
}

@Suite struct BackgroundCommitTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// A counter whose transactions are committed in the background.
    private struct Counter {
        let database: Database
        let connection: Connection
        let writer: BackgroundWriter
        let reports = Reports()

        init(_ path: String, options: Database.Options = .init()) throws {
            database = try Database.open(path: path, options: options)
            connection = try Connection(database)
            writer = BackgroundWriter.of(database)
            if try connection.table(named: "Counter") == nil {
                try SharedCounter.create(connection)
            }
        }

        var value: Int {
            get throws { Int(try SharedCounter.read(connection).count) }
        }

        func valueElsewhere() throws -> Int {
            Int(try SharedCounter.read(Connection(database)).count)
        }

        func change() throws {
            let table = try connection.table(named: "Counter")!
            let key = try table.key(at: 0)
            let count = Int64(try value)
            try table.set(0, of: key, to: .integer(count + 1))
            let log = table.list(1, of: key)
            try log.insert(.integer(count), at: try log.count())
        }

        func increment() throws {
            if try !connection.beginWriteIfFree() {
                let isBegun = try connection.beginWrite(with: requestLock())
                #expect(isBegun)
            }
            try change()
            try commit()
        }

        func commit() throws {
            try connection.commitInBackground(.full, with: writer) { [reports] in reports.add($0) }
        }

        /// Asks for the lock, and waits until it is offered.
        func requestLock() -> WriteLockRequest {
            let isAnswered = DispatchSemaphore(value: 0)
            let request = writer.requestLock { isAnswered.signal() }
            isAnswered.wait()
            return request
        }
    }

    private func holdingSyncs<Value>(
        _ faults: [SystemCallFault] = [], _ body: (SystemInterceptor, Counter) throws -> Value
    ) throws -> Value {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let counter = try Counter(directory.file("counter"))
        interceptor.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)] + faults)
        return try body(interceptor, counter)
    }

    // MARK: Commits

    @Test func aCommitIsShownAtOnceAndSeenByOthersOnceItIsDurable() throws {
        try holdingSyncs { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            #expect(try counter.value == 1 && counter.connection.isUnpublished)
            #expect(try counter.valueElsewhere() == 0)
            #expect(try !counter.connection.refresh() && counter.value == 1)
            #expect(counter.reports.count == 0)
            interceptor.release()
            counter.reports.wait(for: 1)
            #expect(try counter.valueElsewhere() == 1)
            #expect(try !counter.connection.refresh() && counter.value == 1)
            #expect(!counter.connection.isUnpublished && counter.reports.errors.isEmpty)
            #expect(try counter.connection.verify() == [])
        }
    }

    @Test func commitsDuringASyncShareTheNext() throws {
        try holdingSyncs { interceptor, counter in
            for round in 1...10 {
                try counter.increment()
                if round == 1 { interceptor.waitUntilHeld() }
                #expect(try counter.value == round)
            }
            interceptor.release()
            counter.reports.wait(for: 10)
            #expect(interceptor.count(of: .fdatasync) == 2)
            #expect(try counter.valueElsewhere() == 10)
        }
    }

    @Test func aCancelledTransactionLeavesWhatWasCommittedWithoutWaiting() throws {
        try holdingSyncs { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            try counter.increment()
            #expect(try counter.connection.beginWriteIfFree())
            try counter.change()
            counter.connection.rollback()
            #expect(try counter.value == 2)
            #expect(try counter.connection.beginWriteIfFree())
            try counter.commit()
            #expect(try counter.value == 2)
            interceptor.release()
            counter.reports.wait(for: 3)
            #expect(try counter.valueElsewhere() == 2)
        }
    }

    @Test func othersBuildOnWhatIsNotDurableYet() throws {
        try holdingSyncs { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            try counter.increment()
            let other = BackgroundThread { [database = counter.database] _ in
                try SharedCounter.increment(Connection(database), writer: 0, 2)
            }
            while counter.database.writer.commits.joinedTransactions < 4 { usleep(200) }
            // The group has gone on since, and what it has replaced is still read here.
            #expect(try counter.value == 2 && counter.connection.verifyPages())
            interceptor.release()
            try other.wait()
            counter.reports.wait(for: 2)
            #expect(try counter.value == 2 && counter.valueElsewhere() == 3)
            #expect(try counter.connection.refresh() && counter.value == 3)
        }
    }

    @Test func anotherConnectionReadsTheVersionOnceItIsPublished() throws {
        try holdingSyncs { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            let release = BackgroundThread { _ in
                usleep(20_000)
                interceptor.release()
            }
            let other = try Connection(readingLike: counter.connection)
            #expect(try SharedCounter.read(other).count == 1)
            #expect(other.version == counter.database.newestVersion)
            try release.wait()
            counter.reports.wait(for: 1)
        }
    }

    @Test func olderPagesStayReadableAsLongAsTheVersionIsShown() throws {
        let counter = try Counter(directory.file("counter"))
        try counter.increment()
        counter.reports.wait(for: 1)
        let other = try Connection(counter.database)
        for round in 0..<200 { try SharedCounter.increment(other, writer: 0, Int64(round)) }
        #expect(try counter.value == 1 && counter.connection.verifyPages())
        #expect(try counter.connection.refresh() && counter.value == 201)
    }

    // MARK: Failures

    @Test func aFailedWriteLosesAllThatWasBuiltOnIt() throws {
        try holdingSyncs { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            for _ in 0..<3 { try counter.increment() }
            #expect(try counter.value == 4)
            interceptor.setFaults([
                SystemCallFault(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1)
            ])
            interceptor.release()
            counter.reports.wait(for: 4)
            #expect(counter.reports.errors.count == 3)
            interceptor.setFaults([])
            #expect(counter.connection.failureOfUnpublished != nil)
            counter.connection.endRead()
            _ = try counter.connection.refresh()
            #expect(try counter.value == 1 && counter.valueElsewhere() == 1)
            try counter.increment()
            counter.reports.wait(for: 1)
            #expect(try counter.valueElsewhere() == 2)
            _ = try counter.connection.refresh()
            #expect(try counter.connection.verify() == [])
        }
    }

    @Test func aFailedSyncIsReported() throws {
        let faults = [SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: 1)]
        try holdingSyncs(faults) { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            interceptor.release()
            counter.reports.wait(for: 1)
            #expect(counter.reports.errors.first?.code == .outcomeUnknown)
            #expect(throws: StorageError.self) { try counter.connection.beginWriteIfFree() }
        }
    }

    // MARK: The lock

    @Test func aLockObtainedByAnotherThreadIsUsed() throws {
        let counter = try Counter(directory.file("counter"))
        let request = counter.requestLock()
        #expect(try !Connection(counter.database).beginWriteIfFree())
        #expect(try counter.connection.beginWrite(with: request))
        try counter.change()
        try counter.commit()
        counter.reports.wait(for: 1)
        #expect(try counter.valueElsewhere() == 1)
        #expect(try !counter.connection.beginWrite(with: request))
    }

    @Test func anOfferThatNobodyTakesIsWithdrawn() throws {
        let counter = try Counter(directory.file("counter"))
        let request = counter.requestLock()
        // Waits for the lock.
        try SharedCounter.increment(Connection(counter.database), writer: 0, 0)
        #expect(try !counter.connection.beginWrite(with: request))
        #expect(try counter.valueElsewhere() == 1)
    }

    @Test func requestsThatEndReleaseTheLock() throws {
        let counter = try Counter(directory.file("counter"))
        let offered = counter.requestLock()
        let waiting = counter.writer.requestLock {}
        waiting.cancel()
        offered.cancel()
        try counter.increment()
        counter.reports.wait(for: 1)
        #expect(try !counter.connection.beginWrite(with: offered))
        #expect(try !counter.connection.beginWrite(with: waiting))
    }

    @Test func theOtherThreadWaitsForALargeGroup() throws {
        try holdingSyncs { interceptor, counter in
            try counter.increment()
            interceptor.waitUntilHeld()
            #expect(try counter.connection.beginWriteIfFree())
            try counter.change()
            let table = try counter.connection.table(named: "Counter")!
            var random = SeededGenerator(seed: 1)
            for _ in 0..<70_000 {
                _ = try table.insert([.integer(Int64(bitPattern: random.next()))])
            }
            // A transaction as large as this waits until it has a group of its own.
            interceptor.release()
            try counter.commit()
            let request = counter.requestLock()
            #expect(try counter.connection.beginWrite(with: request))
            try counter.change()
            try counter.commit()
            counter.reports.wait(for: 3)
            #expect(try counter.valueElsewhere() == 3)
        }
    }

    @Test func theOtherThreadCleansUpAfterAWriterThatDied() throws {
        let path = directory.file("counter")
        let counter = try Counter(path)
        let child = try CoordinationTestProcess("hold-write-lock", path)
        #expect(child.nextLine() == "joined finished")
        child.kill()
        // Another thread cleans up, and then offers the lock.
        #expect(try !counter.connection.beginWriteIfFree())
        let request = counter.requestLock()
        #expect(try counter.connection.beginWrite(with: request))
        try counter.change()
        try counter.commit()
        counter.reports.wait(for: 1)
        #expect(try counter.valueElsewhere() == 1)
    }

    // MARK: Power loss

    /// Three commits at a time are made without waiting, and then waited for.
    @Test(arguments: FileKind.inCrashes)
    func reportedCommitsSurviveAPowerLoss(kind: FileKind) throws {
        let path = directory.file("counter")
        do {
            let counter = try Counter(path, options: kind.options)
            for _ in 0..<40 { try counter.increment() }
            counter.reports.wait(for: 40)
        }
        let (history, last) = (try trace(41...49, of: path, kind), 49)
        var random = SeededGenerator(seed: 3)
        var count = 0
        for (index, moment) in history.decisiveMoments.enumerated() {
            let durable = max(40, 40 + (moment.acknowledged - 40) / 3 * 3)
            for (choice, image) in moment.images(&random) {
                count += 1
                try directory.withImage(image) { path in
                    let database = try Database.open(path: path, options: kind.options)
                    let connection = try Connection(database)
                    let (value, log) = try SharedCounter.read(connection)
                    let label = "moment \(index), pieces \(choice)"
                    #expect(
                        durable <= value && value <= min(moment.acknowledged + 1, last), "\(label)")
                    #expect(log == (0..<value).map { $0 }, "\(label)")
                    #expect(try connection.verify() == [], "\(label)")
                }
            }
        }
        #expect(count > 30)
    }

    private func trace(
        _ steps: ClosedRange<Int>, of path: String, _ kind: FileKind
    ) throws -> PowerLossHistory {
        let image = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        return try directory.withImage(image) { path in
            var history = PowerLossHistory(
                durable: image, pending: [], acknowledged: steps.lowerBound - 1)
            let counter = try Counter(path, options: kind.options)
            for step in steps {
                while try !counter.connection.beginWriteIfFree() { usleep(100) }
                try counter.change()
                try counter.commit()
                if (step - steps.lowerBound) % 3 == 2 { counter.reports.wait(for: 3) }
                let events = interceptor.trace.filter { $0.path == path }
                for event in events[history.eventCount...] { history.add(event) }
                history.acknowledge(step)
            }
            return history
        }
    }
}

extension Connection {
    /// Reads everything that this connection shows.
    fileprivate func verifyPages() throws -> Bool {
        let (count, log) = try SharedCounter.read(self)
        return log.count == Int(count)
    }
}
