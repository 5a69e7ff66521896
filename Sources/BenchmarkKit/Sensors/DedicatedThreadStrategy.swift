/// `dedicated-thread`: one thread with its own run loop and mailbox, Realm and sensors cached, one
/// transaction a reading.
final class DedicatedThreadStrategy: WriterStrategy {
    static let name = "dedicated-thread"
    static let summary =
        "one thread with run loop and mailbox, Realm and sensors cached, one transaction a reading"

    private let environment: WriterEnvironment
    private let thread: WriterThread

    init(_ environment: WriterEnvironment) {
        self.environment = environment
        thread = WriterThread { try Handler(environment) }
    }

    func start() throws { try thread.start() }
    func makeSink() throws -> any ReadingSink { MailboxSink(environment, thread) }
    func drain() { environment.gate.waitUntilEmpty() }
    func stop() { thread.stop() }

    private final class Handler: ReadingHandler {
        let writer: TransactionWriter
        let cache: CachedSensors

        init(_ environment: WriterEnvironment) throws {
            writer = TransactionWriter(environment)
            cache = try CachedSensors(environment, writer)
        }

        func handle(_ readings: [ProducedReading]) {
            for reading in readings {
                writer.write(
                    CollectionOfOne(reading), to: cache.realm, takenAt: monotonicNanoseconds()
                ) { cache.sensors[$0] }
            }
        }

        func flush() {}
        func finish() { writer.finish() }
    }
}
