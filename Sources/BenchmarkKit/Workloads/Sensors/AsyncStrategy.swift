import Dispatch
import StorageEngine
import ToolSupport

/// The strategy `async`: a Realm confined to a queue, `writeAsync` for each reading.
final class AsyncStrategy: QueueWriterStrategy {
    static let name = "async"
    static let summary = "a Realm confined to a queue, one writeAsync a reading"

    let writer: QueueWriter

    init(_ environment: WriterEnvironment) {
        writer = QueueWriter(environment, isGrouped: false)
    }
}

/// The strategy `async-grouped`: the same with commits that share syncs.
final class GroupedAsyncStrategy: QueueWriterStrategy {
    static let name = "async-grouped"
    static let summary = "the same, with commits that may share a sync (allowGrouping)"

    let writer: QueueWriter

    init(_ environment: WriterEnvironment) {
        writer = QueueWriter(environment, isGrouped: true)
    }
}

/// A strategy whose readings are all written asynchronously on one queue.
protocol QueueWriterStrategy: WriterStrategy {
    var writer: QueueWriter { get }
}

extension QueueWriterStrategy {
    static var isAsynchronous: Bool { true }
    static func hasOneWriter(producers: Int) -> Bool { false }

    func start() throws { try writer.start() }
    func makeSink() throws -> any ReadingSink { QueueSink(writer) }
    func drain() { writer.environment.gate.waitUntilEmpty() }
    func stop() { writer.stop() }
}

/// A serial queue that writes what it is given, and waits for nothing.
final class QueueWriter: @unchecked Sendable {
    // Safe because `session` is only used on the queue.
    let environment: WriterEnvironment
    private let isGrouped: Bool
    private let queue = DispatchQueue(label: "writer")
    private var session: (any AsyncSensorSession)?

    init(_ environment: WriterEnvironment, isGrouped: Bool) {
        self.environment = environment
        self.isGrouped = isGrouped
    }

    func start() throws {
        try queue.sync {
            session = try environment.asyncStore.makeSession(on: queue, environment.sensors)
        }
    }

    func stop() { queue.sync { session = nil } }

    func submit(_ reading: ProducedReading) {
        queue.async { [self] in write(reading) }
    }

    private func write(_ reading: ProducedReading) {
        let taken = monotonicNanoseconds()
        var (begun, worked) = (taken, taken)
        session?.write(reading, isGrouped: isGrouped) { [environment] step in
            switch step {
            case .begun: begun = monotonicNanoseconds()
            case .appended:
                environment.recorder.ordered(CollectionOfOne(reading))
                worked = monotonicNanoseconds()
            case .durable:
                environment.finished(
                    reading,
                    TransactionTimes(
                        taken: taken, begun: begun, worked: worked,
                        durable: PlantedDelay.end(of: taken)))
            case .failed(let error): environment.fail(error)
            }
        }
        environment.recorder.asked(monotonicNanoseconds() - taken)
    }
}

private final class QueueSink: ReadingSink {
    private let writer: QueueWriter

    init(_ writer: QueueWriter) { self.writer = writer }

    func submit(_ reading: ProducedReading) {
        writer.submit(writer.environment.admit(reading))
    }
}
