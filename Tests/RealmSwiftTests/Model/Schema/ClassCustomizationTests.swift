import Foundation
import RealmSwift
import StorageEngine
import Testing

private class Mapped: Object {
    @Persisted(primaryKey: true) var identifier: Int
    @Persisted var firstName: String
    @Persisted var friend: Mapped?
    @Persisted var nicknames: List<String>
    override class func propertiesMapping() -> [String: String] {
        ["identifier": "_id", "firstName": "first_name", "nicknames": "nick_names", "gone": "x"]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The table of `Mapped`, with the names that are stored in the file.
private class Plain: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var first_name: String
    @Persisted var friend: Plain?
    @Persisted var nick_names: List<String>
    override class func className() -> String { Mapped.className() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The table of `Mapped`, without the mapping.
private class Renamed: Object {
    @Persisted(primaryKey: true) var identifier: Int
    @Persisted var firstName: String
    @Persisted var friend: Renamed?
    @Persisted var nicknames: List<String>
    override class func className() -> String { Mapped.className() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Legacy: Object {
    @Persisted var id: String
    @Persisted var age: Int
    @Persisted var note: AnyRealmValueOrString
    var temporary = "not stored"
    let optional = RealmOptional<Int>()
    var isAdult: Bool { age >= 18 }
    lazy var expensive = "made once"
    override class func primaryKey() -> String? { "id" }
    override class func indexedProperties() -> [String] { ["age"] }
    override class func ignoredProperties() -> [String] { ["temporary"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private typealias AnyRealmValueOrString = String

@Suite struct ClassCustomizationTests {
    @Test func methodsHaveDefaults() {
        #expect(Person.primaryKey() == nil && Person.indexedProperties().isEmpty)
        #expect(Person.ignoredProperties().isEmpty && Person.propertiesMapping().isEmpty)
        #expect(Person.shouldIncludeInDefaultSchema() && !Mapped.shouldIncludeInDefaultSchema())
    }

    @Test func legacyMethodsDeclareKeyAndIndexes() throws {
        let schema = Legacy().objectSchema
        #expect(schema.primaryKeyProperty?.name == "id" && schema["age"]?.isIndexed == true)
        #expect(schema.properties.map(\.name) == ["id", "age", "note"])
        let realm = try TestDirectory.untilExit().realm([Legacy.self])
        try realm.write { realm.create(Legacy.self, value: ["id": "a", "age": 20]) }
        #expect(realm.object(ofType: Legacy.self, forPrimaryKey: "a")?.isAdult == true)
    }

    /// Documented: properties without `@Persisted`, and computed ones, are ignored.
    @Test func otherPropertiesAreOrdinaryOnes() throws {
        let realm = try TestDirectory.untilExit().realm([Legacy.self])
        let object = Legacy(value: ["id": "a"])
        object.temporary = "changed"
        object.optional.value = 5
        try realm.write { realm.add(object) }
        #expect(object.temporary == "changed" && object.optional.value == 5)
        let other = try #require(realm.objects(Legacy.self).first)
        #expect(other.temporary == "not stored" && other.optional.value == nil)
        #expect(other.expensive == "made once" && !other.isAdult)
    }

    @Test func schemaHasBothNames() {
        let schema = Mapped().objectSchema
        #expect(schema["firstName"]?.columnName == "first_name" && schema["first_name"] == nil)
        #expect(schema["friend"]?.columnName == "friend")
        #expect(schema.primaryKeyProperty?.name == "identifier")
        #expect(schema["firstName"]?.description.contains("columnName = first_name;") == true)
    }

    @Test func theApplicationUsesTheNamesInSwift() throws {
        let realm = try TestDirectory.untilExit().realm([Mapped.self])
        let mapped = Mapped(value: ["identifier": 1, "firstName": "Ann", "nicknames": ["a"]])
        try realm.write { realm.add(mapped) }
        #expect(mapped.firstName == "Ann" && mapped["firstName"] as? String == "Ann")
        try realm.write {
            mapped["firstName"] = "Bo"
            mapped.friend = mapped
            realm.create(
                Mapped.self, value: ["identifier": 1, "nicknames": ["b", "c"]], update: .modified)
        }
        #expect(mapped.firstName == "Bo" && Array(mapped.nicknames) == ["b", "c"])
        #expect(mapped.friend == mapped && mapped.description.contains("firstName = Bo;"))
    }

    @Test func theFileHasTheOthers() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm([Mapped.self])
            try realm.write {
                realm.create(Mapped.self, value: [1, "Ann", NSNull(), ["a"]] as [Any])
            }
        }
        do {
            let plain = try #require(try directory.realm([Plain.self]).objects(Plain.self).first)
            #expect(plain._id == 1 && plain.first_name == "Ann" && plain.nick_names[0] == "a")
        }
        let error = #expect(throws: Realm.Error.self) { try directory.realm([Renamed.self]) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.localizedDescription.contains(".first_name' has been removed.") == true)
        #expect(error?.localizedDescription.contains(".firstName' has been added.") == true)
        let mapped = try #require(try directory.realm([Mapped.self]).objects(Mapped.self).first)
        #expect(mapped.firstName == "Ann" && mapped.realm?.schema.objectSchema.count == 1)
    }
}

private class MissingKey: Object {
    @Persisted var a: Int
    override class func primaryKey() -> String? { "b" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class TwoKeys: Object {
    @Persisted(primaryKey: true) var a: Int
    @Persisted var b: Int
    override class func primaryKey() -> String? { "b" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class DateKey: Object {
    @Persisted var date: Date
    override class func primaryKey() -> String? { "date" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class DoubleIndex: Object {
    @Persisted var ratio: Double
    override class func indexedProperties() -> [String] { ["ratio"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct ClassCustomizationTrapTests {
    @Test func primaryKeyThatIsNoProperty() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = MissingKey().objectSchema }
        expectStop("Primary key property 'b' does not exist on object 'MissingKey'", result)
    }

    @Test func twoPrimaryKeys() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = TwoKeys().objectSchema }
        expectStop("Properties 'a' and 'b' are both marked as the primary key of 'TwoKeys'", result)
    }

    @Test func primaryKeyOfTheWrongType() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = DateKey().objectSchema }
        expectStop(
            "Property 'date' cannot be made the primary key of 'DateKey' because it is not a "
                + "'string', 'int', 'objectId', or 'uuid' property.", result)
    }

    @Test func indexOfTheWrongType() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = DoubleIndex().objectSchema }
        expectStop("Property 'DoubleIndex.ratio' of type 'double' cannot be indexed.", result)
    }
}
