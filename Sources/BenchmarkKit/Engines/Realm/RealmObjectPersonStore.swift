import Foundation
@_spi(Measurement) import RealmSwift
import StorageEngine
import ToolSupport

/// Persons as objects of the public API, used as an application uses them.
final class RealmObjectPersonStore: PersonStore {
    let realm: Realm
    let layout: PersonLayout
    let type: any PersonObject.Type
    let realmConfiguration: Realm.Configuration
    private let path: String

    init(path: String, _ layout: PersonLayout, _ durability: Durability) throws {
        self.path = path
        self.layout = layout
        switch layout {
        case .unkeyed: type = Person.self
        case .integerKey: type = KeyedPerson.self
        case .stringKey: type = NamedPerson.self
        case .indexed: type = IndexedPerson.self
        case .indexedNumber: type = IndexedNumberPerson.self
        }
        realmConfiguration = Realm.Configuration(path: path, durability, objectTypes: [type])
        realm = try Realm(configuration: realmConfiguration)
    }

    var lastCommit: CommitCost? { realm.lastCommitStatistics.map(CommitCost.init) }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try realm.write {
            switch layout {
            case .integerKey: for values in persons { realm.add(KeyedPerson(values)) }
            case .stringKey: for values in persons { realm.add(NamedPerson(values)) }
            case .indexed: for values in persons { realm.add(IndexedPerson(values)) }
            case .indexedNumber:
                for values in persons { realm.add(IndexedNumberPerson(values)) }
            case .unkeyed: for values in persons { realm.add(Person(values)) }
            }
        }
    }

    // MARK: Reading

    func person(number: Int) -> (birthdate: Int, age: Int)? {
        guard let person = realm.object(ofType: KeyedPerson.self, forPrimaryKey: number) else {
            return nil
        }
        return (Self.seconds(person.birthdate), person.age)
    }

    func person(name: String) -> (birthdate: Int, age: Int)? {
        guard let person = realm.object(ofType: NamedPerson.self, forPrimaryKey: name) else {
            return nil
        }
        return (Self.seconds(person.birthdate), person.age)
    }

    /// Returns the seconds since 1970; all birth dates are whole seconds.
    static func seconds(_ date: Date) -> Int { Int(date.timeIntervalSince1970) }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) {
        switch layout {
        case .integerKey: Self.forEach(realm.objects(KeyedPerson.self), body)
        case .stringKey: Self.forEach(realm.objects(NamedPerson.self), body)
        case .indexed: Self.forEach(realm.objects(IndexedPerson.self), body)
        case .indexedNumber: Self.forEach(realm.objects(IndexedNumberPerson.self), body)
        case .unkeyed: Self.forEach(realm.objects(Person.self), body)
        }
    }

    func checksum() -> Int {
        switch layout {
        case .integerKey: Self.checksum(realm.objects(KeyedPerson.self))
        case .stringKey: Self.checksum(realm.objects(NamedPerson.self))
        case .indexed: Self.checksum(realm.objects(IndexedPerson.self))
        case .indexedNumber: Self.checksum(realm.objects(IndexedNumberPerson.self))
        case .unkeyed: Self.checksum(realm.objects(Person.self))
        }
    }

    // These functions are generic instead of the class, whose methods would not be specialised.

    private static func forEach<P: PersonObject>(
        _ persons: Results<P>, _ body: (String, Int, Int) -> Void
    ) {
        for person in persons { body(person.name, seconds(person.birthdate), person.age) }
    }

    static func checksum<P: PersonObject>(_ persons: Results<P>) -> Int {
        var sum = 0
        for person in persons {
            sum &+= person.name.byteSum &+ seconds(person.birthdate) &+ person.age
        }
        return sum
    }

    // MARK: Updates

    func updateAllAges(adding: Int) throws {
        try realm.write {
            switch layout {
            case .integerKey: Self.updateAges(realm.objects(KeyedPerson.self), adding)
            case .stringKey: Self.updateAges(realm.objects(NamedPerson.self), adding)
            case .indexed: Self.updateAges(realm.objects(IndexedPerson.self), adding)
            case .indexedNumber:
                Self.updateAges(realm.objects(IndexedNumberPerson.self), adding)
            case .unkeyed: Self.updateAges(realm.objects(Person.self), adding)
            }
        }
    }

    private static func updateAges<P: PersonObject>(_ persons: Results<P>, _ adding: Int) {
        for person in persons { person.age = (person.age + adding) % 100 }
    }

    func updateAge(number: Int, to age: Int) throws {
        try realm.write { try keyed(number).age = age }
    }

    func delete(numbers: [Int]) throws {
        try realm.write { for number in numbers { realm.delete(try keyed(number)) } }
    }

    func keyed(_ number: Int) throws -> KeyedPerson {
        guard let person = realm.object(ofType: KeyedPerson.self, forPrimaryKey: number) else {
            throw BenchmarkError(.caseFailed, "There is no person with the key \(number).")
        }
        return person
    }

    func deleteOddAges() throws {
        try realm.write {
            switch layout {
            case .integerKey: deleteOdd(realm.objects(KeyedPerson.self))
            case .stringKey: deleteOdd(realm.objects(NamedPerson.self))
            case .indexed: deleteOdd(realm.objects(IndexedPerson.self))
            case .indexedNumber: deleteOdd(realm.objects(IndexedNumberPerson.self))
            case .unkeyed: deleteOdd(realm.objects(Person.self))
            }
        }
    }

    private func deleteOdd<P: PersonObject>(_ persons: Results<P>) {
        realm.delete(persons.lazy.filter { $0.age % 2 == 1 })
    }

    // MARK: The file

    func copy(to path: String) throws {
        try realm.writeCopy(configuration: Realm.Configuration(path: path))
    }

    // The public API does not report these figures; the database underneath, which the Realm keeps
    // open, does.

    func size() throws -> StoreSize {
        StoreSize(try Database.open(path: path, options: .ofCase).statistics())
    }

    func problems() throws -> [String] {
        try Connection(Database.open(path: path, options: .ofCase)).verify()
    }

    func refresh() { realm.refresh() }

    /// Refreshes the Realm, which then shows one version until the next refresh.
    func pin() { realm.refresh() }
}
