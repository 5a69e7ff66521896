import Dispatch
import ToolSupport

/// The strategy `concurrent-gcd`: each reading is dispatched to a concurrent background queue.
/// Every block opens a session, finds its sensor and writes. Dispatch chooses the number of
/// threads.
final class ConcurrentQueueStrategy: WriterStrategy {
    static let name = "concurrent-gcd"
    static let summary =
        "each reading goes to a concurrent background queue; every block opens its Realm"
    static func hasOneWriter(producers: Int) -> Bool { false }

    private let environment: WriterEnvironment
    private let queue = DispatchQueue(
        label: "sensors.background", qos: .background, attributes: .concurrent)

    init(_ environment: WriterEnvironment) { self.environment = environment }

    func makeSink() throws -> any ReadingSink { Sink(environment, queue) }

    func drain() { environment.gate.waitUntilEmpty() }

    private static func write(_ reading: ProducedReading, _ environment: WriterEnvironment) {
        let taken = monotonicNanoseconds()
        do {
            let writer = try TransactionWriter(environment)
            writer.write(CollectionOfOne(reading), takenAt: taken)
        } catch {
            environment.fail(error)
        }
    }

    private final class Sink: ReadingSink {
        let environment: WriterEnvironment
        let queue: DispatchQueue

        init(_ environment: WriterEnvironment, _ queue: DispatchQueue) {
            self.environment = environment
            self.queue = queue
        }

        func submit(_ reading: ProducedReading) {
            let admitted = environment.admit(reading)
            queue.async { [environment] in
                ConcurrentQueueStrategy.write(admitted, environment)
            }
        }
    }
}
