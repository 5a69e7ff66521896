import Foundation
import RealmSwift
import Testing

@Suite struct ResultsTests {
    let directory = TestDirectory()

    private func populated(_ count: Int) throws -> Realm {
        let realm = try directory.realm()
        try realm.write {
            for age in 0..<count { realm.add(Person(value: ["name": "p\(age)", "age": age])) }
        }
        return realm
    }

    @Test func areLive() throws {
        let realm = try directory.realm()
        let people = realm.objects(Person.self)
        #expect(people.isEmpty && people.first == nil && people.last == nil)
        try realm.write {
            realm.add(Person(value: ["age": 1]))
            #expect(people.count == 1)
            realm.add(Person(value: ["age": 2]))
        }
        #expect(people.first?.age == 1 && people.last?.age == 2 && people[1].age == 2)
    }

    @Test func areACollection() throws {
        let realm = try populated(1_000)
        let people = realm.objects(Person.self)
        #expect(people.map(\.age) == Array(0..<1_000))
        #expect(people.indices == 0..<1_000)
        #expect(people.reversed().first?.age == 999)
        #expect(people.index(of: people[500]) == 500)
        #expect(people.index(of: Person()) == nil)
        #expect(people[10..<12].map(\.age) == [10, 11])
    }

    @Test func equalTheirCopiesOnly() throws {
        let realm = try populated(1)
        let people = realm.objects(Person.self)
        let copy = people
        #expect(people == copy && people != realm.objects(Person.self))
    }

    @Test func keptElementsStayDistinct() throws {
        let realm = try populated(300)
        let kept = Array(realm.objects(Person.self))
        #expect(kept.map(\.age) == Array(0..<300))
        var some: [Person] = []
        for person in realm.objects(Person.self) where person.age % 3 == 0 { some.append(person) }
        #expect(some.map(\.age) == Array(stride(from: 0, to: 300, by: 3)))
        weak var last: Person?
        var seen = 0
        for person in realm.objects(Person.self) {
            if let last, last === person { seen += 1 }
            last = person
        }
        #expect(seen == 0)
    }

    @Test func deletingWhileIteratingVisitsAll() throws {
        let realm = try populated(700)
        var visited: [Int] = []
        try realm.write {
            for person in realm.objects(Person.self) {
                visited.append(person.age)
                realm.delete(person)
            }
        }
        #expect(visited == Array(0..<700) && realm.isEmpty)
    }

    @Test func deletingOthersWhileIteratingPassesThemOver() throws {
        let realm = try populated(400)
        var visited: [Int] = []
        try realm.write {
            for person in realm.objects(Person.self) {
                let age = person.age
                visited.append(age)
                let all = realm.objects(Person.self)
                if let position = all.index(of: person), position + 1 < all.count {
                    realm.delete(all[position + 1])
                }
                if let first = all.first, first.age < age { realm.delete(first) }
            }
        }
        #expect(visited == Array(stride(from: 0, to: 400, by: 2)))
    }

    @Test func addingWhileIteratingEnds() throws {
        let realm = try populated(300)
        var visited = 0
        try realm.write {
            for person in realm.objects(Person.self) {
                visited += 1
                realm.add(Person(value: ["age": person.age + 1_000]))
                person.name = String(repeating: "x", count: visited % 40)
            }
        }
        #expect(visited == 300 && realm.objects(Person.self).count == 600)
    }

    @Test func doNotIncludeSubclasses() throws {
        let realm = try directory.realm([Animal.self, Cat.self])
        try realm.write {
            realm.add(Animal())
            realm.add(Cat(value: ["name": "Tom", "legs": 3]))
        }
        #expect(realm.objects(Animal.self).count == 1)
        #expect(realm.objects(Cat.self).first?.legs == 3)
    }

    @Test func describeTheirElements() throws {
        let realm = try populated(1)
        let text = realm.objects(Person.self).description
        #expect(text.hasPrefix("Results<Person> <0x") && text.contains("\t[0] Person {\n"))
    }
}
