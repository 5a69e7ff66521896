/// A part of the earth's surface that queries can search for places: ``GeoBox``, ``GeoCircle`` or
/// ``GeoPolygon``.
///
/// ```swift
/// let circle = GeoCircle(center: (47.3, -121.9), radius: .kilometers(10)!)!
/// realm.objects(Company.self).where { $0.location.geoWithin(circle) }
/// realm.objects(Company.self).filter("location IN %@", circle)
/// ```
/// Points in tuples are given as latitude and longitude, in degrees.
///
/// A place is stored as an embedded object as in GeoJSON. It has a property `type: String` with the
/// value `"Point"`, and a property `coordinates: List<Double>` with longitude, latitude and,
/// optionally, altitude. Objects without a place or with invalid coordinates are in no region.
public protocol RLMGeospatial: CustomStringConvertible, Sendable {
    /// The shape in the form in which queries test it.
    var _region: _GeoRegion { get throws }
}

/// All places between two meridians and two circles of latitude, including the boundary.
public struct GeoBox: Hashable, RLMGeospatial {
    /// The southwestern corner.
    public let bottomLeft: GeoPoint
    /// The northeastern corner. If it is west of the other one, the box crosses the 180th meridian.
    public let topRight: GeoPoint

    /// Creates the box between two corners. If the second one is farther south, the box is empty.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Creates the box between two corners; nil if a coordinate is out of its range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    /// The corners of the box, as in messages and plans.
    public var description: String { "GeoBox(\(bottomLeft), \(topRight))" }
}

/// All places within a distance of a center, including the boundary.
public struct GeoCircle: Hashable, RLMGeospatial {
    /// The center of the circle.
    public let center: GeoPoint
    /// The radius as an angle at the center of the earth, in radians. A radius of π or more
    /// includes all places.
    public let radiusInRadians: Double

    /// Creates a circle from an angle in radians; nil if it is negative or NaN.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    /// Creates a circle from a distance. The result is never nil.
    public init?(center: GeoPoint, radius: Distance) {
        self.init(center: center, radiusInRadians: radius.radians)
    }

    /// Creates a circle from an angle in radians; nil if a coordinate is out of its range, or the
    /// angle is negative or NaN.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// Creates a circle from a distance; nil if a coordinate is out of its range.
    public init?(center: (Double, Double), radius: Distance) {
        self.init(center: center, radiusInRadians: radius.radians)
    }

    /// The center and the radius of the circle in radians, as in messages and plans.
    public var description: String {
        "GeoCircle(\(center), \(String(shortest: radiusInRadians)))"
    }
}

/// All places inside of a ring of geodesic lines, except those in its holes.
///
/// A ring divides the earth into two parts, of which the smaller one is inside. If several polygons
/// share an edge or a corner, a place on it is in exactly one of them. A query stops the program if
/// rings cross themselves or each other, or if holes are not inside of the outer ring.
public struct GeoPolygon: Hashable, RLMGeospatial {
    /// The corners of the outer ring. The first corner is repeated at the end.
    public let outerRing: [GeoPoint]
    /// The corners of the rings of the holes.
    public let holes: [[GeoPoint]]

    /// Creates a polygon; nil unless each ring has at least four points and ends at its first
    /// point.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        let isClosed = ([outerRing] + holes).allSatisfy { $0.count >= 4 && $0.first == $0.last }
        guard isClosed else { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// Creates a polygon; nil if a coordinate is out of its range, or unless each ring has at least
    /// four points and ends at its first point.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        let rings = ([outerRing] + holes).map { $0.compactMap(GeoPoint.init) }
        guard zip(rings, [outerRing] + holes).allSatisfy({ $0.count == $1.count }) else {
            return nil
        }
        self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
    }

    /// Creates a polygon; nil if a coordinate is out of its range, or unless each ring has at least
    /// four points and ends at its first point.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// The rings of the polygon, as in messages and plans.
    public var description: String {
        let rings = ([outerRing] + holes).map { ring in
            "{\(ring.map(\.description).joined(separator: ", "))}"
        }
        return "GeoPolygon(\(rings.joined(separator: ", ")))"
    }
}

extension GeoPoint {
    /// Creates a point.
    ///
    /// - Parameter coordinates: The latitude and the longitude, in degrees.
    fileprivate init?(_ coordinates: (Double, Double)) {
        self.init(latitude: coordinates.0, longitude: coordinates.1)
    }
}
