import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Rebuilds the files that power loss could leave after commits through connections, and opens
/// them.
@Suite struct CrashPowerLossTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// Traces steps that start from an image.
    private func trace(
        _ steps: ClosedRange<Int>, from image: [UInt8], pending: [SystemTraceEvent] = [],
        kind: FileKind = .plain,
        _ run: (Int, Connection) throws -> Void = { try CrashWorkload.run($0, on: $1) }
    ) throws -> PowerLossHistory {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        var present = image
        for event in pending { event.apply(to: &present) }
        return try directory.withImage(present) { path in
            var history = PowerLossHistory(
                durable: image, pending: pending, acknowledged: steps.lowerBound - 1)
            func take() {
                let events = interceptor.trace.filter { $0.path == path }
                for event in events[history.eventCount...] { history.add(event) }
            }
            let connection = try Connection(Database.open(path: path, options: kind.options))
            for step in steps {
                try run(step, connection)
                take()
                history.acknowledge(step)
            }
            return history
        }
    }

    /// Opens images of every moment, and returns their number.
    private func openAll(
        _ history: PowerLossHistory, _ states: CrashStates, seed: UInt64
    ) throws -> Int {
        var random = SeededGenerator(seed: seed)
        var count = 0
        for (index, moment) in history.decisiveMoments.enumerated() {
            for (choice, image) in moment.images(&random) {
                count += 1
                let allowed = moment.acknowledged...(moment.acknowledged + 1)
                try directory.withImage(image) {
                    try states.check(
                        $0, allowed: allowed, "seed \(seed), moment \(index), pieces \(choice)")
                }
            }
        }
        return count
    }

    /// The commits have a few pages each, so that all subsets of the sectors of pages and record
    /// can be tried.
    @Test func successiveSmallCommitsSurviveInEverySubsetOfTheirWrites() throws {
        let path = directory.file("counter")
        do {
            let connection = try Connection(Database.open(path: path))
            try SharedCounter.create(connection)
            for round in 0..<40 { try SharedCounter.increment(connection, writer: 0, Int64(round)) }
        }
        let history = try trace(41...50, from: readBytes(path)) {
            try SharedCounter.increment($1, writer: 0, Int64($0 - 1))
        }
        var count = 0
        for (index, moment) in history.decisiveMoments.enumerated() {
            for (choice, image) in moment.allSubsets(pageParts: 8) {
                count += 1
                let label = "moment \(index), pieces \(choice)"
                try directory.withImage(image) {
                    try checkCounter(
                        $0, allowed: moment.acknowledged...moment.acknowledged + 1, label)
                }
            }
        }
        #expect(count > 60)
    }

    private func checkCounter(_ path: String, allowed: ClosedRange<Int>, _ label: String) throws {
        var expected: [Int64] = []
        do {
            let connection = try Connection(Database.open(path: path))
            let (count, log) = try SharedCounter.read(connection)
            #expect(allowed.contains(Int(count)), "\(label)")
            expected = (0..<count).map { $0 }
            #expect(log == expected, "\(label)")
            #expect(try connection.verify() == [], "\(label)")
            try SharedCounter.increment(connection, writer: 1, 7)
            expected.append(1 << 32 + 7)
        }
        let connection = try Connection(Database.open(path: path))
        #expect(try SharedCounter.read(connection).log == expected, "\(label), reopened")
        #expect(try connection.verify() == [], "\(label), reopened")
    }

    @Test(arguments: FileKind.inCrashes)
    func twoSuccessiveCommitsOfManyStructuresSurvive(kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        let first = CrashStates.preparedStep + 1
        let history = try trace(first...(first + 1), from: states.image, kind: kind)
        #expect(try openAll(history, states, seed: 1) > 80)
    }

    /// Step 25 writes a checkpoint of the free map, or nearly so. Step 27 writes more than 1 MiB
    /// into a file that grows.
    @Test(arguments: [24, 26], FileKind.inCrashes)
    func commitsWithCheckpointAndGrowthSurvive(first: Int, kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        var image = states.image
        if first > CrashStates.preparedStep + 1 {
            let before = try trace(
                (CrashStates.preparedStep + 1)...(first - 1), from: image, kind: kind)
            image = before.present
        }
        let history = try trace(first...(first + 2), from: image, kind: kind)
        #expect(try openAll(history, states, seed: UInt64(first)) > 50)
    }

    /// Durability is full for all commits, for every fourth, or for none. In the last two cases an
    /// image may hold any step since the newest durable one. The first commit since the file was
    /// opened is always durable.
    @Test(arguments: FileKind.allCases, [1, 4, 100])
    func theCommitThatGivesTheFileItsSlotsSurvives(kind: FileKind, period: Int) throws {
        let states = try CrashStates.of(kind)
        for (first, image) in zip(
            states.beforeExtension.firstSteps, states.beforeExtension.images)
        {
            let last = first + (period == 1 ? 3 : 8)
            let history = try trace(first...last, from: image, kind: kind) { step, connection in
                try connection.beginWrite()
                try CrashWorkload.apply(step, to: connection)
                _ = try connection.commit(step % period == 0 ? .full : .relaxed)
            }
            let ring = try SlotsOfImage(history.present, states.kind, directory).ring
            #expect(ring.isExtended)
            var random = SeededGenerator(seed: UInt64(period))
            var count = 0
            for (index, moment) in history.decisiveMoments.enumerated() {
                let choices = moment.choices(
                    exhaustivePieces: 3, samples: LongTests.choose(200, otherwise: 6), &random)
                let steps = moment.acknowledged / period * period
                let durable = period == 1 ? moment.acknowledged : max(steps, first - 1)
                for choice in choices {
                    count += 1
                    try directory.withImage(moment.image(choice)) {
                        try states.check(
                            $0, allowed: durable...min(moment.acknowledged + 1, last),
                            "period \(period), moment \(index), pieces \(choice)")
                    }
                }
            }
            #expect(count > 20)
        }
    }

    private struct SlotsOfImage {
        var ring: CommitRing

        init(_ image: [UInt8], _ kind: FileKind, _ directory: CrashDirectory) throws {
            ring = try directory.withImage(image) { path in
                let database = try Database.open(path: path, options: kind.options)
                return try #require(try database.records.record(of: database.newestVersion)).ring
            }
        }
    }

    /// A process is killed before its sync. The next process adopts the commit and makes another.
    /// Then power is lost: no acknowledged commit may depend on contents that only the page cache
    /// held.
    @Test(arguments: FileKind.inCrashes)
    func aCommitAdoptedFromAKilledProcessIsDurableBeforeTheNextOne(kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        let first = CrashStates.preparedStep + 1
        let unsynced = try trace(first...first, from: states.image, kind: kind)
        let last = try #require(unsynced.moments.last { !$0.pending.isEmpty })
        let history = try trace(
            (first + 1)...(first + 1), from: last.durable, pending: last.pending, kind: kind)
        #expect(history.moments.first?.acknowledged == first)
        var random = SeededGenerator(seed: 5)
        for (index, moment) in history.decisiveMoments.enumerated() {
            for (choice, image) in moment.images(&random) {
                // Before the second commit returns, neither commit was acknowledged.
                let isDone = moment.acknowledged == first + 1
                try directory.withImage(image) {
                    try states.check(
                        $0, allowed: isDone ? first + 1...first + 1 : first - 1...first + 1,
                        "moment \(index), pieces \(choice)")
                }
            }
        }
    }

    /// Two power losses in a row: the state after the first is opened, takes a commit, and is lost
    /// again.
    @Test(arguments: 1...LongTests.choose(200, otherwise: 12))
    func aSecondLossOfPowerAfterRecoveryLosesNothing(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let kind = FileKind.everyWay[seed % 4]
        let states = try CrashStates.of(kind)
        let first = CrashStates.preparedStep + 1
        let history = try trace(first...(first + 1), from: states.image, kind: kind)
        let moment = history.moments[random.next(below: history.moments.count)]
        let image = moment.sample(&random)
        let step = try directory.withImage(image) {
            try CrashWorkload.step(of: states.open($0))
        }
        #expect((moment.acknowledged...moment.acknowledged + 1).contains(step))
        let second = try trace((step + 1)...(step + 1), from: image, kind: kind)
        for _ in 0..<6 {
            let later = second.moments[random.next(below: second.moments.count)]
            try directory.withImage(later.sample(&random)) {
                try states.check(
                    $0, allowed: later.acknowledged...(later.acknowledged + 1), "seed \(seed)")
            }
        }
    }
}
