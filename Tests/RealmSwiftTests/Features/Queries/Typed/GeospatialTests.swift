import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Tests of points, distances and shapes on the earth.
@Suite struct GeospatialTests {
    // MARK: Validation

    @Test func pointsLieOnTheEarth() {
        #expect(GeoPoint(latitude: 90, longitude: 180)?.altitude == 0)
        #expect(GeoPoint(latitude: -90, longitude: -180, altitude: 3)?.altitude == 3)
        #expect(GeoPoint(latitude: 90.000001, longitude: 0) == nil)
        #expect(GeoPoint(latitude: 0, longitude: -180.000001) == nil)
        #expect(GeoPoint(latitude: .nan, longitude: 0) == nil)
        #expect(GeoPoint(latitude: 0, longitude: .nan) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 0, altitude: -1) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 0, altitude: .nan) == nil)
        #expect(GeoPoint(latitude: 1.5, longitude: 2)?.description == "[2, 1.5, 0]")
    }

    @Test func distances() throws {
        let kilometre = try #require(Distance.kilometers(1))
        #expect(abs(kilometre.radians - 1 / 6378.1) < 1e-15)
        #expect(abs(kilometre.asKilometers() - 1) < 1e-12)
        #expect(abs(kilometre.asMiles() - 1 / 1.609344) < 1e-12)
        let mile = try #require(Distance.miles(1))
        #expect(abs(mile.asKilometers() - 1.609344) < 1e-12)
        let quarter = try #require(Distance.degrees(90))
        #expect(quarter.radians == .pi / 2)
        #expect(quarter.asDegrees() == 90)
        #expect(Distance.radians(2)?.radians == 2)
        for make in [Distance.kilometers, Distance.miles, Distance.degrees, Distance.radians] {
            #expect(make(-0.1) == nil)
            #expect(make(.nan) == nil)
            #expect(make(0)?.radians == 0)
        }
    }

    @Test func ringsAreClosed() {
        #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (0, 0)]) != nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (1, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (0, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (0, 181), (1, 1), (0, 0)]) == nil)
        let ring = [(0.0, 0.0), (0.0, 9.0), (9.0, 9.0), (0.0, 0.0)]
        let hole = [(1.0, 2.0), (1.0, 3.0), (2.0, 3.0), (1.0, 2.0)]
        #expect(GeoPolygon(outerRing: ring, holes: hole)?.holes.count == 1)
        #expect(GeoPolygon(outerRing: ring, holes: [hole])?.holes.count == 1)
        #expect(GeoPolygon(outerRing: ring, holes: [Array(hole.dropLast())]) == nil)
    }

