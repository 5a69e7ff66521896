import Dispatch
import Foundation
import ToolSupport

/// The strategy `main-queue`: each reading is dispatched asynchronously to the main queue, one
/// transaction each. The main thread runs its run loop, which serves the queue on the main thread;
/// `dispatchMain` would serve it on another one.
final class MainQueueStrategy: WriterStrategy, @unchecked Sendable {
    // Safe because the mutable state is only accessed on the main thread and in blocks of the main
    // queue.
    static let name = "main-queue"
    static let summary =
        "each reading is dispatched asynchronously to the main queue, one transaction each"
    static let producesOnMainThread = false

    private let environment: WriterEnvironment
    private var writer: TransactionWriter?

    init(_ environment: WriterEnvironment) { self.environment = environment }

    func start() throws { writer = try TransactionWriter(environment) }

    func makeSink() throws -> any ReadingSink { Sink(self) }

    func drain() {
        while !environment.gate.isEmpty {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
    }

    func stop() {
        writer?.finish()
        writer = nil
    }

    private func write(_ reading: ProducedReading) {
        precondition(Thread.isMainThread, "The main queue is not served by the main thread.")
        writer?.write(CollectionOfOne(reading), takenAt: monotonicNanoseconds())
    }

    private final class Sink: ReadingSink {
        let strategy: MainQueueStrategy

        init(_ strategy: MainQueueStrategy) { self.strategy = strategy }

        func submit(_ reading: ProducedReading) {
            let admitted = strategy.environment.admit(reading)
            DispatchQueue.main.async { [strategy] in strategy.write(admitted) }
        }
    }
}
