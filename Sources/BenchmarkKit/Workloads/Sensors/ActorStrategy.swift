import Dispatch
import StorageEngine
import ToolSupport

/// The strategy `actor`: a Realm confined to an actor, and a task for each reading, which awaits
/// its transaction.
final class ActorStrategy: WriterStrategy {
    static let name = "actor"
    static let summary = "a Realm confined to an actor, a task and one transaction a reading"
    static let isAsynchronous = true
    static func hasOneWriter(producers: Int) -> Bool { false }

    private let environment: WriterEnvironment
    private let writer = Locked<(any SensorActor)?>(nil)

    init(_ environment: WriterEnvironment) { self.environment = environment }

    func start() throws {
        let store = try environment.asyncStore
        let made = try Awaited.run { [sensors = environment.sensors] in
            try await store.makeActor(sensors)
        }
        writer.withLock { $0 = made }
    }

    func makeSink() throws -> any ReadingSink {
        guard let writer = writer.withLock({ $0 }) else {
            throw BenchmarkError(.internalError, "The actor was not made.")
        }
        return Sink(environment, writer)
    }

    func drain() { environment.gate.waitUntilEmpty() }

    func stop() {
        guard let writer = writer.withLock({ $0.take() }) else { return }
        try? Awaited.run { await writer.close() }
    }

    private final class Sink: ReadingSink {
        private let environment: WriterEnvironment
        private let writer: any SensorActor

        init(_ environment: WriterEnvironment, _ writer: any SensorActor) {
            self.environment = environment
            self.writer = writer
        }

        func submit(_ reading: ProducedReading) {
            let admitted = environment.admit(reading)
            Task { [environment, writer] in
                let taken = monotonicNanoseconds()
                do {
                    let times = try await writer.write(admitted) {
                        environment.recorder.ordered(CollectionOfOne(admitted))
                    }
                    environment.finished(
                        admitted,
                        TransactionTimes(
                            taken: taken, begun: times.begun, worked: times.worked,
                            durable: PlantedDelay.end(of: taken)))
                } catch {
                    environment.fail(error)
                }
            }
        }
    }
}
