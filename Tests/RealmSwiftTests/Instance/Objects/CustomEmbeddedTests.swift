import Foundation
import RealmSwift
import Testing

private class Location: EmbeddedObject {
    @Persisted var latitude: Double
    @Persisted var longitude: Double
}

/// The documentation's sample: a coordinate that is stored as an embedded object.
private struct Coordinate: CustomPersistable, Equatable {
    typealias PersistedType = Location
    var latitude: Double
    var longitude: Double

    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(persistedValue: Location) {
        self.init(persistedValue.latitude, persistedValue.longitude)
    }

    var persistableValue: Location { Location(value: [latitude, longitude]) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(latitude)
        hasher.combine(longitude)
    }
}

private class Place: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var center: Coordinate
    @Persisted var entrance: Coordinate?
    @Persisted var border: List<Coordinate>
    @Persisted var doors: Map<String, Coordinate?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PlainPlace: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var center: Location?
    @Persisted var entrance: Location?
    @Persisted var border: List<Location>
    @Persisted var doors: Map<String, Location?>
    override class func className() -> String { Place.className() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Atlas: Object {
    @Persisted var places: Map<String, Coordinate>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CustomEmbeddedTests {
    private let types: [ObjectBase.Type] = [Place.self, Location.self]

    @Test func startsWithWhatAnEmptyEmbeddedObjectMapsTo() {
        let place = Place()
        #expect(place.center == Coordinate(0, 0) && place.entrance == nil)
        #expect(place.objectSchema["center"]?.type == .object)
        #expect(place.objectSchema["center"]?.isOptional == true)
        #expect(place.objectSchema["border"]?.objectClassName == Location.className())
    }

    @Test func survivesReopening() throws {
        let directory = TestDirectory()
        let corners = [Coordinate(1, 2), Coordinate(3, 4), Coordinate(-5, 6)]
        do {
            let realm = try directory.realm(types)
            let place = Place(value: ["name": "park", "center": [40.5, -73.5]])
            place.entrance = Coordinate(7, 8)
            place.border.append(objectsIn: corners)
            place.doors["north"] = .some(corners[0])
            try realm.write { realm.add(place) }
            #expect(place.center == Coordinate(40.5, -73.5))
            #expect(place.entrance == Coordinate(7, 8) && Array(place.border) == corners)
            #expect(place.doors["north"] == .some(corners[0]))
        }
        let realm = try directory.realm(types)
        let place = try #require(realm.objects(Place.self).first)
        #expect(place.center == Coordinate(40.5, -73.5) && place.entrance == Coordinate(7, 8))
        #expect(Array(place.border) == corners && place.border[1] == corners[1])
        #expect(place.border.map(\.latitude) == [1, 3, -5])
        #expect(place.doors["north"] == .some(corners[0]))
        try realm.write {
            place.center = Coordinate(9, 10)
            place.entrance = nil
            place.border[0] = Coordinate(11, 12)
            place.border.append(Coordinate(13, 14))
            place.doors["south"] = .some(nil)
        }
        #expect(place.center == Coordinate(9, 10) && place.entrance == nil)
        #expect(Array(place.border) == [Coordinate(11, 12)] + corners[1...] + [Coordinate(13, 14)])
        #expect(place.doors["south"] == .some(nil))
    }

    @Test func aPropertyMayChangeBetweenBothWithoutAMigration() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm([PlainPlace.self, Location.self])
            try realm.write {
                realm.create(PlainPlace.self, value: ["name": "none"])
                realm.create(
                    PlainPlace.self,
                    value: ["name": "park", "entrance": [1, 2], "border": [[3, 4]]])
            }
        }
        let realm = try directory.realm(types)
        let park = try #require(realm.object(ofType: Place.self, forPrimaryKey: "park"))
        // Documented: "Non-optional custom-over-embedded with a null link gives the
        // default-constructed value."
        #expect(park.center == Coordinate(0, 0) && park.entrance == Coordinate(1, 2))
        #expect(Array(park.border) == [Coordinate(3, 4)])
    }

    /// Documented: custom types may map to an embedded object, in collections too.
    @Test func aMapNeedNotHaveOptionalValues() throws {
        let directory = TestDirectory()
        let types: [ObjectBase.Type] = [Atlas.self, Location.self]
        do {
            let realm = try directory.realm(types)
            let atlas = Atlas()
            atlas.places["park"] = Coordinate(1, 2)
            try realm.write {
                realm.add(atlas)
                atlas.places["lake"] = Coordinate(3, 4)
                let hill = Location(value: [5, 6])
                atlas["places"] = ["park": [1, 2], "lake": [3, 4], "hill": hill] as [String: Any]
            }
            #expect(atlas.objectSchema["places"]?.isOptional == true)
        }
        let realm = try directory.realm(types)
        let atlas = try #require(realm.objects(Atlas.self).first)
        #expect(atlas.places.keys == ["hill", "lake", "park"])
        #expect(atlas.places["lake"] == Coordinate(3, 4))
        #expect(atlas.places.values.map(\.latitude) == [5, 3, 1])
        try realm.write {
            let raw: Map<String, DynamicObject?> = atlas.dynamicMap("places")
            raw["park"] = .some(nil)
            atlas.places.removeObject(for: "hill")
        }
        // Read as a property without its embedded object is.
        #expect(atlas.places["park"] == Coordinate(0, 0) && atlas.places.count == 2)
    }

    @Test func updatesReplaceWhatIsGiven() throws {
        let realm = try TestDirectory.untilExit().realm(types)
        try realm.write {
            realm.create(Place.self, value: ["name": "a", "center": [1, 2], "entrance": [3, 4]])
            realm.create(
                Place.self, value: ["name": "a", "center": Coordinate(5, 6)], update: .modified)
        }
        let place = try #require(realm.objects(Place.self).first)
        #expect(place.center == Coordinate(5, 6) && place.entrance == Coordinate(3, 4))
        let copy = Place(value: place)
        #expect(copy.center == place.center && copy.entrance == Coordinate(3, 4))
    }
}
