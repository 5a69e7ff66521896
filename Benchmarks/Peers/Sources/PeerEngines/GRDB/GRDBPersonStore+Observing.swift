import BenchmarkKit
import Dispatch
import GRDB
import ToolSupport

/// Observers as GRDB has them. Nobody is told what has changed, so that a handler fetches it: here
/// the persons that have changed and no others, as if their keys were known. GRDB fetches them
/// before it calls the handler.
extension GRDBPersonStore {
    func setAges(of numbers: Range<Int>, to age: Int) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        let number = PersonColumns.number
        _ = try pool.write { database in
            try Person.filter(number >= numbers.lowerBound && number < numbers.upperBound)
                .updateAll(database, PersonColumns.age.set(to: age))
        }
    }

    func observe(
        _ matter: ObservedMatter, at place: ObserverPlace, _ observers: [PersonObserver]
    ) throws -> any PersonObservation {
        let queue: DispatchQueue
        switch place {
        case .runLoop: queue = .main
        case .queue(let given): queue = given
        case .refresh: throw BenchmarkError(.internalError, "GRDB has no refresh.")
        }
        return GRDBPersonObservation(
            observers.map { observer in
                switch matter {
                case .persons: observePersons(on: queue, observer)
                case .commits: observeCommits(on: queue, observer)
                }
            })
    }

    private func observePersons(
        on queue: DispatchQueue, _ observer: PersonObserver
    ) -> AnyDatabaseCancellable {
        ValueObservation.tracking(region: Person.all()) { database in
            try Self.persons(observer.numbers(), database)
        }.start(
            in: pool, scheduling: .async(onQueue: queue),
            onError: { fatalError("An observation has failed: \($0)") },
            onChange: { persons in
                var news = PersonNews()
                news.age = persons.first?.age
                news.changes = persons.count
                observer.tell(news)
            })
    }

    /// GRDB calls the handler on the queue of its writer, inside of the commit, so that the work of
    /// the handler is sent to the queue.
    private func observeCommits(
        on queue: DispatchQueue, _ observer: PersonObserver
    ) -> AnyDatabaseCancellable {
        let pool = pool
        return DatabaseRegionObservation(tracking: Person.all()).start(
            in: pool, onError: { fatalError("An observation has failed: \($0)") },
            onChange: { _ in
                queue.async {
                    var news = PersonNews()
                    let number = observer.numbers().lowerBound
                    let persons = try? pool.read { try Self.persons(number..<number + 1, $0) }
                    news.age = persons?.first?.age
                    observer.tell(news)
                }
            })
    }

    private static func persons(_ numbers: Range<Int>, _ database: Database) throws -> [Person] {
        let number = PersonColumns.number
        return try Person.filter(number >= numbers.lowerBound && number < numbers.upperBound)
            .order(number).fetchAll(database)
    }
}

private final class GRDBPersonObservation: PersonObservation {
    private let started: [AnyDatabaseCancellable]

    init(_ started: [AnyDatabaseCancellable]) { self.started = started }

    deinit { for observation in started { observation.cancel() } }
}
