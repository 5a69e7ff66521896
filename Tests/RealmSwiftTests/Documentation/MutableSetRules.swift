import Foundation
import RealmSwift
import Testing
import ToolSupport

// `MutableSet`: distinct values, ordered by value or row when managed.

private enum Sets {
    /// The guide's sample.
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""
        @Persisted var citiesVisited: MutableSet<String>
    }

    class Owner: Object {
        @Persisted var ints: MutableSet<Int>
        @Persisted var others: MutableSet<Int>
        @Persisted var strings: MutableSet<String?>
        @Persisted var dogs: MutableSet<Dog>
        @Persisted var owners: MutableSet<Owner>
        @Persisted var mixed: MutableSet<AnyRealmValue>
    }

    static let types: [ObjectBase.Type] = [Dog.self, Owner.self]

    static func owner(
        _ ints: [Int] = [], _ others: [Int] = [], managed: Bool
    ) throws -> (Realm, Owner) {
        let realm = try temporaryRealm(types)
        let owner = Owner()
        owner.ints.insert(objectsIn: ints)
        owner.others.insert(objectsIn: others)
        if managed { try realm.write { realm.add(owner) } }
        return (realm, owner)
    }
}

@Suite struct MutableSetRules {
    @Test func sample() throws {
        let realm = try temporaryRealm(Sets.types)
        let dog = try realm.write {
            realm.create(
                Sets.Dog.self,
                value: ["name": "Maui", "currentCity": "NYC", "citiesVisited": ["Paris", "NYC"]])
        }
        try realm.write {
            dog.citiesVisited.insert("Boston")
            dog.citiesVisited.insert("Paris")
            dog.citiesVisited.remove("NYC")
        }
        #expect(dog.citiesVisited.count == 2 && dog.citiesVisited.contains("Boston"))
        #expect(Array(dog.citiesVisited) == ["Boston", "Paris"])
    }

    @Test(arguments: [false, true]) func valuesAreDistinct(managed: Bool) throws {
        let (realm, owner) = try Sets.owner([3, 1, 3, 2, 1], managed: managed)
        #expect(owner.ints.count == 3 && Set(owner.ints) == [1, 2, 3])
        try realm.write {
            owner.ints.insert(2)
            owner.ints.insert(objectsIn: [4, 4])
            owner.ints.remove(9)
        }
        #expect(Set(owner.ints) == [1, 2, 3, 4] && owner.ints.count == 4)
        try realm.write { owner.ints.removeAll() }
        #expect(owner.ints.isEmpty)
    }

    @Test func managedSetsAreInOrderOfTheirValues() throws {
        let (_, owner) = try Sets.owner([3, -1, 20, 0], managed: true)
        #expect(Array(owner.ints) == [-1, 0, 3, 20] && owner.ints[1] == 0)
        #expect(owner.ints.first == -1 && owner.ints.last == 20)
    }

    @Test(arguments: [false, true]) func nilIsAnElementOfOptionalSets(managed: Bool) throws {
        let (realm, owner) = try Sets.owner(managed: managed)
        try realm.write { owner.strings.insert(objectsIn: [nil, "a", nil]) }
        #expect(owner.strings.count == 2 && owner.strings.contains(nil))
        try realm.write { owner.strings.remove(nil) }
        #expect(Array(owner.strings) == ["a"])
    }

    @Test func objectsAreDistinctByRow() throws {
        let (realm, owner) = try Sets.owner(managed: true)
        let (rex, twin) = (Sets.Dog(value: ["Rex"]), Sets.Dog(value: ["Rex"]))
        try realm.write { owner.dogs.insert(objectsIn: [rex, twin, rex]) }
        #expect(owner.dogs.count == 2 && owner.dogs.contains(rex) && rex.realm == realm)
        let again = try #require(realm.objects(Sets.Dog.self).first)
        #expect(owner.dogs.contains(again) && !owner.dogs.contains(Sets.Dog()))
    }

    @Test func numbersOfDifferentKindsAreOneMixedValueButTextAndDataAreTwo() throws {
        let (realm, owner) = try Sets.owner(managed: true)
        try realm.write {
            owner.mixed.insert(objectsIn: [.int(1), .double(1), .bool(true), .none, .none])
            owner.mixed.insert(objectsIn: [.string("a"), .data(Data("a".utf8))])
        }
        #expect(owner.mixed.count == 5 && owner.mixed.contains(.float(1)))
    }

    @Test(
        arguments: [false, true],
        [
            ([1, 2, 3], [2, 3, 4]), ([1, 2], [1, 2, 3]), ([1], [2]), ([], [1]), ([1], []), ([], []),
        ] as [([Int], [Int])])
    func setAlgebraMatchesSet(managed: Bool, sets: ([Int], [Int])) throws {
        let (left, right) = (Set(sets.0), Set(sets.1))
        func result(_ change: (Sets.Owner) -> Void) throws -> Set<Int> {
            let (realm, owner) = try Sets.owner(sets.0, sets.1, managed: managed)
            #expect(owner.ints.isSubset(of: owner.others) == left.isSubset(of: right))
            #expect(owner.ints.intersects(owner.others) == !left.isDisjoint(with: right))
            try realm.write { change(owner) }
            #expect(Set(owner.others) == right)
            return Set(owner.ints)
        }
        #expect(try result { $0.ints.formUnion($0.others) } == left.union(right))
        #expect(try result { $0.ints.formIntersection($0.others) } == left.intersection(right))
        #expect(try result { $0.ints.subtract($0.others) } == left.subtracting(right))
    }

