import RealmSwift

/// `current`: the producer writes by itself, one transaction a reading. The only producer is the
/// main thread; several are threads of their own.
final class CurrentThreadStrategy: WriterStrategy {
    static let name = "current"
    static let summary = "the producer writes on its own (main) thread, one transaction a reading"

    static func hasOneWriter(producers: Int) -> Bool { producers == 1 }

    private let environment: WriterEnvironment

    init(_ environment: WriterEnvironment) { self.environment = environment }

    func makeSink() throws -> any ReadingSink { try Sink(environment) }

    /// Nothing is ever on its way.
    func drain() {}

    private final class Sink: ReadingSink {
        let environment: WriterEnvironment
        let writer: TransactionWriter
        /// Held so that opening the Realm for each reading finds it open, as in an application.
        let realm: Realm

        init(_ environment: WriterEnvironment) throws {
            self.environment = environment
            writer = TransactionWriter(environment)
            realm = try Realm(configuration: environment.configuration)
        }

        func submit(_ reading: ProducedReading) {
            let admitted = environment.admit(reading)
            writer.write(
                CollectionOfOne(admitted), to: realm, takenAt: monotonicNanoseconds()
            ) { try writer.findSensor($0, in: realm) }
        }

        func finish() { writer.finish() }
    }
}
