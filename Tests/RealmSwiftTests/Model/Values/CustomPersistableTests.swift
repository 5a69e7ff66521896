import Foundation
import RealmSwift
import Testing

extension URL: FailableCustomPersistable {
    public typealias PersistedType = String
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: String { absoluteString }
}

private struct Angle: CustomPersistable {
    typealias PersistedType = Double
    var degrees: Double
    init(degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

private struct Even: FailableCustomPersistable {
    typealias PersistedType = Int
    var value: Int
    init?(persistedValue: Int) {
        if !persistedValue.isMultiple(of: 2) { return nil }
        value = persistedValue
    }
    var persistableValue: Int { value }
}

private struct Positive: FailableCustomPersistable {
    typealias PersistedType = Int
    var value: Int
    init?(persistedValue: Int) {
        if persistedValue <= 0 { return nil }
        value = persistedValue
    }
    var persistableValue: Int { value }
}

private struct Name: CustomPersistable, Equatable {
    typealias PersistedType = String
    let text: String
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

private class Club: Object {
    @Persisted(primaryKey: true) var id: Name
    @Persisted(indexed: true) var alias: Name?
    @Persisted var url: URL?
    @Persisted var angle: Angle
    @Persisted var limit: Angle?
    @Persisted var even: Even
    @Persisted var optionalEven: Even?
    @Persisted var angles: List<Angle>
    @Persisted var urls: List<URL?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class RawClub: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var alias: String?
    @Persisted var url: String?
    @Persisted var angle: Double
    @Persisted var limit: Double?
    @Persisted var even: Int
    @Persisted var optionalEven: Int?
    @Persisted var angles: List<Double>
    @Persisted var urls: List<String?>
    override class func className() -> String { Club.className() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class NoDefault: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var note = ""
    @Persisted var positive: Positive
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CustomPersistableTests {
    @Test func startsWithWhatTheDefaultOfThePersistedTypeMapsTo() {
        let club = Club()
        #expect(club.angle.degrees == 0 && club.limit == nil && club.even.value == 0)
        #expect(club.url == nil && club.id.text == "")
    }

    /// The documentation's sample: objects are created with persisted values, or by assigning
    /// mapped ones.
    @Test func takesPersistedAndMappedValues() {
        let club = Club(value: [
            "id": "American Kennel Club", "url": "https://akc.org", "angle": 3, "even": 4,
            "urls": ["https://a.org", NSNull(), URL(string: "https://b.org") as Any],
        ])
        #expect(club.url == URL(string: "https://akc.org") && club.angle.degrees == 3)
        #expect(club.even.value == 4 && club.urls.count == 3 && club.urls[1] == nil)
        let other = Club()
        other.url = URL(string: "https://ckcusa.com/")
        other.angle = Angle(degrees: 7)
        #expect(other.url?.host == "ckcusa.com" && other.angle.degrees == 7)
    }

    @Test func nilResetsARequiredPropertyToItsDefault() {
        let club = Club(value: ["angle": 4.5, "limit": 2])
        club["angle"] = nil
        club["limit"] = NSNull()
        #expect(club.angle.degrees == 0 && club.limit == nil)
    }

    @Test func schemaAndDynamicAccessKnowThePersistedType() {
        let club = Club(value: ["id": "a", "url": "https://akc.org"])
        #expect(club["url"] as? String == "https://akc.org" && club["angle"] as? Double == 0)
        let schema = club.objectSchema
        #expect(schema["url"]?.type == .string && schema["url"]?.isOptional == true)
        #expect(schema["angle"]?.type == .double && schema["angles"]?.isArray == true)
    }

    @Test func survivesReopening() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm([Club.self])
            let club = Club(value: ["id": "a", "url": "https://akc.org", "even": 2])
            club.angles.append(objectsIn: [Angle(degrees: 1), Angle(degrees: 2)])
            club.urls.append(objectsIn: [nil, URL(string: "https://a.org")])
            try realm.write { realm.add(club) }
            #expect(club.url?.host == "akc.org")
        }
        let realm = try directory.realm([Club.self])
        let club = try #require(
            realm.object(ofType: Club.self, forPrimaryKey: Name(persistedValue: "a")))
        #expect(realm.object(ofType: Club.self, forPrimaryKey: "a") != nil)
        #expect(club.url?.host == "akc.org" && club.even.value == 2 && club.angle.degrees == 0)
        #expect(club.angles.map(\.degrees) == [1, 2] && club.urls.last??.host == "a.org")
        try realm.write {
            club.angle = Angle(degrees: -1)
            club.limit = Angle(degrees: .infinity)
            club.url = nil
            club.alias = Name(persistedValue: "b")
            club.angles[0] = Angle(degrees: 9)
        }
        #expect(club.angle.degrees == -1 && club.limit?.degrees == .infinity && club.url == nil)
        #expect(club.alias?.text == "b" && club.angles.index(of: Angle(degrees: 9)) == 0)
        try realm.write { club["angle"] = nil }
        #expect(club.angle.degrees == 0)
    }

    /// Documented: "Changing a property from its persisted type to its mapped type, or vice versa,
    /// does not require a migration."; invalid values read as nil in optional properties.
    @Test func mapsWhatIsStored() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm([RawClub.self])
            try realm.write {
                realm.create(
                    RawClub.self,
                    value: [
                        "id": "a", "optionalEven": 3, "even": 6, "urls": ["", "https://a.org"],
                    ])
            }
        }
        let club = try #require(try directory.realm([Club.self]).objects(Club.self).first)
        #expect(club.even.value == 6 && club.optionalEven == nil)
        #expect(club.urls[0] == nil && club.urls[1]?.host == "a.org")
    }