    @Test func setAlgebraWithItself() throws {
        let (realm, owner) = try Sets.owner([1, 2], managed: true)
        try realm.write {
            owner.ints.formUnion(owner.ints)
            owner.ints.formIntersection(owner.ints)
            #expect(Set(owner.ints) == [1, 2] && owner.ints.isSubset(of: owner.ints))
            owner.ints.subtract(owner.ints)
        }
        #expect(owner.ints.isEmpty)
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func randomChangesMatchASet(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (realm, owner) = try Sets.owner(managed: true)
        var model = Set<Int>()
        realm.beginWrite()
        for step in 0..<500 {
            let value = Int.random(in: -30...30, using: &random)
            if Bool.random(using: &random) {
                owner.ints.insert(value)
                model.insert(value)
            } else {
                owner.ints.remove(value)
                model.remove(value)
            }
            #expect(owner.ints.contains(value) == model.contains(value))
            if step.isMultiple(of: 100) {
                try realm.commitWrite()
                #expect(Array(owner.ints) == model.sorted())
                realm.beginWrite()
            }
        }
        try realm.commitWrite()
        #expect(Array(owner.ints) == model.sorted())
    }

    @Test func assigningCopiesTheElementsIntoTheSameInstance() throws {
        let (realm, owner) = try Sets.owner([1, 2], [3], managed: true)
        let set = owner.ints
        try realm.write { owner.ints = owner.others }
        #expect(owner.ints === set && Array(set) == [3] && Array(owner.others) == [3])
    }

    @Test func enumerationSeesTheSetAsItWas() throws {
        let (realm, owner) = try Sets.owner([1, 2, 3], managed: true)
        var seen: [Int] = []
        try realm.write {
            for int in owner.ints {
                seen.append(int)
                owner.ints.remove(int)
                owner.ints.insert(int + 10)
            }
        }
        #expect(seen == [1, 2, 3] && Array(owner.ints) == [11, 12, 13])
    }

    @Test func equality() throws {
        let (_, one) = try Sets.owner([1, 2], [2, 1], managed: true)
        #expect(one.ints == one.ints && one.ints != one.others)
        let (_, two) = try Sets.owner([1, 2], [2, 1], managed: false)
        #expect(two.ints == two.others)
    }

    @Test func aggregatesAndCoding() throws {
        let (_, owner) = try Sets.owner([3, 1, 2], managed: true)
        #expect(owner.ints.min() == 1 && owner.ints.max() == 3 && owner.ints.sum() == 6)
        let data = try JSONEncoder().encode(owner.ints)
        #expect(Set(try JSONDecoder().decode(MutableSet<Int>.self, from: data)) == [1, 2, 3])
    }

    @Test func description() throws {
        let (_, owner) = try Sets.owner([2, 1], managed: true)
        let text = withoutAddresses(owner.ints.description)
        #expect(text == "MutableSet<int> <0x> (\n\t[0] 1,\n\t[1] 2\n)")
    }
}

private let misuses: [String: Misuse] = [
    "reading beyond the end": Misuse("Index 2 is out of bounds (must be less than 2).") {
        _ = try Sets.owner([1, 2], managed: true).1.ints[2]
    },
    "inserting outside of a transaction": Misuse(
        "Cannot modify Set outside of a write transaction."
    ) { try Sets.owner(managed: true).1.ints.insert(1) },
    "algebra of a managed set with an unmanaged one": Misuse(
        "Right hand side value must be a managed Set."
    ) {
        let (realm, owner) = try Sets.owner([1], managed: true)
        try realm.write { owner.ints.formUnion(MutableSet<Int>()) }
    },
    "the intersection with a set of another class": Misuse(
        "Cannot intersect sets of type 'Sets_Dog' and 'Sets_Owner'."
    ) {
        let (realm, owner) = try Sets.owner(managed: true)
        try realm.write {
            let dogs = owner.dynamicMutableSet("dogs")
            dogs.formIntersection(owner.dynamicMutableSet("owners"))
        }
    },
    "the index of an element": Misuse("index(of:) is not available on MutableSet") {
        _ = try Sets.owner([1], managed: true).1.ints.index(of: 1)
    },
    "the set of a deleted object": Misuse("Object has been deleted or invalidated.") {
        let (realm, owner) = try Sets.owner([1], managed: true)
        let ints = owner.ints
        try realm.write { realm.delete(owner) }
        _ = ints.count
    },
    "an object of another class": Misuse(
        "Object of type 'Sets_Owner' does not match RLMSet type 'Sets_Dog'."
    ) {
        let (realm, owner) = try Sets.owner(managed: true)
        try realm.write {
            owner.dynamicMutableSet("dogs").insert(realm.dynamicCreate("Sets_Owner"))
        }
    },
]

@Suite struct MutableSetMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
