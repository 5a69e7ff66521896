import Dispatch
import RealmSwift

/// Observers as an application writes them: of results, or of the Realm.
extension RealmObjectPersonStore {
    func setAges(of numbers: Range<Int>, to age: Int) throws {
        try realm.write { for number in numbers { try keyed(number).age = age } }
    }

    func observe(
        _ matter: ObservedMatter, at place: ObserverPlace, _ observers: [PersonObserver]
    ) throws -> any PersonObservation {
        switch (matter, place) {
        case (.persons, .queue(let queue)):
            return Self.observePersons(of: realm, on: queue, observers)
        case (.persons, _):
            let observation = Self.observePersons(of: realm, on: nil, observers)
            if case .refresh = place { realm.autorefresh = false }
            return observation
        case (.commits, .queue(let queue)):
            return try queue.sync {
                try Self.observeCommits(
                    Realm(configuration: realmConfiguration, queue: queue), observers)
            }
        case (.commits, _): return Self.observeCommits(realm, observers)
        }
    }

    static func observePersons(
        of realm: Realm, on queue: DispatchQueue?, _ observers: [PersonObserver]
    ) -> any PersonObservation {
        let persons = realm.objects(KeyedPerson.self)
        return RealmPersonObservation(
            observers.map { observer in
                persons.observe(on: queue) { observer.tell(news(of: $0)) }
            })
    }

    private static func news(
        of change: RealmCollectionChange<Results<KeyedPerson>>
    ) -> PersonNews {
        var news = PersonNews()
        if case .update(let persons, _, _, let modifications) = change {
            news.age = modifications.first.map { persons[$0].age }
            news.changes = modifications.count
        }
        return news
    }

    private static func observeCommits(
        _ realm: Realm, _ observers: [PersonObserver]
    ) -> RealmPersonObservation {
        RealmPersonObservation(
            observers.map { observer in
                realm.observe { _, realm in
                    var news = PersonNews()
                    news.age =
                        realm.object(
                            ofType: KeyedPerson.self, forPrimaryKey: observer.numbers().lowerBound
                        )?.age
                    observer.tell(news)
                }
            })
    }
}

private final class RealmPersonObservation: PersonObservation {
    private let tokens: [NotificationToken]

    init(_ tokens: [NotificationToken]) { self.tokens = tokens }
}
