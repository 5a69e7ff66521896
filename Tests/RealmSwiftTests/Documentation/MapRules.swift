import Foundation
import RealmSwift
import Testing
import ToolSupport

// `Map`: values by key, ordered by key when managed.

private enum Maps {
    /// The guide's sample.
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""
        @Persisted var favoriteParksByCity: Map<String, String>
    }

    class Owner: Object {
        @Persisted var ints: Map<String, Int>
        @Persisted var others: Map<String, Int>
        @Persisted var optionals: Map<String, String?>
        @Persisted var dogs: Map<String, Dog?>
    }

    static let types: [ObjectBase.Type] = [Dog.self, Owner.self]

    static func owner(_ ints: [String: Int] = [:], managed: Bool) throws -> (Realm, Owner) {
        let realm = try temporaryRealm(types)
        let owner = Owner()
        for (key, value) in ints { owner.ints[key] = value }
        if managed { try realm.write { realm.add(owner) } }
        return (realm, owner)
    }
}

extension Map {
    fileprivate var dictionary: [Key: Value] {
        Dictionary(uniqueKeysWithValues: asKeyValueSequence().map { ($0.key, $0.value) })
    }
}

@Suite struct MapRules {
    @Test func sample() throws {
        let realm = try temporaryRealm(Maps.types)
        let dog = try realm.write {
            realm.create(
                Maps.Dog.self,
                value: ["favoriteParksByCity": ["New York": "Domino Park", "Paris": "Luxembourg"]])
        }
        // Percent encode . or $ characters to use them in map keys
        let encodedMapKey = "New York.Brooklyn".replacingOccurrences(of: ".", with: "%2E")
        try realm.write { dog.favoriteParksByCity[encodedMapKey] = "Prospect Park" }
        #expect(dog.favoriteParksByCity["New York%2EBrooklyn"] == "Prospect Park")
        #expect(dog.favoriteParksByCity.count == 3)
    }

    @Test(arguments: [false, true]) func subscripts(managed: Bool) throws {
        let (realm, owner) = try Maps.owner(managed: managed)
        let map = owner.ints
        try realm.write {
            map["a"] = 1
            map["b"] = 2
            map["a"] = 3
            map.updateValue(4, forKey: "c")
            #expect(map.dictionary == ["a": 3, "b": 2, "c": 4] && map["x"] == nil)
            map["b"] = nil
            map["x"] = nil
            map.removeObject(for: "c")
            map.removeObject(for: "y")
            #expect(map.dictionary == ["a": 3] && map.count == 1)
            map.removeAll()
            #expect(map.count == 0 && map.keys.isEmpty && map.values.isEmpty)
        }
    }

    @Test func managedMapsAreInOrderOfTheirKeys() throws {
        let (_, owner) = try Maps.owner(["b": 2, "a": 3, "c": 1], managed: true)
        #expect(owner.ints.keys == ["a", "b", "c"] && owner.ints.values == [3, 2, 1])
        #expect(owner.ints.map(\.key) == ["a", "b", "c"])
        #expect(owner.ints.asKeyValueSequence().map(\.value) == [3, 2, 1])
    }

