import Foundation
import RealmSwift
import Testing

private enum Passed {
    final class Shop: Object {
        @Persisted var place: Place?
        @Persisted var size: Int
        @Persisted var branches: List<Shop>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Place: EmbeddedObject {
        @Persisted var type = "Point"
        @Persisted var coordinates: List<Double>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Shop.self, Place.self]
}

/// Queries that read more than the columns of their objects, in another Realm than that which they
/// were made for.
@Suite struct MovedQueryTests {
    private let configuration = TestDirectory.untilExit().configuration(Passed.types)

    /// Opens the file with shops along the equator, each of which has the one before it as a
    /// branch.
    private func open() throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            var last: Passed.Shop?
            for degree in 0..<6 {
                let shop = realm.create(Passed.Shop.self, value: ["size": degree])
                let place = Passed.Place()
                place.coordinates.append(objectsIn: [Double(degree), 0])
                shop.place = place
                if let last { shop.branches.append(last) }
                last = shop
            }
        }
        return realm
    }

    @Test func placesAreReadInTheRealmOfTheQuery() throws {
        let realm = try open()
        let box = try #require(GeoBox(bottomLeft: (-1, -1), topRight: (1, 2.5)))
        let near = realm.objects(Passed.Shop.self).where { $0.place.geoWithin(box) }
        #expect(near.count == 3)
        let reference = ThreadSafeReference(to: near)
        let frozen = near.freeze()
        let found = try runThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            let near = try #require(realm.resolve(reference))
            try realm.write { realm.objects(Passed.Shop.self)[0].place?.coordinates[0] = 9 }
            return near.count
        }
        // The Realm of this thread still shows the version before.
        #expect(found == 2 && near.count == 3)
        realm.refresh()
        #expect(near.count == 2 && frozen.count == 3)
    }

    @Test func conditionsOnSeveralObjectsAreFoundByManyThreadsAtOnce() throws {
        let realm = try open()
        let text = "SUBQUERY(branches, $b, $b.size < size AND $b.size > 2).@count > 0"
        nonisolated(unsafe) let frozen = realm.objects(Passed.Shop.self).freeze()
        nonisolated(unsafe) let found = frozen.filter(text)
        let counts = try onThreads(4) { _ in
            (0..<50).map { _ in Array(found.filter("size >= 0").map(\.size)) }
        }
        for count in counts.joined() { #expect(count == [4, 5]) }
        #expect(realm.objects(Passed.Shop.self).filter(text).count == 2)
    }
}
