import ToolSupport

/// The strategy `batched`: the dedicated thread buffers readings and writes many in one
/// transaction; the remaining ones are written at the end.
final class BatchedStrategy: WriterThreadStrategy {
    static let name = "batched"
    static let summary =
        "the dedicated thread, readings buffered and written --batch-size a transaction"
    static func batchSize(for options: CaseOptions) -> Int { options.batchSize }

    let environment: WriterEnvironment
    let thread: WriterThread

    init(_ environment: WriterEnvironment) {
        self.environment = environment
        thread = WriterThread { try Handler(environment) }
    }

    private final class Handler: ReadingHandler {
        let batchSize: Int
        let writer: TransactionWriter
        var buffer: [ProducedReading] = []

        init(_ environment: WriterEnvironment) throws {
            batchSize = environment.batchSize
            writer = try TransactionWriter(environment)
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
            writer.write(buffer, takenAt: monotonicNanoseconds())
            buffer.removeAll(keepingCapacity: true)
        }

        func finish() { writer.finish() }
    }
}
