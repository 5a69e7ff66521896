import Foundation
import RealmSwift
import Testing
import ToolSupport

private enum Cancelled {
    class Address: EmbeddedObject {
        @Persisted var street = ""
        @Persisted var country: Country?
    }

    class Country: EmbeddedObject {
        @Persisted var name = ""
    }

    class Dog: Object {
        @Persisted(primaryKey: true) var name = ""
        @Persisted var toys: List<String>
    }

    class Person: Object {
        @Persisted var dogs: List<Dog>
        @Persisted var walked: MutableSet<Dog>
        @Persisted var byName: Map<String, Dog?>
        @Persisted var home: Address?
        @Persisted var addresses: List<Address>
        @Persisted var places: Map<String, Address?>
    }

    static let types: [ObjectBase.Type] = [
        Address.self, Country.self, Dog.self, Person.self,
    ]
}

/// Tests that cancelling a transaction restores deleted objects but leaves their instances
/// invalidated.
@Suite struct CancelledDeletionTests {
    private typealias Dog = Cancelled.Dog
    private typealias Person = Cancelled.Person
    private typealias Address = Cancelled.Address

    let realm: Realm
    private let ann: Person

    init() throws {
        realm = try temporaryRealm(Cancelled.types)
        ann = Person()
        try realm.write {
            realm.add(ann)
            for name in ["a", "b", "c"] {
                let dog = realm.create(Dog.self, value: ["name": name, "toys": ["ball"]])
                ann.dogs.append(dog)
                ann.walked.insert(dog)
                ann.byName[name] = dog
            }
        }
    }

    private var dogs: [Dog] { Array(realm.objects(Dog.self)) }

    enum Way: CaseIterable { case each, sequence, list, set, map, results, everything }

    private func delete(_ way: Way) {
        switch way {
        case .each: for dog in dogs.reversed() { realm.delete(dog) }
        case .sequence: realm.delete(dogs)
        case .list: realm.delete(ann.dogs)
        case .set: realm.delete(ann.walked)
        case .map: realm.delete(ann.byName)
        case .results: realm.delete(realm.objects(Dog.self))
        case .everything: realm.deleteAll()
        }
    }

    @Test(arguments: Way.allCases)
    func noInstanceOfADeletedObjectIsRevived(_ way: Way) throws {
        let (before, others) = (dogs, dogs)
        let toys = before.map(\.toys)
        realm.beginWrite()
        let inside = dogs
        delete(way)
        // No instance is used between the deletion and the cancellation.
        realm.cancelWrite()
        for instances in [before, others, inside] {
            #expect(instances.allSatisfy { $0.isInvalidated })
        }
        #expect(toys.allSatisfy { $0.isInvalidated })
        #expect(dogs.map(\.name) == ["a", "b", "c"] && dogs.allSatisfy { $0.toys.count == 1 })
        #expect(ann.isInvalidated == (way == .everything))
        let found = try #require(realm.object(ofType: Dog.self, forPrimaryKey: "b"))
        #expect(found != before[1] && !found.isSameObject(as: before[1]))
        #expect(found == realm.objects(Dog.self)[1])
        realm.beginWrite()
        realm.cancelWrite()
        #expect(!found.isInvalidated && before[1].isInvalidated)
    }

