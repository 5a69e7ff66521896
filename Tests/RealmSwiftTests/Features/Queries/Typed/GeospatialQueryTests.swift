import Foundation
import Testing

@testable import RealmSwift

class Site: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var location: SiteLocation?
    @Persisted var others: List<SiteLocation>
    @Persisted var place: WrongPlace?
    @Persisted var partner: Site?
    @Persisted var coordinate: SiteCoordinate
    @Persisted var formerCoordinate: SiteCoordinate?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The class as the documentation declares it.
class SiteLocation: EmbeddedObject {
    @Persisted private var type: String = "Point"
    @Persisted private var coordinates: List<Double>

    var latitude: Double { coordinates[1] }
    var longitude: Double { coordinates[0] }
    var hasCoordinates: Bool { coordinates.count > 1 }

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }

    convenience init(type: String, coordinates: [Double]) {
        self.init()
        self.type = type
        self.coordinates.append(objectsIn: coordinates)
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A custom type that is stored as a `SiteLocation`.
struct SiteCoordinate: CustomPersistable {
    typealias PersistedType = SiteLocation

    var latitude: Double
    var longitude: Double

    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(persistedValue place: SiteLocation) {
        self.init(
            place.hasCoordinates ? place.latitude : 0, place.hasCoordinates ? place.longitude : 0)
    }

    var persistableValue: SiteLocation { SiteLocation(latitude, longitude) }
}

class WrongPlace: EmbeddedObject {
    @Persisted var type: String
    @Persisted var coordinates: List<Float>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let siteTypes: [ObjectBase.Type] = [Site.self, SiteLocation.self, WrongPlace.self]

@Suite struct GeospatialQueryTests {
    private let realm: Realm
    private let sites: Results<Site>

    init() throws {
        realm = try temporaryRealm(siteTypes)
        sites = realm.objects(Site.self)
        let places = [(10.0, 10.0), (0.0, 0.0), (48.4, 10.0), (-33.9, 151.2)]
        try realm.write {
            for (id, place) in places.enumerated() {
                let site = realm.create(Site.self, value: ["id": id])
                site.location = SiteLocation(place.0, place.1)
                site.others.append(SiteLocation(-place.0, place.1))
                if id > 0 { site.partner = sites[id - 1] }
                site.coordinate = SiteCoordinate(place.0, place.1)
                site.formerCoordinate = id == 2 ? site.coordinate : nil
            }
            realm.create(Site.self, value: ["id": 4])
            for (id, location) in [
                SiteLocation(type: "Polygon", coordinates: [10, 10]),
                SiteLocation(type: "Point", coordinates: [10]),
                SiteLocation(type: "Point", coordinates: [10, 91]),
                SiteLocation(type: "Point", coordinates: [10, 10, 300]),
            ].enumerated() {
                realm.create(Site.self, value: ["id": 5 + id]).location = location
            }
        }
    }

    private func box() throws -> GeoBox {
        try #require(GeoBox(bottomLeft: (5, 5), topRight: (50, 11)))
    }

    @Test func placesInShapesAreFound() throws {
        let box = try box()
        #expect(sites.where { $0.location.geoWithin(box) }.map(\.id) == [0, 2, 8])
        #expect(sites.filter("location IN %@", box).map(\.id) == [0, 2, 8])
        #expect(sites.where { !$0.location.geoWithin(box) }.map(\.id) == [1, 3, 4, 5, 6, 7])
        let circle = try #require(GeoCircle(center: (0, 0), radius: .kilometers(1600)!))
        #expect(sites.where { $0.location.geoWithin(circle) }.map(\.id) == [0, 1, 8])
        let triangle = try #require(
            GeoPolygon(outerRing: [(-1, -1), (-1, 20), (20, 10), (-1, -1)]))
        #expect(sites.where { $0.location.geoWithin(triangle) }.map(\.id) == [0, 1, 8])
    }

    @Test func pathsLeadToPlaces() throws {
        let box = try box()
        #expect(sites.where { $0.partner.location.geoWithin(box) }.map(\.id) == [1, 3])
        #expect(sites.where { $0.coordinate.geoWithin(box) }.map(\.id) == [0, 2])
        #expect(sites.where { $0.formerCoordinate.geoWithin(box) }.map(\.id) == [2])
        let south = try #require(GeoBox(bottomLeft: (-50, 5), topRight: (-5, 11)))
        #expect(sites.filter("ANY others IN %@", south).map(\.id) == [0, 2])
        #expect(
            Query<Site>().location.geoWithin(box)._constructPredicate().0 == "(location IN %@)")
    }

    private func refusal(_ format: String, _ shape: any RLMGeospatial) -> String? {
        do {
            _ = try sites._filtered(PredicateParser.parse(format, [shape]), format: "")
            return nil
        } catch { return "\(error)" }
    }

    @Test func otherPropertiesAreRefused() throws {
        let circle = try #require(GeoCircle(center: (0, 0), radiusInRadians: 10))
        #expect(
            refusal("partner IN %@", circle)
                == "A GEOWITHIN query can only operate on a link to an embedded class but 'Site' "
                + "is at the top level")
        #expect(
            refusal("place IN %@", circle)
                == "Query 'place GEOWITHIN GeoCircle([0, 0, 0], 10)' links to data in the wrong "
                + "format for a geoWithin query")
        #expect(
            refusal("id IN %@", circle)
                == "Cannot compare value 'GeoCircle([0, 0, 0], 10)' of type 'GeoCircle' to "
                + "property 'id' of type 'int'")
        #expect(refusal("location == %@", circle)?.hasPrefix("Cannot compare value") == true)
    }

    @Test func shapesThatEncloseNothingAreRefused() throws {
        let polygon = try #require(
            GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 1), (1, 0), (0, 0)]))
        #expect(
            refusal("location IN %@", polygon)
                == "Invalid region in GEOWITHIN query for parameter 'GeoPolygon({[0, 0, 0], "
                + "[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]})': 'Ring 0 is not valid: 'Edges 0 "
                + "and 2 cross.''")
    }
}