    @Test(arguments: [false, true]) func iterationYieldsEntries(managed: Bool) throws {
        let (_, owner) = try Maps.owner(["a": 1], managed: managed)
        for entry in owner.ints { #expect(entry.key == "a" && entry.value == 1) }
        for (key, value) in owner.ints.asKeyValueSequence() {
            #expect(key == "a" && value == 1)
        }
        let entry = try #require(owner.ints.first { _ in true })
        #expect(entry == owner.ints.first { _ in true })
    }

    @Test(arguments: [false, true]) func nilRemovesAndSomeNilIsStored(managed: Bool) throws {
        let (realm, owner) = try Maps.owner(managed: managed)
        let map = owner.optionals
        try realm.write {
            map["k"] = .some(nil)
            #expect(map.count == 1 && map.keys == ["k"])
            let value = map["k"]
            #expect(value != nil && value! == nil)
            map["k"] = "v"
            #expect(map["k"] == "v")
            map["k"] = nil
            #expect(map.count == 0)
        }
    }

    @Test(arguments: [false, true]) func merging(managed: Bool) throws {
        let (realm, owner) = try Maps.owner(["a": 1, "b": 2], managed: managed)
        let (_, other) = try Maps.owner(["b": 10, "c": 20], managed: false)
        try realm.write {
            owner.ints.merge(other.ints) { $0 + $1 }
            #expect(owner.ints.dictionary == ["a": 1, "b": 12, "c": 20])
            owner.ints.merge([(key: "a", value: 5), (key: "d", value: 6)]) { old, _ in old }
            #expect(owner.ints.dictionary == ["a": 1, "b": 12, "c": 20, "d": 6])
        }
    }

    @Test(arguments: [false, true]) func searching(managed: Bool) throws {
        let (_, owner) = try Maps.owner(["a": 1, "b": 2], managed: managed)
        #expect(owner.ints.contains { $0 == "b" && $1 == 2 })
        #expect(!owner.ints.contains { key, _ in key == "c" })
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func randomChangesMatchADictionary(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let (realm, owner) = try Maps.owner(managed: true)
        var model: [String: Int] = [:]
        realm.beginWrite()
        for step in 0..<500 {
            let key = "key \(Int.random(in: 0..<40, using: &random))"
            let value = Bool.random(using: &random) ? step : nil
            owner.ints[key] = value
            model[key] = value
            #expect(owner.ints[key] == value && owner.ints.count == model.count)
            if step.isMultiple(of: 100) {
                try realm.commitWrite()
                realm.beginWrite()
            }
        }
        try realm.commitWrite()
        #expect(owner.ints.dictionary == model && owner.ints.keys == model.keys.sorted())
    }

    @Test func objectsAreAddedAndMayBeNil() throws {
        let (realm, owner) = try Maps.owner(managed: true)
        try realm.write {
            owner.dogs["r"] = Maps.Dog(value: ["Rex"])
            owner.dogs["n"] = .some(nil)
        }
        #expect(realm.objects(Maps.Dog.self).count == 1 && owner.dogs["r"]??.name == "Rex")
        #expect(owner.dogs.count == 2 && owner.dogs.values.compactMap { $0 }.count == 1)
    }

    @Test func assigningCopiesTheEntriesIntoTheSameInstance() throws {
        let (realm, owner) = try Maps.owner(["a": 1], managed: true)
        let (_, other) = try Maps.owner(["b": 2], managed: false)
        let map = owner.ints
        try realm.write {
            owner.ints = other.ints
            owner.ints = owner.ints
        }
        #expect(owner.ints === map && map.dictionary == ["b": 2])
    }

    @Test func enumerationSeesTheMapAsItWas() throws {
        let (realm, owner) = try Maps.owner(["a": 1, "b": 2], managed: true)
        var seen: [String] = []
        try realm.write {
            for entry in owner.ints {
                seen.append(entry.key)
                owner.ints[entry.key] = nil
                owner.ints["z" + entry.key] = 0
            }
        }
        #expect(seen == ["a", "b"] && owner.ints.keys == ["za", "zb"])
    }

    @Test func keyValueCoding() throws {
        let (realm, owner) = try Maps.owner(["a": 1], managed: true)
        #expect(owner.ints.value(forKey: "a") as? Int == 1 && owner.ints.value(forKey: "b") == nil)
        try realm.write {
            owner.ints.setValue(2, forKey: "a")
            owner.ints.setValue(3, forKey: "b")
        }
        #expect(owner.ints.dictionary == ["a": 2, "b": 3])
        try realm.write { owner.ints.setValue(nil, forKey: "b") }
        #expect(owner.ints.dictionary == ["a": 2])
    }

    @Test func equality() throws {
        let (_, one) = try Maps.owner(["a": 1], managed: true)
        let (_, two) = try Maps.owner(["a": 1], managed: true)
        #expect(one.ints == one.ints && one.ints != two.ints)
        let (_, three) = try Maps.owner(["a": 1], managed: false)
        let (_, four) = try Maps.owner(["a": 1], managed: false)
        #expect(three.ints == four.ints)
    }

    @Test func aggregates() throws {
        let (_, owner) = try Maps.owner(["a": 1, "b": 5], managed: true)
        #expect(owner.ints.min() == 1 && owner.ints.max() == 5 && owner.ints.sum() == 6)
        #expect(owner.ints.average() == 3.0)
        #expect(owner.others.max() == nil && owner.others.sum() == 0)
    }

    @Test func codable() throws {
        let (_, owner) = try Maps.owner(["a": 1], managed: true)
        let data = try JSONEncoder().encode(owner.ints)
        #expect(String(decoding: data, as: UTF8.self) == #"{"a":1}"#)
        let decoded = try JSONDecoder().decode(Map<String, Int>.self, from: data)
        #expect(decoded.dictionary == ["a": 1])
    }

    @Test func description() throws {
        let (_, owner) = try Maps.owner(["a": 1, "b": 2], managed: true)
        let text = withoutAddresses(owner.ints.description)
        #expect(text.hasPrefix("Map<string, int> <0x> (\n") && text.hasSuffix("\n)"))
    }
}

private let misuses: [String: Misuse] = [
    "setting outside of a transaction": Misuse(
        "Cannot modify Dictionary outside of a write transaction."
    ) { try Maps.owner(managed: true).1.ints["a"] = 1 },
    "the map of a deleted object": Misuse("Object has been deleted or invalidated.") {
        let (realm, owner) = try Maps.owner(managed: true)
        let ints = owner.ints
        try realm.write { realm.delete(owner) }
        _ = ints.count
    },
    "a value of another class": Misuse(
        "Value of type 'Maps_Owner' does not match RLMDictionary value type 'Maps_Dog'."
    ) {
        let (realm, owner) = try Maps.owner(managed: true)
        try realm.write {
            let dogs: Map<String, DynamicObject?> = owner.dynamicMap("dogs")
            dogs["k"] = realm.dynamicCreate("Maps_Owner")
        }
    },
    "a value of another type": Misuse(
        "Invalid value 'a' of type 'String' for expected type 'int'."
    ) {
        let (realm, owner) = try Maps.owner(managed: true)
        try realm.write { owner.ints.setValue("a", forKey: "k") }
    },
]

@Suite struct MapMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
