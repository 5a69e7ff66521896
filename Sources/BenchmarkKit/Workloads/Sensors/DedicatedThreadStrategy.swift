import ToolSupport

/// The strategy `dedicated-thread`: one thread with its own run loop, mailbox and session, one
/// transaction a reading.
final class DedicatedThreadStrategy: WriterThreadStrategy {
    static let name = "dedicated-thread"
    static let summary =
        "one thread with run loop and mailbox, Realm and sensors cached, one transaction a reading"

    let environment: WriterEnvironment
    let thread: WriterThread

    init(_ environment: WriterEnvironment) {
        self.environment = environment
        thread = WriterThread { try Handler(environment) }
    }

    private final class Handler: ReadingHandler {
        let writer: TransactionWriter

        init(_ environment: WriterEnvironment) throws {
            writer = try TransactionWriter(environment)
        }

        func handle(_ readings: [ProducedReading]) {
            for reading in readings {
                writer.write(CollectionOfOne(reading), takenAt: monotonicNanoseconds())
            }
        }

        /// Does nothing, since no reading is ever buffered.
        func flush() {}
        func finish() { writer.finish() }
    }
}
