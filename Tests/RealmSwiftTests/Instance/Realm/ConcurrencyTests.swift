import Foundation
import RealmSwift
import Testing

@Suite struct ConcurrencyTests {
    let directory = TestDirectory()

    @Test func writersOfManyThreadsLoseNothing() async throws {
        let configuration = directory.configuration()
        let (threads, writes) = (4, 25)
        try directory.realm().write {
            try directory.realm().add(Keyed(value: ["id": 0, "number": 0]))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    try await onThread {
                        for step in 0..<writes {
                            let realm = try Realm(configuration: configuration)
                            try realm.write {
                                let counter = realm.object(ofType: Keyed.self, forPrimaryKey: 0)
                                counter?.number = (counter?.number ?? 0) + 1
                                realm.add(Person(value: ["age": thread * writes + step]))
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (number, ages) = try await onThread {
            let realm = try Realm(configuration: configuration)
            return (
                realm.object(ofType: Keyed.self, forPrimaryKey: 0)?.number,
                Set(realm.objects(Person.self).map(\.age))
            )
        }
        #expect(number == threads * writes && ages == Set(0..<threads * writes))
    }

    @Test func readersSeeOneVersionUntilTheyRefresh() async throws {
        let configuration = directory.configuration()
        let seen = try await onThread {
            let realm = try Realm(configuration: configuration)
            let person = Person(value: ["age": 1])
            try realm.write { realm.add(person) }
            try runThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.objects(Person.self).first?.age = 2 }
            }
            let before = person.age
            realm.refresh()
            return [before, person.age]
        }
        #expect(seen == [1, 2])
    }

    @Test func objectsDeletedElsewhereAreInvalidAfterARefresh() async throws {
        let configuration = directory.configuration()
        let states = try await onThread {
            let realm = try Realm(configuration: configuration)
            let person = Person(value: ["age": 1])
            try realm.write { realm.add(person) }
            try runThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.deleteAll() }
            }
            let before = person.isInvalidated
            realm.refresh()
            return [before, person.isInvalidated]
        }
        #expect(states == [false, true])
    }
}
