import Foundation
import RealmSwift
import Testing

// `AnyRealmValue`: values of any storable type, lists and maps of them, and links.

private enum Mixed {
    /// The guide's sample.
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""
        @Persisted var companion: AnyRealmValue
    }

    class Holder: Object {
        @Persisted var value: AnyRealmValue
        @Persisted var list: List<AnyRealmValue>
        @Persisted var map: Map<String, AnyRealmValue>
        @Persisted var set: MutableSet<AnyRealmValue>
    }

    static let types: [ObjectBase.Type] = [Dog.self, Holder.self]

    static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    static var scalars: [AnyRealmValue] {
        [
            .none, .int(-5), .bool(true), .float(1.5), .double(-2.5), .string("text"),
            .data(Data([0, 255])), .date(Date(timeIntervalSince1970: 1.5)),
            .objectId(ObjectId("0123456789abcdef01234567")), .decimal128(1.25), .uuid(uuid),
        ]
    }

    static func managed(_ value: AnyRealmValue = .none) throws -> (Realm, Holder) {
        let realm = try temporaryRealm(types)
        let holder = Holder()
        holder.value = value
        try realm.write { realm.add(holder) }
        return (realm, holder)
    }
}

@Suite struct AnyRealmValueRules {
    private typealias Dog = Mixed.Dog
    private typealias Holder = Mixed.Holder

    @Test func sample() throws {
        let realm = try temporaryRealm(Mixed.types)
        let dog = Dog(value: ["name": "Wolfie", "currentCity": "New York City"])
        #expect(dog.companion == .none)
        dog.companion = .string("Fluffy the Cat")
        try realm.write { realm.add(dog) }
        #expect(dog.companion.stringValue == "Fluffy the Cat")
        try realm.write { dog.companion = .object(Dog(value: ["Astro"])) }
        #expect(dog.companion.object(Dog.self)?.name == "Astro")
        #expect(realm.objects(Dog.self).count == 2)
        try realm.write { dog.companion = .int(3) }
        #expect(dog.companion.intValue == 3 && dog.companion.object(Dog.self) == nil)
    }

    @Test(arguments: Mixed.scalars.indices) func everyValueIsKept(_ index: Int) throws {
        let value = Mixed.scalars[index]
        let (realm, holder) = try Mixed.managed(value)
        #expect(holder.value == value)
        try realm.write {
            holder.list.append(objectsIn: [value, value])
            holder.map["k"] = value
            holder.set.insert(objectsIn: [value, value])
        }
        let stored = try #require(realm.objects(Holder.self).first)
        #expect(Array(stored.list) == [value, value] && stored.map["k"] == value)
        #expect(Array(stored.set) == [value])
        let fresh = Holder(value: stored)
        #expect(fresh.value == value && fresh.list[1] == value)
    }

    @Test func accessorsDoNotConvert() {
        let value = AnyRealmValue.int(1)
        #expect(value.intValue == 1 && value.doubleValue == nil && value.boolValue == nil)
        #expect(value.floatValue == nil && value.stringValue == nil && value.dataValue == nil)
        #expect(value.dateValue == nil && value.objectIdValue == nil && value.uuidValue == nil)
        #expect(value.decimal128Value == nil && value.listValue == nil)
        #expect(value.dictionaryValue == nil && value.dynamicObject == nil)
        #expect(AnyRealmValue.double(1).intValue == nil && AnyRealmValue.bool(true).intValue == nil)
        #expect(AnyRealmValue.string("a").stringValue == "a" && AnyRealmValue.none.intValue == nil)
        #expect(AnyRealmValue.uuid(Mixed.uuid).uuidValue == Mixed.uuid)
        #expect(AnyRealmValue.decimal128(2).decimal128Value == 2)
    }

    @Test func equalityAndHashAreThoseOfTheCases() {
        #expect(Set(Mixed.scalars + Mixed.scalars).count == Mixed.scalars.count)
        #expect(AnyRealmValue.int(1) != .double(1) && AnyRealmValue() == .none)
    }

    @Test func plainValuesBecomeMixedOnes() throws {
        let realm = try temporaryRealm(Mixed.types)
        let values: [Any] = [1, true, "a", 2.5, NSNull(), Mixed.uuid]
        let holder = try realm.write {
            realm.create(Holder.self, value: ["value": "text", "list": values] as [String: Any])
        }
        #expect(holder.value == .string("text"))
        let expected: [AnyRealmValue] = [
            .int(1), .bool(true), .string("a"), .double(2.5), .none, .uuid(Mixed.uuid),
        ]
        #expect(Array(holder.list) == expected)
    }

