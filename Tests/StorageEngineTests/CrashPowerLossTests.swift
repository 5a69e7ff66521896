import Foundation
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Rebuilds the files that a loss of power could leave of commits made through connections, and opens them.
@Suite struct CrashPowerLossTests {
    private let directory: CrashDirectory
    private let states: CrashStates

    init() throws {
        directory = try CrashDirectory()
        states = try CrashStates.shared.get()
    }

    /// Traces steps on top of an image.
    private func trace(
        _ steps: ClosedRange<Int>, from image: [UInt8], pending: [SystemTraceEvent] = []
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
            let connection = try Connection(Database.open(path: path))
            for step in steps {
                try CrashWorkload.run(step, on: connection)
                take()
                history.acknowledge(step)
            }
            return history
        }
    }

    /// Opens images of every moment and returns how many.
    private func openAll(_ history: PowerLossHistory, seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
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

    @Test func twoSuccessiveSmallCommitsSurviveInEverySubsetOfTheirWrites() throws {
        let first = CrashStates.preparedStep + 1
        let history = try trace(first...(first + 1), from: states.image)
        #expect(try openAll(history, seed: 1) > 100)
    }

    /// Step 25 writes a checkpoint of the free map or close to it, 27 more than 1 MiB into a file that grows.
    @Test(arguments: [24, 26]) func commitsWithCheckpointAndGrowthSurvive(first: Int) throws {
        var image = states.image
        if first > CrashStates.preparedStep + 1 {
            let before = try trace(
                (CrashStates.preparedStep + 1)...(first - 1), from: image)
            image = before.present
        }
        let history = try trace(first...(first + 2), from: image)
        #expect(try openAll(history, seed: UInt64(first)) > 50)
    }

    /// A process is killed before its sync; the next one adopts the commit and makes another. Power is lost
    /// then: nothing acknowledged may depend on what only the page cache held.
    @Test func aCommitAdoptedFromAKilledProcessIsDurableBeforeTheNextOne() throws {
        let first = CrashStates.preparedStep + 1
        let unsynced = try trace(first...first, from: states.image)
        let last = try #require(unsynced.moments.last { !$0.pending.isEmpty })
        let history = try trace(
            (first + 1)...(first + 1), from: last.durable, pending: last.pending)
        #expect(history.moments.first?.acknowledged == first)
        var random = SeededRandom(seed: 5)
        for (index, moment) in history.decisiveMoments.enumerated() {
            for (choice, image) in moment.images(&random) {
                // Before the second commit returns, neither was acknowledged to anybody.
                let isDone = moment.acknowledged == first + 1
                try directory.withImage(image) {
                    try states.check(
                        $0, allowed: isDone ? first + 1...first + 1 : first - 1...first + 1,
                        "moment \(index), pieces \(choice)")
                }
            }
        }
    }

    /// Two losses of power in a row: what the first left is opened, takes a commit, and is lost again.
    @Test(arguments: 1...LongTests.choose(200, otherwise: 12))
    func aSecondLossOfPowerAfterRecoveryLosesNothing(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let first = CrashStates.preparedStep + 1
        let history = try trace(first...(first + 1), from: states.image)
        let moment = history.moments[random.next(below: history.moments.count)]
        let image = moment.sample(&random)
        let step = try directory.withImage(image) {
            try CrashWorkload.step(of: Connection(Database.open(path: $0)))
        }
        #expect((moment.acknowledged...moment.acknowledged + 1).contains(step))
        let second = try trace((step + 1)...(step + 1), from: image)
        for _ in 0..<6 {
            let later = second.moments[random.next(below: second.moments.count)]
            try directory.withImage(later.sample(&random)) {
                try states.check(
                    $0, allowed: later.acknowledged...(later.acknowledged + 1), "seed \(seed)")
            }
        }
    }
}
