/// A part of the surface of the earth, which queries look for places in: ``GeoBox``,
/// ``GeoCircle`` and ``GeoPolygon``.
///
/// ```swift
/// let circle = GeoCircle(center: (47.3, -121.9), radius: .kilometers(10)!)!
/// realm.objects(Company.self).where { $0.location.geoWithin(circle) }
/// realm.objects(Company.self).filter("location IN %@", circle)
/// ```
/// Points in tuples are written as latitude and longitude, in degrees. A place is stored as an
/// embedded object with a property `type: String` that is `"Point"`, and `coordinates:
/// List<Double>` with longitude, latitude and, if known, altitude, as GeoJSON has it. Objects
/// without a place, or with coordinates that are none, lie nowhere.
public protocol RLMGeospatial: CustomStringConvertible, Sendable {
    /// The shape as queries test it.
    var _region: _GeoRegion { get throws }
}

/// All places between two meridians and two circles of latitude, these included.
public struct GeoBox: Hashable, RLMGeospatial {
    /// The south-western corner.
    public let bottomLeft: GeoPoint
    /// The north-eastern corner. If it lies west of the other one, the box goes across the 180th
    /// meridian.
    public let topRight: GeoPoint

    /// The box between two corners. Nothing lies in it if the second one is farther south.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// The box between two corners; nil if one is not on the earth.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    public var description: String { "GeoBox(\(bottomLeft), \(topRight))" }
}

/// All places within a distance of one, those at this distance included.
public struct GeoCircle: Hashable, RLMGeospatial {
    /// The place in the middle.
    public let center: GeoPoint
    /// The distance, as an angle at the centre of the earth. From π on all places lie within.
    public let radiusInRadians: Double

    /// A circle by its angle; nil if that is negative or no number.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    /// A circle by its distance.
    public init?(center: GeoPoint, radius: Distance) {
        self.init(center: center, radiusInRadians: radius.radians)
    }

    /// A circle by its angle; nil if the centre is not on the earth, or the angle is negative or no
    /// number.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// A circle by its distance; nil if the centre is not on the earth.
    public init?(center: (Double, Double), radius: Distance) {
        self.init(center: center, radiusInRadians: radius.radians)
    }

    public var description: String {
        "GeoCircle(\(center), \(String(shortest: radiusInRadians)))"
    }
}

/// All places inside of a ring of geodesic lines, but not inside of holes in it.
///
/// Of the two parts into which a ring divides the earth, the smaller one is inside. A place on a
/// line, or on a corner, lies in one of the polygons that share it. A query with rings that cross
/// themselves or each other, or holes that are none, is refused.
public struct GeoPolygon: Hashable, RLMGeospatial {
    /// The corners of the ring, the first of which is also the last.
    public let outerRing: [GeoPoint]
    /// The corners of the holes' rings.
    public let holes: [[GeoPoint]]

    /// A polygon; nil unless each ring has four points at least, the last equal to the first.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        let isClosed = ([outerRing] + holes).allSatisfy { $0.count >= 4 && $0.first == $0.last }
        guard isClosed else { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// A polygon; nil if a point is not on the earth, or a ring has less than four points or ends
    /// elsewhere than it begins.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        let rings = ([outerRing] + holes).map { $0.compactMap(GeoPoint.init) }
        guard zip(rings, [outerRing] + holes).allSatisfy({ $0.count == $1.count }) else {
            return nil
        }
        self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
    }

    /// A polygon; nil if a point is not on the earth, or a ring has less than four points or ends
    /// elsewhere than it begins.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    public var description: String {
        let rings = ([outerRing] + holes).map { ring in
            "{\(ring.map(\.description).joined(separator: ", "))}"
        }
        return "GeoPolygon(\(rings.joined(separator: ", ")))"
    }
}

extension GeoPoint {
    /// - Parameter coordinates: latitude and longitude.
    fileprivate init?(_ coordinates: (Double, Double)) {
        self.init(latitude: coordinates.0, longitude: coordinates.1)
    }
}
