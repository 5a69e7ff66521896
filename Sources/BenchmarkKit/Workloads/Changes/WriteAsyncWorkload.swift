import Dispatch
import Foundation
import RealmSwift
import StorageEngine
import ToolSupport

/// Transactions that are asked for with `writeAsync`: for how long that keeps the thread that asks.
enum WriteAsyncWorkload {
    static let name = "write-async"

    /// Where the Realm is confined, and how transactions are asked for.
    struct Way: Sendable {
        let name: String
        let summary: String
        let usesQueue: Bool
        /// How many transactions are asked for in a row, before any of them has begun.
        var calls = 1
    }

    static let ways = [
        Way(
            name: "run-loop", summary: "the main thread, each once the one before is durable",
            usesQueue: false),
        Way(
            name: "queue", summary: "a serial queue, each once the one before is durable",
            usesQueue: true),
        Way(
            name: "queue-100-calls", summary: "a serial queue, 100 in a row", usesQueue: true,
            calls: 100),
    ]

    static let workload = Workload.persons(
        name, "asks for transactions with writeAsync: how long that keeps the thread that asks",
        on: .changed, run
    ).with {
        $0.strategies = ways.map {
            Workload.Strategy(name: $0.name, summary: $0.summary, layer: "api")
        }
        $0.countedOperations = nil
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        guard let way = ways.first(where: { $0.name == core.strategy }) else {
            throw BenchmarkError(.usage, "No strategy '\(core.strategy)' of \(name).")
        }
        if way.usesQueue { return try WriteAsyncRun(core, file, way).run() }
        return try CallerRunLoop.run { try WriteAsyncRun(core, file, way).run() }
    }
}

private struct WriteAsyncRun {
    private static let usualCount = 1000
    private static let warmUp = 20

    private let core: CoreCase
    private let file: PersonsFile
    private let way: WriteAsyncWorkload.Way
    private let place: AskingPlace

    init(_ core: CoreCase, _ file: PersonsFile, _ way: WriteAsyncWorkload.Way) throws {
        self.core = core
        self.file = file
        self.way = way
        place = try AskingPlace(
            Realm.Configuration(
                path: file.path(core), core.durability, objectTypes: [KeyedPerson.self]),
            way.usesQueue ? DispatchQueue(label: "asking") : nil)
    }

    func run() throws -> CaseOutcome {
        core.progress(fraction: 0)
        var oracle = file.fixture(of: core).oracle()
        var generator = SeededGenerator(seed: core.seed &+ 8)
        func change() -> AskingPlace.Change {
            let change = (
                number: generator.next(below: core.size), age: generator.next(below: 100)
            )
            oracle.setAge(of: change.number, to: change.age)
            return change
        }
        var ignored = CallTimes(core)
        for _ in 0..<Self.warmUp { try place.ask([change()], &ignored) }
        let rounds = max(1, (core.options.count ?? Self.usualCount) / way.calls)
        var times = CallTimes(core)
        for round in 0..<rounds {
            try place.ask((0..<way.calls).map { _ in change() }, &times)
            core.progress(fraction: Double(round + 1) / Double(rounds))
        }
        var result = CaseResult(core.benchmarkCase)
        times.fill(&result)
        // The control: functions that the place is to call, and that do nothing.
        var plain = CallTimes(core)
        for _ in 0..<rounds { try place.handOver(way.calls, &plain) }
        var control = CaseResult.control("\(way.name)-function", beside: core.benchmarkCase)
        plain.fill(&control)
        place.close()
        try result.fill(file.open(core).size())
        let contents = oracle.contents()
        result.digest = contents.digest
        return try CaseOutcome(
            results: [result, control], histograms: [.latency: times.latency.distribution],
            verification: core.expectation(contents, file.layout))
    }
}

/// A queue, or the thread of the caller with its run loop, and a Realm that is confined to it.
private final class AskingPlace {
    typealias Change = (number: Int, age: Int)

    private let queue: DispatchQueue?
    private var realm: Realm?
    private let ends = EndsOfCalls()

    init(_ configuration: Realm.Configuration, _ queue: DispatchQueue?) throws {
        self.queue = queue
        realm = try Self.visit(queue) { try Realm(configuration: configuration, queue: queue) }
    }

    private static func visit<Value>(
        _ queue: DispatchQueue?, _ body: () throws -> Value
    ) rethrows -> Value {
        if let queue { return try queue.sync(execute: body) }
        return try body()
    }

    /// Asks for a transaction for each change, then waits until all are durable.
    func ask(_ changes: [Change], _ times: inout CallTimes) throws {
        guard let realm else { return }
        // The allocation counters run inside the region, because entering and leaving a region
        // counts the threads, which allocates.
        MeasuredRegion.run {
            Self.visit(queue) {
                for (number, age) in changes {
                    times.measure {
                        realm.writeAsync { [realm] in
                            let person = realm.object(
                                ofType: KeyedPerson.self, forPrimaryKey: number)
                            person?.age = age
                        } onComplete: { [ends] in
                            ends.note($0)
                        }
                    }
                }
            }
        }
        try wait(changes.count)
    }

    /// Has the place call so many functions, and waits for them.
    func handOver(_ count: Int, _ times: inout CallTimes) throws {
        Self.visit(queue) {
            for _ in 0..<count {
                times.measure {
                    if let queue {
                        queue.async { [ends] in ends.note(nil) }
                    } else {
                        RunLoop.current.perform { [ends] in ends.note(nil) }
                    }
                }
            }
        }
        try wait(count)
    }

    private func wait(_ count: Int) throws {
        for _ in 0..<count {
            try ends.wait(
                turning: queue == nil ? { CallerRunLoop.turn(seconds: 0.01) } : nil)
        }
        // Until the place has nothing left to do, so that the next call finds it idle.
        Self.visit(queue) {}
    }

    func close() { Self.visit(queue) { realm = nil } }
}

/// The calls of completion functions, on any thread.
private final class EndsOfCalls: Sendable {
    private static let limit = 60.0

    private let ended = DispatchSemaphore(value: 0)
    private let failure = Locked<String?>(nil)

    func note(_ error: (any Error)?) {
        if let error { failure.withLock { $0 = $0 ?? "\(error)" } }
        ended.signal()
    }

    /// Waits for one call, and has the caller's thread work meanwhile if it is to.
    func wait(turning turn: (() -> Void)?) throws {
        let start = monotonicNanoseconds()
        var isIn = false
        repeat {
            turn?()
            isIn = ended.wait(timeout: turn == nil ? .now() + Self.limit : .now()) == .success
        } while !isIn && seconds(from: start, to: monotonicNanoseconds()) < Self.limit
        if let failure = failure.withLock({ $0 }) { throw BenchmarkError(.caseFailed, failure) }
        guard isIn else {
            throw BenchmarkError(
                .caseFailed, "A completion function was not called in \(Int(Self.limit)) seconds.")
        }
    }
}

extension CallTimes {
    /// Measures for how long a call keeps its thread. Allocations are those of that thread.
    fileprivate mutating func measure(_ call: () -> Void) {
        beginCounting()
        let begun = monotonicNanoseconds()
        call()
        let ended = PlantedDelay.end(of: begun)
        endCounting()
        record(ended - begun)
    }
}