    @Test func circlesHaveARadius() {
        #expect(GeoCircle(center: (0, 0), radiusInRadians: 0) != nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: -1) == nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: .nan) == nil)
        #expect(GeoCircle(center: (91, 0), radiusInRadians: 1) == nil)
        #expect(
            GeoCircle(center: (0, 0), radiusInRadians: 10)?.description
                == "GeoCircle([0, 0, 0], 10)")
    }

    // MARK: Boxes and circles

    private func point(_ latitude: Double, _ longitude: Double) throws -> GeoPoint {
        try #require(GeoPoint(latitude: latitude, longitude: longitude))
    }

    @Test func boxesIncludeTheirBorders() throws {
        let box = try #require(GeoBox(bottomLeft: (10, 20), topRight: (30, 40)))._region
        #expect(box.contains(try point(10, 20)))
        #expect(box.contains(try point(30, 40)))
        #expect(box.contains(try point(20, 30)))
        #expect(!box.contains(try point(9.99, 30)))
        #expect(!box.contains(try point(20, 40.01)))
    }

    @Test func boxesMayGoAcrossThe180thMeridian() throws {
        let box = try #require(GeoBox(bottomLeft: (-10, 170), topRight: (10, -170)))._region
        #expect(box.contains(try point(0, 175)))
        #expect(box.contains(try point(0, -175)))
        #expect(box.contains(try point(0, 180)))
        #expect(!box.contains(try point(0, 0)))
        let empty = try #require(GeoBox(bottomLeft: (10, 0), topRight: (-10, 10)))._region
        #expect(!empty.contains(try point(0, 5)))
    }

    /// Great-circle distances of some cities, by the haversine formula on the sphere of
    /// 6,378.1 km: London 51.5074 N 0.1278 W, Paris 48.8566 N 2.3522 E, New York 40.7128 N
    /// 74.0060 W, Sydney 33.8688 S 151.2093 E.
    @Test func circlesEndAtTheirRadius() throws {
        let london = try point(51.5074, -0.1278)
        let others = try [
            (point(48.8566, 2.3522), 343.94), (point(40.7128, -74.0060), 5_576.4),
            (point(-33.8688, 151.2093), 17_012.5),
        ]
        for (city, kilometers) in others {
            let near = try #require(Distance.kilometers(kilometers * 0.999))
            let far = try #require(Distance.kilometers(kilometers * 1.001))
            #expect(try #require(GeoCircle(center: london, radius: far))._region.contains(city))
            #expect(!(try #require(GeoCircle(center: london, radius: near))._region.contains(city)))
        }
        let all = try #require(GeoCircle(center: london, radiusInRadians: 4))._region
        #expect(all.contains(try point(-51.5074, 179.8722)))
        let none = try #require(GeoCircle(center: london, radiusInRadians: 0))._region
        #expect(none.contains(london))
        #expect(!none.contains(try point(51.5074, -0.1279)))
    }

    // MARK: Polygons

    @Test func polygonsHaveGeodesicLines() throws {
        // The line between two points at 45 degrees north bulges towards the pole. At longitude 0
        // it is at atan(tan 45 / cos 30) = 49.1066 degrees.
        let polygon = try #require(
            GeoPolygon(outerRing: [(0, -30), (0, 30), (45, 30), (45, -30), (0, -30)]))
        let region = try polygon._region
        #expect(region.contains(try point(49.10, 0)))
        #expect(!region.contains(try point(49.11, 0)))
        #expect(region.contains(try point(20, 29.9)))
        #expect(!region.contains(try point(20, 30.1)))
        #expect(!region.contains(try point(-0.001, 0)))
        #expect(!region.contains(try point(-20, 180)))
    }

    @Test func theDirectionOfARingDoesNotMatter() throws {
        let ring = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0), (0.0, 0.0)]
        for ring in [ring, ring.reversed()] {
            let region = try #require(GeoPolygon(outerRing: ring, holes: []))._region
            #expect(region.contains(try point(5, 5)))
            #expect(!region.contains(try point(-5, 5)))
            #expect(!region.contains(try point(-5, -175)))
        }
    }

    @Test func polygonsMayContainAPoleOrThe180thMeridian() throws {
        let cap = try #require(
            GeoPolygon(outerRing: [(60, 0), (60, 90), (60, 180), (60, -90), (60, 0)])
        )._region
        #expect(cap.contains(try point(90, 17)))
        #expect(cap.contains(try point(80, -135)))
        #expect(!cap.contains(try point(59, 0)))
        #expect(!cap.contains(try point(-90, 0)))
        let pacific = try #require(
            GeoPolygon(outerRing: [(-10, 170), (-10, -170), (10, -170), (10, 170), (-10, 170)]))
        #expect(try pacific._region.contains(try point(0, 180)))
        #expect(try pacific._region.contains(try point(0, -180)))
        #expect(!(try pacific._region.contains(try point(0, 0))))
    }

    @Test func holesAreOutside() throws {
        let polygon = try #require(
            GeoPolygon(
                outerRing: [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)],
                holes: [
                    [(2, 2), (2, 4), (4, 4), (4, 2), (2, 2)], [(6, 6), (6, 8), (8, 7), (6, 6)],
                ]))
        let region = try polygon._region
        #expect(region.contains(try point(1, 1)))
        #expect(!region.contains(try point(3, 3)))
        #expect(!region.contains(try point(6.5, 7)))
        #expect(region.contains(try point(5, 5)))
    }

    /// Triangles that share corners and lines cover their union without overlap.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func everyPlaceLiesInOneOfThePolygonsThatShareALine(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        let corners = [(0.0, 0.0), (0.0, 40.0), (35.0, 38.0), (33.0, 1.0)]
        let middle = (17.0, 20.0)
        let triangles = try (0..<4).map { side in
            let (a, b) = (corners[side], corners[(side + 1) % 4])
            return try #require(GeoPolygon(outerRing: [a, b, middle, a], holes: []))._region
        }
        let whole = try #require(
            GeoPolygon(outerRing: corners + [corners[0]], holes: [])
        )._region
        var places = try (0..<5_000).map { _ in
            try point(.random(in: -5...40, using: &random), .random(in: -5...45, using: &random))
        }
        places.append(try point(middle.0, middle.1))
        for place in places {
            let count = triangles.count { $0.contains(place) }
            #expect(count == (whole.contains(place) ? 1 : 0), "\(place)")
        }
    }

    /// Compares with the half-spaces of a convex polygon's lines.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func convexPolygonsAreWhatLiesLeftOfAllLines(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        for _ in 0..<4 {
            let center = try point(
                .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
            let (ring, corners) = ringOfConvexPolygon(around: center, using: &random)
            let region = try #require(GeoPolygon(outerRing: ring))._region
            for _ in 0..<100 {
                let place = try point(
                    .random(in: -90...90, using: &random),
                    .random(in: -180...180, using: &random))
                let other = SpherePoint(place)
                let isLeft = corners.indices.allSatisfy {
                    SpherePoint.orientation(
                        corners[$0], corners[($0 + 1) % corners.count], to: other) > 0
                }
                #expect(region.contains(place) == isLeft, "\(place) in \(ring)")
            }
        }
    }

    /// Returns a ring with corners on a circle, counterclockwise.
    private func ringOfConvexPolygon(
        around center: GeoPoint, using random: inout RepeatableRandom
    ) -> ([GeoPoint], [SpherePoint]) {
        let radius = Double.random(in: 0.01...1.4, using: &random)
        let axis = SpherePoint(center).vector
        let first = SpherePoint(center).perpendicular.vector
        let second = SIMD3(
            axis.y * first.z - axis.z * first.y, axis.z * first.x - axis.x * first.z,
            axis.x * first.y - axis.y * first.x)
        let count = Int.random(in: 3...9, using: &random)
        var ring = (0..<count).compactMap { index -> GeoPoint? in
            let angle = 2 * .pi * Double(index) / Double(count)
            let side = first * cos(angle) + second * sin(angle)
            let corner = axis * cos(radius) + side * sin(radius)
            return GeoPoint(
                latitude: asin(max(-1, min(1, corner.z))) * 180 / .pi,
                longitude: atan2(corner.y, corner.x) * 180 / .pi)
        }
        ring.append(ring[0])
        return (ring, ring.dropLast().map(SpherePoint.init))
    }

    private func refusal(of polygon: GeoPolygon?) throws -> String? {
        do {
            _ = try #require(polygon)._region
            return nil
        } catch { return (error as? InvalidRegion)?.reason }
    }

    @Test func ringsThatEncloseNothingAreRefused() throws {
        let square = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0), (0.0, 0.0)]
        #expect(
            try refusal(of: GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 1), (1, 0), (0, 0)]))
                == "Ring 0 is not valid: 'Edges 0 and 2 cross.'")
        #expect(
            try refusal(of: GeoPolygon(outerRing: [(0, 0), (0, 1), (0, 0), (0, 0)]))
                == "Ring 0 is not valid: 'Loop must have at least 3 different vertices'")
        #expect(
            try refusal(
                of: GeoPolygon(
                    outerRing: [(0, 0), (0, 1), (1, 1), (0, 0), (-1, 0), (-1, -1), (0, 0)]))
                == "Ring 0 is not valid: 'Duplicate vertices: 0 and 3'")
        #expect(
            try refusal(of: GeoPolygon(outerRing: [(0, 0), (0, 180), (1, 1), (0, 0)]))
                == "Ring 0 is not valid: 'Two neighbouring vertices are antipodal'")
        #expect(
            try refusal(
                of: GeoPolygon(
                    outerRing: square, holes: [[(20, 20), (20, 21), (21, 21), (20, 20)]]))
                == "Secondary ring 1 not contained by first exterior ring - secondary rings must "
                + "be holes in the first ring")
        #expect(
            try refusal(
                of: GeoPolygon(outerRing: square, holes: [[(5, 5), (5, 15), (6, 15), (5, 5)]]))
                == "Secondary ring 1 not contained by first exterior ring - secondary rings must "
                + "be holes in the first ring")
        #expect(
            try refusal(
                of: GeoPolygon(outerRing: square, holes: [[(0, 0), (0, 10), (5, 5), (0, 0)]]))
                == "Polygon isn't valid: 'Duplicate edge: ring 1, edge 0 and ring 0, edge 0'")
        #expect(
            try refusal(
                of: GeoPolygon(
                    outerRing: square,
                    holes: [
                        [(2, 2), (2, 8), (8, 8), (8, 2), (2, 2)],
                        [(4, 4), (4, 6), (6, 6), (4, 4)],
                    ]))
                == "Polygon interior rings cannot be nested: 2")
    }
}
