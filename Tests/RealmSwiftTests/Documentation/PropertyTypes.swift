import Foundation
import RealmSwift
import Testing

// The guide's table of property types: required and optional types, defaults, and stored values.

private enum TypeTable {
    class MyCustomObjectType: Object {
        @Persisted var value: Int
    }

    class MyEmbeddedObjectType: EmbeddedObject {
        @Persisted var value: Int
    }

    enum MyPersistableEnum: String, PersistableEnum {
        case first, second
    }

    class Required: Object {
        @Persisted var boolName: Bool
        @Persisted var intName: Int
        @Persisted var int8Name: Int8
        @Persisted var int16Name: Int16
        @Persisted var int32Name: Int32
        @Persisted var int64Name: Int64
        @Persisted var floatName: Float
        @Persisted var doubleName: Double
        @Persisted var stringName: String
        @Persisted var dataName: Data
        @Persisted var dateName: Date
        @Persisted var decimalName: Decimal128
        @Persisted var uuidName: UUID
        @Persisted var objectIdName: ObjectId
        @Persisted var listName: List<MyCustomObjectType>
        @Persisted var mutableSetName: MutableSet<String>
        @Persisted var mapName: Map<String, String>
        @Persisted var anyRealmValueName: AnyRealmValue
        @Persisted var enumName: MyPersistableEnum
    }

    class Optionals: Object {
        @Persisted var optBoolName: Bool?
        @Persisted var optIntName: Int?
        @Persisted var optInt8Name: Int8?
        @Persisted var optInt16Name: Int16?
        @Persisted var optInt32Name: Int32?
        @Persisted var optInt64Name: Int64?
        @Persisted var optFloatName: Float?
        @Persisted var optDoubleName: Double?
        @Persisted var optStringName: String?
        @Persisted var optDataName: Data?
        @Persisted var optDateName: Date?
        @Persisted var optDecimalName: Decimal128?
        @Persisted var optUuidName: UUID?
        @Persisted var optObjectIdName: ObjectId?
        @Persisted var optObjectPropertyName: MyCustomObjectType?
        @Persisted var optEmbeddedObjectPropertyName: MyEmbeddedObjectType?
        @Persisted var optEnumName: MyPersistableEnum?
    }

    static let types: [ObjectBase.Type] = [
        MyCustomObjectType.self, MyEmbeddedObjectType.self, Required.self, Optionals.self,
    ]

    static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    static let objectId = ObjectId("0123456789abcdef01234567")
    static let date = Date(timeIntervalSince1970: 1_234_567.5)

    /// Values for the properties that have an optional form, in the order of both classes.
    static var values: [Any] {
        [
            true, Int.min, Int8.min, Int16.max, Int32.min, Int64.max, Float(1.5), -2.25, "text 🦆",
            Data([0, 1, 255]), date, try! Decimal128(string: "1.5"), uuid, objectId,
        ]
    }
}

@Suite struct PropertyTypeRules {
    private typealias Required = TypeTable.Required
    private typealias Optionals = TypeTable.Optionals

    let directory = TestDirectory()

    @Test func defaultsOfRequiredProperties() throws {
        let before = Date()
        let object = Required()
        #expect(!object.boolName && object.intName == 0 && object.int8Name == 0)
        #expect(object.int16Name == 0 && object.int32Name == 0 && object.int64Name == 0)
        #expect(object.floatName == 0 && object.doubleName == 0 && object.decimalName == 0)
        #expect(object.stringName == "" && object.dataName == Data())
        let date = object.dateName
        #expect((before...Date()).contains(date) && object.dateName == date)
        #expect(object.listName.isEmpty && object.mutableSetName.isEmpty)
        #expect(object.mapName.count == 0 && object.anyRealmValueName == .none)
        #expect(object.enumName == .first)
    }

    @Test func identifiersDefaultToFreshOnesThatStayTheSame() throws {
        let (one, two) = (Required(), Required())
        #expect(one.uuidName == one.uuidName && one.uuidName != two.uuidName)
        #expect(one.objectIdName == one.objectIdName && one.objectIdName != two.objectIdName)
        let (uuid, objectId) = (one.uuidName, one.objectIdName)
        let realm = try temporaryRealm(TypeTable.types)
        try realm.write { realm.add([one, two]) }
        let stored = try #require(realm.objects(Required.self).first)
        #expect(stored.uuidName == uuid && stored.objectIdName == objectId)
    }