    @Test func linksAreOfAnyClassAndBecomeNoneWhenTheirObjectIsDeleted() throws {
        let dog = Dog(value: ["Rex"])
        let (realm, holder) = try Mixed.managed(.object(dog))
        try realm.write {
            holder.list.append(objectsIn: [.object(holder), .object(dog), .int(1)])
            holder.map["k"] = .object(dog)
        }
        #expect(holder.value.object(Dog.self)?.isSameObject(as: dog) == true)
        #expect(holder.value.object(Holder.self) == nil)
        #expect(holder.list[0].object(Holder.self)?.isSameObject(as: holder) == true)
        #expect(holder.value.dynamicObject?["name"] as? String == "Rex")
        try realm.write { realm.delete(dog) }
        #expect(holder.value == .none && holder.map["k"] == AnyRealmValue.none)
    }

    @Test(arguments: [false, true]) func listsAndMapsNest(managed: Bool) throws {
        let realm = try temporaryRealm(Mixed.types)
        let holder = Holder()
        holder.value = .fromDictionary([
            "list": .fromArray([.int(1), .fromArray([.string("deep")])]),
            "map": .fromDictionary(["k": .bool(true)]),
        ])
        if managed { try realm.write { realm.add(holder) } }
        let map = try #require(holder.value.dictionaryValue)
        let list = try #require(map["list"]?.listValue)
        #expect(map.count == 2 && list.count == 2 && list[0] == .int(1))
        #expect(list[1].listValue?[0] == .string("deep"))
        #expect(map["map"]?.dictionaryValue?["k"] == .bool(true))
    }

    @Test func nestedCollectionsOfManagedValuesAreLive() throws {
        let (realm, holder) = try Mixed.managed(.fromArray([.int(1)]))
        let list = try #require(holder.value.listValue)
        try realm.write {
            list.append(.fromDictionary(["k": .int(2)]))
            holder.value.listValue?[1].dictionaryValue?["l"] = .int(3)
        }
        #expect(list.count == 2 && list[1].dictionaryValue?.keys == ["k", "l"])
        try realm.write {
            list[0] = .fromArray([])
            list[0].listValue?.append(.none)
        }
        #expect(holder.value.listValue?[0].listValue?.count == 1)
    }

    @Test func replacedCollectionsAreInvalidated() throws {
        let (realm, holder) = try Mixed.managed(.fromArray([.fromArray([.int(1)])]))
        let outer = try #require(holder.value.listValue)
        let inner = try #require(outer[0].listValue)
        try realm.write { outer[0] = .int(5) }
        #expect(inner.isInvalidated && !outer.isInvalidated)
        try realm.write { holder.value = .string("text") }
        #expect(outer.isInvalidated && holder.value == .string("text"))
    }

    @Test func nestingReachesAHundredLevels() throws {
        var value = AnyRealmValue.int(7)
        for _ in 0..<100 { value = .fromArray([value]) }
        let (_, holder) = try Mixed.managed(value)
        var inner = holder.value
        for _ in 0..<100 { inner = try #require(inner.listValue?.first) }
        #expect(inner == .int(7))
    }

    @Test func filesKeepNestedCollections() throws {
        let directory = TestDirectory()
        try {
            let realm = try directory.realm(Mixed.types)
            let dog = Dog(value: ["Rex"])
            try realm.write {
                let value = AnyRealmValue.fromDictionary(["d": .object(dog), "n": .none])
                realm.create(Holder.self).list.append(.fromArray([value]))
            }
        }()
        let holder = try #require(try directory.realm(Mixed.types).objects(Holder.self).first)
        let map = try #require(holder.list[0].listValue?[0].dictionaryValue)
        #expect(map["d"]?.object(Dog.self)?.name == "Rex" && map["n"] == AnyRealmValue.none)
    }

    @Test func unmanagedValuesAreCopiedWhenAdded() throws {
        let source = List<AnyRealmValue>()
        source.append(.int(1))
        let (realm, holder) = try Mixed.managed(.list(source))
        try realm.write { holder.value.listValue?.append(.int(2)) }
        #expect(holder.value.listValue?.count == 2)
        let copy = Holder(value: holder)
        #expect(copy.value.listValue?.count == 2 && copy.value.listValue?.realm == nil)
    }

    @Test func theSchemaTellsIt() throws {
        let schema = Holder().objectSchema
        #expect(schema["value"]?.type == .any && schema["list"]?.isArray == true)
    }
}
