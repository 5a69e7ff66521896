import ToolSupport

/// The strategy `current`: the producer itself writes, one transaction a reading. A single producer
/// is the main thread; several are threads of their own.
final class CurrentThreadStrategy: WriterStrategy {
    static let name = "current"
    static let summary = "the producer writes on its own (main) thread, one transaction a reading"

    static func hasOneWriter(producers: Int) -> Bool { producers == 1 }

    private let environment: WriterEnvironment

    init(_ environment: WriterEnvironment) { self.environment = environment }

    func makeSink() throws -> any ReadingSink { try Sink(environment) }

    /// Returns at once, since no reading is ever in flight.
    func drain() {}

    private final class Sink: ReadingSink {
        let environment: WriterEnvironment
        let writer: TransactionWriter

        init(_ environment: WriterEnvironment) throws {
            self.environment = environment
            writer = try TransactionWriter(environment)
        }

        func submit(_ reading: ProducedReading) {
            let admitted = environment.admit(reading)
            writer.write(CollectionOfOne(admitted), takenAt: monotonicNanoseconds())
        }

        func finish() { writer.finish() }
    }
}
