import Foundation
import RealmSwift
import Testing

// The guide's samples about queries, unchanged.

private enum GuideQuerySample {
    final class City: Object {
        @Persisted var name: String
    }

    final class Dog: Object {
        @Persisted var age: Int
    }

    final class Person: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var city: City?
        @Persisted var dogs: List<Dog>

        var initial: String { String(name.prefix(1)) }
    }
}

@Suite struct GuideQueryTests {
    fileprivate typealias Person = GuideQuerySample.Person

    let realm: Realm

    init() throws {
        realm = try temporaryRealm([
            Person.self, GuideQuerySample.City.self, GuideQuerySample.Dog.self,
        ])
        try realm.write { [realm] in
            let paris = realm.create(GuideQuerySample.City.self, value: ["name": "Paris"])
            for (name, age, dogs) in [("Ada", 36, [11, 2]), ("Grace", 45, []), ("Bo", 12, [12])] {
                let person = realm.create(Person.self, value: ["name": name, "age": age])
                person.city = name == "Bo" ? nil : paris
                for age in dogs { person.dogs.append(GuideQuerySample.Dog(value: ["age": age])) }
            }
        }
    }

    @Test func querying() throws {
        let people = realm.objects(Person.self)
        let adults = people.where { $0.age >= 18 }
        let sorted = adults.sorted(by: \.name)
        print(sorted.count, sorted.first?.name ?? "nobody")

        let families = people.where { ($0.dogs.age > 10).count >= 1 && $0.city.name == "Paris" }
        let either = people.where { $0.name.starts(with: "A") || $0.age.contains(20...29) }

        let same = people.filter("ANY dogs.age > 10 AND city.name == %@", "Paris")
        let listed = people.filter("name IN %@", ["Ada", "Grace"])

        #expect(sorted.map(\.name) == ["Ada", "Grace"])
        #expect(families.map(\.name) == ["Ada"] && either.map(\.name) == ["Ada"])
        #expect(same.map(\.name) == ["Ada"] && Set(listed.map(\.name)) == ["Ada", "Grace"])
        try sortAndAdd(people)
        try GuideSamples(page: "querying.md").expectAll()
    }

    private func sortAndAdd(_ people: Results<Person>) throws {
        let byCity = people.sorted(by: [
            SortDescriptor(keyPath: "city.name"), SortDescriptor(keyPath: "age", ascending: false),
        ])
        let eldest = people.sorted(by: \.age, ascending: false).first
        let cities = people.distinct(by: ["city.name"])

        #expect(byCity.map(\.name) == ["Grace", "Ada", "Bo"])
        #expect(eldest?.name == "Grace" && cities.count == 1)

        let mean: Double? = people.average(ofProperty: "age")
        let oldest: Int? = people.max(of: \.age)
        let total: Int = people.sum(of: \.age)

        #expect(mean == 31 && oldest == 45 && total == 93)

        for group in people.grouped(by: \.name, aggregating: \.age) {
            print(group.key, group.count, group.sum(of: \.age), group.max(of: \.age) ?? 0)
        }
        #expect(people.grouped(by: \.name).map(\.key) == ["Ada", "Bo", "Grace"])

        let sections = people.sectioned(by: \.initial, ascending: true)
        for section in sections {
            print(section.key, section.map(\.name))
        }
        #expect(sections.map(\.key) == ["A", "B", "G"])

        print(people.where { $0.age > 30 }.explain())
    }
}