    @Test func storedValueThatCannotBeMappedStopsWhereNilIsImpossible() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TestDirectory()
            try autoreleasepool {
                let realm = try directory.realm([RawClub.self])
                try realm.write { _ = realm.create(RawClub.self, value: ["even": 1]) }
            }
            _ = try directory.realm([Club.self]).objects(Club.self).first?.even
        }
        expectStop(
            "Failed to convert persisted value '1' to type 'Even' in a non-optional context.",
            result)
    }

    @Test func givenValueThatCannotBeMappedStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Club(value: ["even": 1]) }
        expectStop("Could not convert value '1' to type 'Even'.", result)
    }

    @Test func aDefaultThatCannotBeMappedConcernsNobodyElse() throws {
        let realm = try TestDirectory.untilExit().realm([NoDefault.self, Club.self])
        try realm.write {
            realm.create(Club.self)
            realm.create(NoDefault.self, value: ["id": 0, "positive": 3])
            // The default is also needed if the given value stands for none.
            realm.create(NoDefault.self, value: ["id": 1, "positive": -3])
            // An update does not need the default.
            for policy in [Realm.UpdatePolicy.modified, .all] {
                realm.create(NoDefault.self, value: ["id": 0, "note": "a"], update: policy)
            }
        }
        #expect(realm.objects(NoDefault.self)[0].positive.value == 3)
        #expect(realm.objects(NoDefault.self).filter("positive < 0").count == 1)
        #expect(realm.objects(NoDefault.self)[0].objectSchema["positive"]?.type == .int)
    }

    @Test func creatingWithADefaultThatCannotBeMappedStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try TestDirectory.untilExit().realm([NoDefault.self])
            try realm.write { _ = realm.create(NoDefault.self) }
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("Failed to default construct a Positive") == true)
    }

    @Test func defaultThatCannotBeMappedStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = NoDefault().positive }
        expectStop(
            "Failed to default construct a Positive using the default value for persisted type "
                + "Int. This conversion must either succeed, the property must be optional, or you "
                + "must explicitly specify a default value for the property.", result)
    }
}
