/// `batched`: the dedicated thread; readings are buffered and written many a transaction, the rest
/// at the end.
final class BatchedStrategy: WriterStrategy {
    static let name = "batched"
    static let summary =
        "the dedicated thread, readings buffered and written --batch-size a transaction"

    private let environment: WriterEnvironment
    private let thread: WriterThread

    init(_ environment: WriterEnvironment) {
        self.environment = environment
        thread = WriterThread { try Handler(environment) }
    }

    func start() throws { try thread.start() }
    func makeSink() throws -> any ReadingSink { MailboxSink(environment, thread) }

    func drain() {
        thread.requestFlush()
        environment.gate.waitUntilEmpty()
    }

    func stop() { thread.stop() }

    private final class Handler: ReadingHandler {
        let batchSize: Int
        let writer: TransactionWriter
        let cache: CachedSensors
        var buffer: [ProducedReading] = []

        init(_ environment: WriterEnvironment) throws {
            batchSize = environment.batchSize
            writer = TransactionWriter(environment)
            cache = try CachedSensors(environment, writer)
            buffer.reserveCapacity(min(batchSize, 100_000))
        }

        func handle(_ readings: [ProducedReading]) {
            for reading in readings {
                buffer.append(reading)
                if buffer.count >= batchSize { flush() }
            }
        }

        func flush() {
            guard !buffer.isEmpty else { return }
            writer.write(buffer, to: cache.realm, takenAt: monotonicNanoseconds()) {
                cache.sensors[$0]
            }
            buffer.removeAll(keepingCapacity: true)
        }

        func finish() { writer.finish() }
    }
}