    @Test func optionalPropertiesDefaultToNil() throws {
        let realm = try temporaryRealm(TypeTable.types)
        let object = Optionals()
        for property in object.objectSchema.properties { #expect(object[property.name] == nil) }
        try realm.write { realm.add(object) }
        for property in object.objectSchema.properties { #expect(object[property.name] == nil) }
    }

    @Test func filesKeepEveryRequiredProperty() throws {
        try {
            let realm = try directory.realm(TypeTable.types)
            let rest: [Any] = [[["value": 7]], ["a"], ["k": "v"], 5, "second"]
            try realm.write { _ = realm.create(Required.self, value: TypeTable.values + rest) }
        }()
        let object = try #require(
            try directory.realm(TypeTable.types).objects(Required.self).first)
        #expect(object.boolName && object.intName == .min && object.int8Name == .min)
        #expect(object.int16Name == .max && object.int32Name == .min && object.int64Name == .max)
        #expect(object.floatName == 1.5 && object.doubleName == -2.25)
        #expect(object.stringName == "text 🦆" && object.dataName == Data([0, 1, 255]))
        #expect(object.dateName == TypeTable.date && object.decimalName == 1.5)
        #expect(object.uuidName == TypeTable.uuid && object.objectIdName == TypeTable.objectId)
        #expect(object.listName[0].value == 7 && object.mutableSetName.contains("a"))
        #expect(object.mapName["k"] == "v" && object.anyRealmValueName == .int(5))
        #expect(object.enumName == .second)
    }

    @Test func filesKeepEveryOptionalProperty() throws {
        try {
            let realm = try directory.realm(TypeTable.types)
            let rest: [Any] = [["value": 7], ["value": 8], "second"]
            try realm.write {
                realm.create(Optionals.self, value: TypeTable.values + rest)
                realm.create(Optionals.self)
            }
        }()
        let realm = try directory.realm(TypeTable.types)
        let object = try #require(realm.objects(Optionals.self).first)
        #expect(object.optBoolName == true && object.optIntName == .min)
        #expect(object.optInt8Name == .min && object.optInt16Name == .max)
        #expect(object.optInt32Name == .min && object.optInt64Name == .max)
        #expect(object.optFloatName == 1.5 && object.optDoubleName == -2.25)
        #expect(object.optStringName == "text 🦆" && object.optDataName == Data([0, 1, 255]))
        #expect(object.optDateName == TypeTable.date && object.optDecimalName == 1.5)
        #expect(object.optUuidName == TypeTable.uuid)
        #expect(object.optObjectIdName == TypeTable.objectId)
        #expect(object.optObjectPropertyName?.value == 7)
        #expect(object.optEmbeddedObjectPropertyName?.value == 8 && object.optEnumName == .second)
        // Set all properties back to nil, by name.
        let names = object.objectSchema.properties.map(\.name)
        try realm.write { for name in names { object[name] = nil } }
        for name in names { #expect(object[name] == nil, "\(name)") }
        #expect(realm.objects(TypeTable.MyCustomObjectType.self).count == 1)
        #expect(realm.dynamicObjects("TypeTable_MyEmbeddedObjectType").isEmpty)
    }

    @Test func emptyStringsAndDataAreNotNil() throws {
        let realm = try temporaryRealm(TypeTable.types)
        let object = try realm.write {
            realm.create(Optionals.self, value: ["optStringName": "", "optDataName": Data()])
        }
        #expect(object.optStringName == "" && object.optDataName == Data())
    }

    @Test func datesOfAnyTimeAreKept() throws {
        let realm = try temporaryRealm(TypeTable.types)
        let object = try realm.write { realm.create(Optionals.self) }
        for time in [0, -1, 1.5, -1.5, 1e10, -1e10] {
            let date = Date(timeIntervalSince1970: time)
            try realm.write { object.optDateName = date }
            #expect(object.optDateName == date)
        }
        for date in [Date.distantPast, .distantFuture] {
            try realm.write { object.optDateName = date }
            #expect(object.optDateName == date)
        }
    }

    @Test func specialNumbersAreKept() throws {
        let realm = try temporaryRealm(TypeTable.types)
        let object = try realm.write { realm.create(Required.self) }
        for value in [
            Double.infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ] {
            try realm.write { object.doubleName = value }
            #expect(object.doubleName == value)
        }
        try realm.write { object.doubleName = .nan }
        #expect(object.doubleName.isNaN)
    }
}

private let misuses: [String: Misuse] = [
    "more than 16 MB in a single property": Misuse(
        "Property 'TypeTable_Required.dataName' is given 16777217 bytes, but strings and data are "
            + "limited to 16777216 bytes."
    ) {
        let realm = try temporaryRealm(TypeTable.types)
        try realm.write {
            realm.create(TypeTable.Required.self).dataName = Data(count: 16 << 20 + 1)
        }
    }
]

@Suite struct PropertyTypeMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
