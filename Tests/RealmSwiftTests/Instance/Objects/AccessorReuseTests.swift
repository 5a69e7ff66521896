import Foundation
import RealmSwift
import Testing

class Holder: Object {
    @Persisted var name: String
    @Persisted var person: Person?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Pair {
    unowned let person: Person
    init(_ person: Person) { self.person = person }
}

/// Tests of iteration, which moves an accessor on to the next object where that cannot be noticed.
@Suite struct AccessorReuseTests {
    let directory = TestDirectory()
    let count = 700

    private func filledRealm() throws -> Realm {
        let realm = try directory.realm([Person.self, Holder.self])
        try realm.write {
            for age in 0..<count { realm.create(Person.self, value: ["age": age]) }
        }
        return realm
    }

    @Test func visitsEachObjectOnce() throws {
        let people = try filledRealm().objects(Person.self)
        var ages: [Int] = []
        for person in people { ages.append(person.age) }
        #expect(ages == Array(0..<count))
        #expect(people.map(\.age) == ages && people.reversed().map(\.age) == ages.reversed())
    }

    @Test func keptAccessorsNeverChange() throws {
        let people = try filledRealm().objects(Person.self)
        var array: [Person] = []
        var closures: [() -> Int] = []
        let holder = Holder()
        for person in people {
            switch person.age % 4 {
            case 0: array.append(person)
            case 1: closures.append { person.age }
            case 2: holder.person = person
            default: break
            }
            if person.age % 4 == 3 { #expect(holder.person?.age == person.age - 1) }
        }
        #expect(array.map(\.age) == Array(stride(from: 0, to: count, by: 4)))
        #expect(closures.map { $0() } == Array(stride(from: 1, to: count, by: 4)))
    }

    @Test func weakReferencesNeverChange() throws {
        let people = try filledRealm().objects(Person.self)
        weak var previous: Person?
        for person in people {
            if let previous { #expect(previous.age == person.age - 1) }
            previous = person
        }
    }

    @Test func unownedReferencesNeverChange() throws {
        let people = try filledRealm().objects(Person.self)
        var pairs: [Pair] = []
        var iterator = people.makeIterator()
        while let person = iterator.next() {
            pairs.append(Pair(person))
            // The iterator itself still refers to the object of the previous step.
            if pairs.count == 1 { continue }
            #expect(pairs[pairs.count - 1].person.age == pairs.count - 1)
            if pairs.count == 5 { break }
        }
    }

    @Test func setsAndDictionariesKeepDistinctObjects() throws {
        let people = try filledRealm().objects(Person.self)
        #expect(Set(people).count == count)
        let byAge = Dictionary(grouping: people, by: \.age)
        #expect(byAge.count == count && byAge.allSatisfy { $0.value[0].age == $0.key })
    }

    @Test func deletingWhileIterating() throws {
        let realm = try filledRealm()
        var visited = 0
        try realm.write {
            for person in realm.objects(Person.self) {
                visited += 1
                realm.delete(person)
            }
        }
        #expect(visited == count && realm.isEmpty)
    }

    @Test func deletingOthersWhileIterating() throws {
        let realm = try filledRealm()
        let people = realm.objects(Person.self)
        var visited: [Int] = []
        try realm.write {
            for person in people {
                visited.append(person.age)
                if person.age % 2 == 0, person.age + 1 < count,
                    let position = people.index(of: person)
                {
                    realm.delete(people[position + 1])
                }
            }
        }
        #expect(visited == Array(stride(from: 0, to: count, by: 2)))
    }

    @Test func addingWhileIterating() throws {
        let realm = try filledRealm()
        var visited = 0
        try realm.write {
            for person in realm.objects(Person.self) {
                visited += 1
                person.name = String(repeating: "x", count: visited % 50)
                realm.create(Person.self, value: ["age": -1])
            }
        }
        #expect(visited == count && realm.objects(Person.self).count == 2 * count)
        #expect(realm.objects(Person.self)[count - 1].name.count == count % 50)
    }

    @Test func gapsInKeys() throws {
        let realm = try filledRealm()
        let people = realm.objects(Person.self)
        try realm.write {
            realm.delete(people.filter { $0.age % 3 == 0 || $0.age > 600 })
        }
        var ages: [Int] = []
        for person in people { ages.append(person.age) }
        #expect(ages == (0...600).filter { $0 % 3 != 0 })
    }

    @Test func listsGiveDistinctObjectsToWhoeverKeepsThem() throws {
        let realm = try directory.realm([Owner.self, Dog.self])
        let numbers = (0..<300).map { ($0 * 7919) % 300 }
        let owner = Owner()
        try realm.write {
            realm.add(owner)
            let dogs = (0..<300).map { realm.create(Dog.self, value: ["name": "\($0)"]) }
            for number in numbers { owner.dogs.append(dogs[number]) }
        }
        var seen: [String] = []
        var kept: [Dog] = []
        for dog in owner.dogs {
            seen.append(dog.name)
            if kept.count < seen.count / 3 { kept.append(dog) }
        }
        #expect(seen == numbers.map(String.init))
        #expect(kept.map(\.name) == (0..<100).map { seen[$0 * 3 + 2] })
        #expect(Array(owner.dogs).map(\.name) == seen)
    }

    @Test func listsVisitWhatIsDeletedMeanwhileAsInvalidated() throws {
        let realm = try directory.realm([Owner.self, Dog.self])
        let owner = Owner()
        var visited = 0
        var invalidated = 0
        try realm.write {
            realm.add(owner)
            for number in 0..<300 {
                owner.dogs.append(realm.create(Dog.self, value: ["name": "\(number)"]))
            }
            let all = Array(owner.dogs)
            for dog in owner.dogs {
                visited += 1
                if dog.isInvalidated {
                    invalidated += 1
                    continue
                }
                // Longer names also move rows.
                dog.name += String(repeating: "!", count: 1 + visited % 40)
                if visited % 3 == 1 { realm.delete(all[visited]) }
            }
        }
        #expect(visited == 300 && invalidated == 100)
        #expect(owner.dogs.count == 200 && owner.dogs.allSatisfy { $0.name.hasSuffix("!") })
    }

    @Test func breakingOffAndStartingAgain() throws {
        let people = try filledRealm().objects(Person.self)
        for _ in 0..<3 {
            var last = -1
            for person in people {
                last = person.age
                if last == 300 { break }
            }
            #expect(last == 300)
        }
    }
}
