import Foundation
import RealmSwift

/// Queries as an application writes them: each call builds its query from text, with values of the
/// program as arguments. Code that reads object by object is called for each class by name, so that
/// it is specialised.
extension RealmObjectPersonStore {
    // MARK: Counting

    func count(ageBelow limit: Int) -> Int { count("age < %@", limit) }

    func count(namePrefix: String) -> Int { count("name BEGINSWITH %@", namePrefix) }

    func count(nameContaining text: String) -> Int { count("name CONTAINS %@", text) }

    func count(birthdateIn range: Range<Int>) -> Int {
        count(
            "birthdate >= %@ AND birthdate < %@", Self.date(range.lowerBound),
            Self.date(range.upperBound))
    }

    func count(where condition: PersonCondition) -> Int {
        count(
            "(age < %@ AND birthdate >= %@ AND birthdate < %@) OR name BEGINSWITH %@",
            condition.ageBelow, Self.date(condition.birthdates.lowerBound),
            Self.date(condition.birthdates.upperBound), condition.namePrefix)
    }

    private func count(_ format: String, _ arguments: Any...) -> Int {
        type.count(in: realm, NSPredicate(format: format, argumentArray: arguments))
    }

    private static func date(_ seconds: Int) -> Date {
        Date(timeIntervalSince1970: Double(seconds))
    }

    // MARK: Aggregates

    func sumOfAges() -> Int { type.sumOfAges(in: realm) }

    func rangeOfAges() -> ClosedRange<Int>? { type.rangeOfAges(in: realm) }

    func averageAge() -> Double? { type.averageAge(in: realm) }

    func groupsByAge() -> [AgeGroup] { type.groupsByAge(in: realm) }

    // MARK: Sorting

    func names(sortedByAge count: Int) -> [String] {
        type.firstNames(count, by: ["age", "name"], in: realm)
    }

    func namesInOrder(first count: Int) -> [String] {
        type.firstNames(count, by: ["name"], in: realm)
    }

    func checksumFromOldest() -> Int {
        switch layout {
        case .integerKey: checksumFromOldest(KeyedPerson.self)
        case .stringKey: checksumFromOldest(NamedPerson.self)
        case .indexed: checksumFromOldest(IndexedPerson.self)
        case .indexedNumber: checksumFromOldest(IndexedNumberPerson.self)
        case .unkeyed: checksumFromOldest(Person.self)
        }
    }

    private func checksumFromOldest<P: PersonObject>(_ type: P.Type) -> Int {
        let order = [SortDescriptor(keyPath: "birthdate"), SortDescriptor(keyPath: "name")]
        var checksum = OrderedChecksum()
        for person in realm.objects(type).sorted(by: order) {
            checksum.add(person.name.utf8, Self.seconds(person.birthdate), person.age)
        }
        return checksum.value
    }

    func checksum(ageBelow limit: Int) -> Int {
        switch layout {
        case .integerKey: Self.checksum(young(KeyedPerson.self, limit))
        case .stringKey: Self.checksum(young(NamedPerson.self, limit))
        case .indexed: Self.checksum(young(IndexedPerson.self, limit))
        case .indexedNumber: Self.checksum(young(IndexedNumberPerson.self, limit))
        case .unkeyed: Self.checksum(young(Person.self, limit))
        }
    }

    private func young<P: PersonObject>(_ type: P.Type, _ limit: Int) -> Results<P> {
        realm.objects(type).filter("age < %@", limit)
    }

    // MARK: Indexed lookups

    private var indexed: Results<IndexedNumberPerson> { realm.objects(IndexedNumberPerson.self) }

    func person(indexedNumber number: Int) -> (birthdate: Int, age: Int)? {
        indexed.filter("number == %@", number).first.map {
            (Self.seconds($0.birthdate), $0.age)
        }
    }

    func person(typedNumber number: Int) -> (birthdate: Int, age: Int)? {
        indexed.where { $0.number == number }.first.map { (Self.seconds($0.birthdate), $0.age) }
    }

    func sum(indexedNumbers numbers: [Int]) -> Int {
        Self.sum(indexed.filter("number IN %@", numbers))
    }

    func sum(indexedNumbersIn range: ClosedRange<Int>) -> Int {
        Self.sum(indexed.filter("number BETWEEN {%@, %@}", range.lowerBound, range.upperBound))
    }

    private static func sum(_ persons: Results<IndexedNumberPerson>) -> Int {
        var sum = 0
        for person in persons { sum &+= seconds(person.birthdate) &+ person.age }
        return sum
    }

    // MARK: Live results

    func young(ageBelow limit: Int) -> YoungPersons {
        Self.describe(young(KeyedPerson.self, limit))
    }

    func followYoung(ageBelow limit: Int) -> () throws -> YoungPersons {
        let live = young(KeyedPerson.self, limit)
        return { Self.describe(live) }
    }

    private static func describe(_ persons: Results<KeyedPerson>) -> YoungPersons {
        YoungPersons(count: persons.count, lastNumber: persons.last?.number)
    }

    // MARK: Updates

    func setAges(below limit: Int, to age: Int) throws {
        try realm.write { type.setAges(below: limit, to: age, in: realm) }
    }
}

extension PersonObject {
    fileprivate static func count(in realm: Realm, _ predicate: NSPredicate) -> Int {
        realm.objects(Self.self).filter(predicate).count
    }

    fileprivate static func sumOfAges(in realm: Realm) -> Int {
        realm.objects(Self.self).sum(ofProperty: "age")
    }

    fileprivate static func rangeOfAges(in realm: Realm) -> ClosedRange<Int>? {
        let persons = realm.objects(Self.self)
        guard let least: Int = persons.min(ofProperty: "age"),
            let greatest: Int = persons.max(ofProperty: "age")
        else { return nil }
        return least...greatest
    }

    fileprivate static func averageAge(in realm: Realm) -> Double? {
        realm.objects(Self.self).average(ofProperty: "age")
    }

    fileprivate static func groupsByAge(in realm: Realm) -> [AgeGroup] {
        let groups: [ObjectGroup<Int, Self>] = realm.objects(Self.self).grouped(
            byProperty: "age", aggregating: ["birthdate"])
        return groups.compactMap { group in
            let latest: Date? = group.max(ofProperty: "birthdate")
            return latest.map {
                AgeGroup(
                    age: group.key, count: group.count,
                    latestBirthdate: RealmObjectPersonStore.seconds($0))
            }
        }
    }

    fileprivate static func firstNames(
        _ count: Int, by properties: [String], in realm: Realm
    ) -> [String] {
        let order = properties.map { SortDescriptor(keyPath: $0) }
        return realm.objects(Self.self).sorted(by: order).prefix(count).map(\.name)
    }

    fileprivate static func setAges(below limit: Int, to age: Int, in realm: Realm) {
        realm.objects(Self.self).filter("age < %@", limit).setValue(age, forKey: "age")
    }
}