    @Test func aWriteWhoseBlockThrowsIsCancelled() throws {
        let dog = dogs[0]
        #expect(throws: Realm.Error.callFailed) {
            try realm.write {
                realm.delete(dog)
                throw Realm.Error.callFailed
            }
        }
        #expect(dog.isInvalidated && dogs.count == 3)
    }

    @Test func otherObjectsStayValid() throws {
        let all = dogs
        realm.beginWrite()
        realm.delete(all[1])
        realm.cancelWrite()
        #expect(all.map(\.isInvalidated) == [false, true, false])
        #expect(all[0].name == "a" && all[2].name == "c" && !ann.isInvalidated)
        #expect(ann.dogs[1].name == "b" && ann.dogs.index(of: all[2]) == 2)
    }

    @Test func dynamicInstancesAreNotRevivedEither() throws {
        let old = try #require(
            realm.dynamicObject(ofType: "Cancelled_Dog", forPrimaryKey: "b"))
        realm.beginWrite()
        realm.delete(dogs[1])
        realm.cancelWrite()
        #expect(old.isInvalidated && realm.dynamicObjects("Cancelled_Dog").count == 3)
        #expect(!realm.dynamicObjects("Cancelled_Dog")[1].isInvalidated)
    }

    @Test(arguments: [false, true])
    func embeddedObjectsGoWithTheirOwners(_ deletesResults: Bool) throws {
        func address(_ street: String) -> Address {
            Address(value: ["street": street, "country": ["name": "Chile"]])
        }
        try realm.write {
            ann.home = address("a")
            ann.addresses.append(objectsIn: [address("b"), address("c")])
            ann.places["d"] = address("d")
        }
        func parts() -> [Address] {
            guard let ann = realm.objects(Person.self).first else { return [] }
            return [ann.home, ann.places["d"] ?? nil].compactMap { $0 } + Array(ann.addresses)
        }
        let old = parts()
        let countries = old.compactMap(\.country)
        realm.beginWrite()
        if deletesResults {
            realm.delete(realm.objects(Person.self))
        } else {
            realm.delete(ann)
        }
        realm.cancelWrite()
        #expect(old.count == 4 && old.allSatisfy { $0.isInvalidated })
        #expect(countries.count == 4 && countries.allSatisfy { $0.isInvalidated })
        #expect(parts().map(\.street) == ["a", "d", "b", "c"])
        #expect(parts().allSatisfy { $0.country?.name == "Chile" })
    }

    @Test func aReplacedEmbeddedObjectThatWasSeenInvalidStaysSo() throws {
        try realm.write { ann.home = Address(value: ["street": "old"]) }
        let old = try #require(ann.home)
        realm.beginWrite()
        ann.home = Address(value: ["street": "new"])
        #expect(old.isInvalidated)
        realm.cancelWrite()
        #expect(old.isInvalidated && ann.home?.street == "old")
    }

    @Test func keysThatAreUsedAgainAreOtherObjects() throws {
        realm.beginWrite()
        let cancelled = realm.create(Dog.self, value: ["name": "d"])
        realm.cancelWrite()
        let created = try realm.write { realm.create(Dog.self, value: ["name": "d"]) }
        #expect(cancelled != created && !created.isSameObject(as: cancelled))
        #expect(created == dogs[3])
    }

    @Test(arguments: 0..<8)
    func randomTransactions(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var instances: [(dog: Dog, name: String, isAlive: Bool)] = []
        var names: Set<String> = ["a", "b", "c"]
        for step in 0..<60 {
            for dog in dogs where Bool.random(using: &random) {
                instances.append((dog, dog.name, true))
            }
            let before = names
            realm.beginWrite()
            for number in 0..<Int.random(in: 0...6, using: &random) {
                let doomed = dogs.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    realm.delete(realm.objects(Dog.self))
                    names = []
                case 1...3:
                    names.subtract(doomed.map(\.name))
                    realm.delete(doomed)
                case 4...6:
                    for dog in doomed {
                        names.remove(dog.name)
                        realm.delete(dog)
                    }
                default:
                    let name = "\(step)-\(number)"
                    instances.append((realm.create(Dog.self, value: ["name": name]), name, true))
                    names.insert(name)
                }
                for index in instances.indices where !names.contains(instances[index].name) {
                    instances[index].isAlive = false
                    // Some instances are used inside the transaction, others only after its end.
                    if Bool.random(using: &random) { #expect(instances[index].dog.isInvalidated) }
                }
            }
            if Bool.random(using: &random) {
                realm.cancelWrite()
                names = before
                for index in instances.indices where !names.contains(instances[index].name) {
                    instances[index].isAlive = false
                }
            } else {
                try realm.commitWrite()
            }
            #expect(Set(dogs.map(\.name)) == names, "seed \(seed), step \(step)")
            for (dog, name, isAlive) in instances {
                #expect(dog.isInvalidated != isAlive, "\(name), seed \(seed), step \(step)")
                if isAlive { #expect(dog.name == name) }
            }
        }
    }
}
