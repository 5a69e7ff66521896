import Foundation
import RealmSwift
import Testing

// The guide's type projections: `CustomPersistable` and `FailableCustomPersistable`.

private enum TypeProjection {
    /// A type of the platform that cannot be stored. It replaces CoreLocation's type of that name.
    struct CLLocationCoordinate2D: Equatable {
        var latitude, longitude: Double
    }

    class Location: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
    }

    /// A text that must be a web address.
    struct WebAddress: Equatable {
        var text: String
        init?(_ text: String) {
            guard text.hasPrefix("https://") else { return nil }
            self.text = text
        }
    }

    struct Meters: Equatable { var value: Int }

    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        @Persisted var url: WebAddress?
        @Persisted var location: CLLocationCoordinate2D
        @Persisted var length: Meters
        @Persisted var lengths: List<Meters>
        @Persisted var urls: List<WebAddress?>
        @Persisted var byName: Map<String, Meters>
    }

    static let types: [ObjectBase.Type] = [Club.self, Location.self]
}

extension TypeProjection.CLLocationCoordinate2D: CustomPersistable {
    fileprivate typealias PersistedType = TypeProjection.Location

    fileprivate init(persistedValue: PersistedType) {
        self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
    }

    fileprivate var persistableValue: PersistedType {
        TypeProjection.Location(value: [latitude, longitude])
    }
}

extension TypeProjection.WebAddress: FailableCustomPersistable {
    typealias PersistedType = String

    init?(persistedValue: String) { self.init(persistedValue) }
    var persistableValue: String { text }
}

extension TypeProjection.Meters: CustomPersistable {
    typealias PersistedType = Int

    init(persistedValue: Int) { value = persistedValue }
    var persistableValue: Int { value }
}

@Suite struct TypeProjectionRules {
    private typealias Club = TypeProjection.Club
    private typealias Meters = TypeProjection.Meters

    let realm: Realm

    init() throws { realm = try temporaryRealm(TypeProjection.types) }

    @Test func objectsAreMadeFromPersistedOrProjectedValues() throws {
        let club = Club(value: ["name": "American Kennel Club", "url": "https://akc.org"])
        let club2 = Club()
        club2.name = "Continental Kennel Club"
        club2.url = TypeProjection.WebAddress("https://ckcusa.com/")!
        club2.location = .init(latitude: 40.7509, longitude: 73.9777)
        try realm.write { realm.add([club, club2]) }
        let clubs = realm.objects(Club.self)
        #expect(clubs[0].url?.text == "https://akc.org" && clubs[0].location.latitude == 0)
        #expect(clubs[1].url?.text == "https://ckcusa.com/")
        #expect(clubs[1].location == .init(latitude: 40.7509, longitude: 73.9777))
    }

    @Test(arguments: [false, true]) func collectionsHoldProjectedTypes(managed: Bool) throws {
        let club = Club()
        if managed { try realm.write { realm.add(club) } }
        try realm.write {
            club.length = Meters(value: 5)
            club.lengths.append(objectsIn: [Meters(value: 1), Meters(value: 2)])
            club.urls.append(objectsIn: [TypeProjection.WebAddress("https://a"), nil])
            club.byName["k"] = Meters(value: 3)
        }
        #expect(club.length.value == 5 && club.lengths.map(\.value) == [1, 2])
        #expect(club.urls.map { $0?.text } == ["https://a", nil])
        #expect(club.byName["k"] == Meters(value: 3))
        #expect(club.lengths.index(of: Meters(value: 2)) == 1)
    }

    @Test func theSchemaAndNamedAccessHaveThePersistedType() throws {
        let club = Club(value: ["url": "https://akc.org", "length": 7])
        let schema = club.objectSchema
        #expect(schema["url"]?.type == .string && schema["length"]?.type == .int)
        #expect(schema["location"]?.type == .object && schema["location"]?.isOptional == true)
        #expect(club.value(forKey: "url") as? String == "https://akc.org")
        try realm.write { realm.add(club) }
        #expect(club.value(forKey: "length") as? Int == 7)
        try realm.write { club.setValue(8, forKey: "length") }
        #expect(club.length.value == 8)
    }

    @Test func valuesThatCannotBeConvertedAreNilWhereOptional() throws {
        let club = try realm.write { realm.create(Club.self) }
        let dynamic = realm.dynamicObjects("TypeProjection_Club")[0]
        try realm.write {
            dynamic["url"] = "ftp://a"
            dynamic["urls"] = ["https://a", "ftp://a"]
        }
        #expect(club.url == nil && club.urls.map { $0?.text } == ["https://a", nil])
    }

    @Test func changingBetweenPersistedAndProjectedTypesNeedsNoMigration() throws {
        let directory = TestDirectory()
        func write() throws {
            class ChangingClub: Object {
                @Persisted var length = 0
                override class func shouldIncludeInDefaultSchema() -> Bool { false }
            }
            let realm = try directory.realm([ChangingClub.self])
            try realm.write { _ = realm.create(ChangingClub.self, value: ["length": 7]) }
        }
        func read() throws -> Meters? {
            class ChangingClub: Object {
                @Persisted var length: Meters
                override class func shouldIncludeInDefaultSchema() -> Bool { false }
            }
            return try directory.realm([ChangingClub.self]).objects(ChangingClub.self).first?.length
        }
        try write()
        #expect(try read() == Meters(value: 7))
    }

    @Test func aNullLinkIsTheDefaultValueOfAnEmbeddedPersistedType() throws {
        let club = try realm.write { realm.create(Club.self, value: ["location": NSNull()]) }
        #expect(club.location == .init(latitude: 0, longitude: 0))
    }
}

private enum Failing {
    struct Positive: FailableCustomPersistable, Equatable {
        typealias PersistedType = Int
        var value: Int
        init?(persistedValue: Int) {
            guard persistedValue > 0 else { return nil }
            value = persistedValue
        }
        var persistableValue: Int { value }
    }

    class Holder: Object {
        @Persisted var positive: Positive
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Explicit: Object {
        @Persisted var positive = Positive(persistedValue: 1)!
    }
}

private let misuses: [String: Misuse] = [
    "a default that cannot be converted": Misuse(
        "Failed to default construct a Positive using the default value for persisted type Int. "
            + "This conversion must either succeed, the property must be optional, or you must "
            + "explicitly specify a default value for the property."
    ) { _ = Failing.Holder().positive },
    "a stored value that cannot be converted": Misuse(
        "Failed to convert persisted value '-1' to type 'Positive' in a non-optional context."
    ) {
        let realm = try temporaryRealm([Failing.Explicit.self])
        try realm.write {
            let object = realm.create(Failing.Explicit.self)
            realm.dynamicObjects("Failing_Explicit")[0]["positive"] = -1
            _ = object.positive
        }
    },
    "a value that cannot be converted": Misuse(
        "Could not convert value '-1' to type 'Positive'."
    ) { _ = Failing.Explicit(value: ["positive": -1]) },
]

@Suite struct TypeProjectionMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
