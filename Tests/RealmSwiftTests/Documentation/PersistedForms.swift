import Foundation
import RealmSwift
import Testing

// The forms of `@Persisted`, primary keys, indexes, and coding of unmanaged objects.

private enum Forms {
    enum Level: Int, PersistableEnum, Codable { case low = 1, high = 2 }

    struct Wrapped: CustomPersistable, Equatable {
        typealias PersistedType = String
        var text: String
        init(persistedValue: String) { text = persistedValue }
        var persistableValue: String { text }
    }

    class ByInt: Object { @Persisted(primaryKey: true) var key: Int }
    class ByInt8: Object { @Persisted(primaryKey: true) var key: Int8 }
    class ByOptionalInt: Object { @Persisted(primaryKey: true) var key: Int64? }
    class ByString: Object { @Persisted(primaryKey: true) var key: String }
    class ByOptionalString: Object { @Persisted(primaryKey: true) var key: String? }
    class ByEnum: Object { @Persisted(primaryKey: true) var key: Level }
    class ByCustom: Object { @Persisted(primaryKey: true) var key: Wrapped }
    class ByOptionalUUID: Object { @Persisted(primaryKey: true) var key: UUID? }

    class Indexed: Object {
        @Persisted(indexed: true) var string: String
        @Persisted(indexed: true) var int: Int
        @Persisted(indexed: true) var bool: Bool
        @Persisted(indexed: true) var date: Date
        @Persisted(indexed: true) var uuid: UUID
        @Persisted(indexed: true) var objectId: ObjectId
        @Persisted(indexed: true) var optional: String?
        @Persisted(indexed: true) var level: Level
        @Persisted(wrappedValue: 5, indexed: true) var five: Int
        @Persisted(indexed: true) var six = 6
        @Persisted var plain: Int
    }

    class Unique: Object {
        @Persisted var value = UUID().uuidString
    }

    class Coded: Object, Codable {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var nick: String?
        @Persisted var scores: List<Int>
        @Persisted var tags: MutableSet<String>
        @Persisted var notes: Map<String, String>
        @Persisted var level: Level
        @Persisted var uuid: UUID
        @Persisted var amount: Decimal128?
    }

    static let types: [ObjectBase.Type] = [
        ByInt.self, ByInt8.self, ByOptionalInt.self, ByString.self, ByOptionalString.self,
        ByEnum.self, ByCustom.self, ByOptionalUUID.self, Indexed.self, Coded.self, Unique.self,
    ]
}

@Suite struct PrimaryKeyRules {
    let realm: Realm

    init() throws { realm = try temporaryRealm(Forms.types) }

    private func expectKeyed<T: Object, Key>(
        _ type: T.Type, by key: Key, _ value: Any, but absent: Key,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let created = try realm.write { realm.create(type, value: ["key": value]) }
        let found = realm.object(ofType: type, forPrimaryKey: key)
        #expect(
            found == created && found?.hashValue == created.hashValue,
            sourceLocation: sourceLocation)
        let none = realm.object(ofType: type, forPrimaryKey: absent)
        #expect(none == nil, sourceLocation: sourceLocation)
    }

    @Test func keysOfEveryTypeFindTheirObject() throws {
        try expectKeyed(Forms.ByInt.self, by: 5, 5, but: 6)
        try expectKeyed(Forms.ByInt8.self, by: Int8(5), Int8(5), but: Int8(6))
        try expectKeyed(Forms.ByString.self, by: "a", "a", but: "b")
        try expectKeyed(Forms.ByEnum.self, by: Forms.Level.high, 2, but: Forms.Level.low)
        let uuid = UUID()
        try expectKeyed(Forms.ByOptionalUUID.self, by: uuid, uuid, but: UUID())
        try expectKeyed(
            Forms.ByCustom.self, by: Forms.Wrapped(persistedValue: "a"), "a",
            but: Forms.Wrapped(persistedValue: "b"))
    }

    @Test func nilIsAKeyOfOptionalOnes() throws {
        typealias ByInt = Forms.ByOptionalInt
        #expect(realm.object(ofType: ByInt.self, forPrimaryKey: Int64?.none) == nil)
        try realm.write {
            realm.create(ByInt.self)
            realm.create(ByInt.self, value: ["key": 0])
            realm.create(Forms.ByOptionalString.self)
        }
        let nilKeyed = realm.object(ofType: ByInt.self, forPrimaryKey: Int64?.none)
        #expect(nilKeyed != nil && nilKeyed?.key == nil)
        #expect(realm.object(ofType: ByInt.self, forPrimaryKey: NSNull()) == nilKeyed)
        #expect(realm.object(ofType: ByInt.self, forPrimaryKey: 0)?.key == 0)
        let text = realm.object(ofType: Forms.ByOptionalString.self, forPrimaryKey: String?.none)
        #expect(text != nil)
    }

    @Test func keysMayChangeWhileUnmanaged() throws {
        let object = Forms.ByInt(value: [1])
        object.key = 2
        try realm.write { realm.add(object) }
        #expect(realm.object(ofType: Forms.ByInt.self, forPrimaryKey: 2) == object)
    }
}

@Suite struct PersistedFormRules {
    let realm: Realm

    init() throws { realm = try temporaryRealm(Forms.types) }

    @Test func indexes() {
        let schema = Forms.Indexed().objectSchema
        let plain = schema.properties.filter { !$0.isIndexed }.map(\.name)
        #expect(plain == ["plain"])
        #expect(Forms.Indexed().five == 5 && Forms.Indexed().six == 6)
    }

    @Test func aDefaultIsEvaluatedOncePerInstance() throws {
        let object = Forms.Unique()
        let value = object.value
        #expect(object.value == value && Forms.Unique().value != value)
        try realm.write { realm.add(object) }
        #expect(realm.objects(Forms.Unique.self).first?.value == value)
    }

    @Test func legacyCustomizationHasItsDefaults() {
        #expect(Forms.ByInt.primaryKey() == nil && Forms.ByInt.ignoredProperties() == [])
        #expect(Forms.ByInt.indexedProperties() == [])
        #expect(Forms.ByInt.shouldIncludeInDefaultSchema())
    }
}

@Suite struct ObjectCodingRules {
    private typealias Coded = Forms.Coded

    @Test func unmanagedObjectsAreCoded() throws {
        let object = Coded(
            value: [
                "id": 1, "name": "Ann", "scores": [1, 2], "tags": ["a"], "notes": ["k": "v"],
                "amount": 1.5,
            ])
        let uuid = object.uuid
        let decoded = try JSONDecoder().decode(Coded.self, from: JSONEncoder().encode(object))
        #expect(decoded.id == 1 && decoded.name == "Ann" && decoded.nick == nil)
        #expect(Array(decoded.scores) == [1, 2] && decoded.tags.contains("a"))
        #expect(decoded.notes["k"] == "v" && decoded.uuid == uuid && decoded.amount == 1.5)
        #expect(decoded.realm == nil)
    }
}
