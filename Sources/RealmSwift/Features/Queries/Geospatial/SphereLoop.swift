import Foundation

/// A point on the unit sphere.
struct SpherePoint: Hashable, Sendable {
    /// The unit vector: x points to the prime meridian at the equator, z to the north pole.
    let vector: SIMD3<Double>

    init(_ point: GeoPoint) {
        let latitude = point.latitude * .pi / 180
        // Longitudes -180 and 180 are the same meridian.
        let longitude = (point.longitude == -180 ? 180 : point.longitude) * .pi / 180
        // A pole is the same point at every longitude.
        let radius = abs(point.latitude) == 90 ? 0 : cos(latitude)
        vector = SIMD3(radius * cos(longitude), radius * sin(longitude), sin(latitude))
    }

    fileprivate init(_ vector: SIMD3<Double>) { self.vector = vector }

    /// A reference point with unusual coordinates, so that lines from it do not pass through
    /// corners.
    fileprivate static let origin = SpherePoint(
        SIMD3(-0.0099994664350250197, 0.0025924542609324121, 0.99994664350250195))

    func cross(_ other: SpherePoint) -> SIMD3<Double> {
        let (a, b) = (vector, other.vector)
        return SIMD3(
            a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    func dot(_ other: SpherePoint) -> Double { (vector * other.vector).sum() }

    /// Returns a positive number if the three points are in counterclockwise order, as seen from
    /// outside the sphere.
    static func orientation(
        _ a: SpherePoint, _ b: SpherePoint, to c: SpherePoint
    ) -> Double {
        (a.cross(b) * c.vector).sum()
    }

    /// Returns whether two points are antipodal, so that the shortest line between them is not
    /// unique.
    func isOpposite(of other: SpherePoint) -> Bool {
        let sum = vector + other.vector
        return (sum * sum).sum() < 1e-28
    }

    /// A point at a right angle to this one. The result is deterministic.
    var perpendicular: SpherePoint {
        let reference = SpherePoint(SIMD3(0.012, 0.0053, 0.00457))
        let axis = cross(reference)
        return SpherePoint(axis / (axis * axis).sum().squareRoot())
    }

    /// Returns whether the lines from `center` to the three points are in counterclockwise order.
    static func areInOrder(
        _ a: SpherePoint, _ b: SpherePoint, then c: SpherePoint, around center: SpherePoint
    ) -> Bool {
        var count = 0
        if orientation(b, center, to: a) >= 0 { count += 1 }
        if orientation(c, center, to: b) >= 0 { count += 1 }
        if orientation(a, center, to: c) > 0 { count += 1 }
        return count >= 2
    }

    /// Returns whether two lines that share no end cross.
    static func cross(
        _ a: SpherePoint, _ b: SpherePoint, from c: SpherePoint, to d: SpherePoint
    ) -> Bool {
        // Two lines cross if the ends of each line are on different sides of the other one, and the
        // crossing is on this side of the sphere: all four triangles have the same orientation. A
        // point exactly on a line counts as left of it, consistently for all lines that share the
        // point.
        let ab = a.cross(b)
        let isLeft = (ab * c.vector).sum() >= 0
        if ((ab * d.vector).sum() >= 0) == isLeft { return false }
        let cd = c.cross(d)
        return ((cd * b.vector).sum() >= 0) == isLeft && ((cd * a.vector).sum() >= 0) != isLeft
    }
}

/// A closed ring of geodesic lines that does not cross itself, with the smaller part of the sphere
/// on its left.
///
/// Containment of a point is determined by the number of lines crossed on the way from a reference
/// point whose containment is known. The method is that of Google's S2 library (S2Loop::Contains,
/// S2::VertexCrossing, S2::OrderedCCW; s2geometry.io), including the rule by which exactly one of
/// the loops around a common corner contains it. It does not use the exact arithmetic of S2: a
/// point within some nanometers of a line can be assigned to the other side.
struct SphereLoop: Sendable {
    /// The corners, without the repeated first one.
    let corners: [SpherePoint]
    private let containsOrigin: Bool

    /// Creates a loop.
    ///
    /// - Parameter corners: At least three corners, all different.
    init(_ corners: [SpherePoint]) {
        let area = Self.area(leftOf: corners)
        self.corners = area < 0 ? corners.reversed() : corners
        // The expected containment of a corner is given by the order of its neighbors, by the rule
        // for loops that share a corner.
        let second = self.corners[1]
        let expected = SpherePoint.areInOrder(
            second.perpendicular, self.corners[0], then: self.corners[2], around: second)
        containsOrigin =
            Self.crossesOddly(self.corners, from: .origin, to: second) != expected
    }

    func contains(_ point: SpherePoint) -> Bool {
        Self.crossesOddly(corners, from: .origin, to: point) != containsOrigin
    }

    /// Returns the signed area on the left of a ring, as a sum of signed areas of triangles from
    /// the first corner. An area of more than half of the sphere gives the negative area of the
    /// other part.
    ///
    /// For the area of a triangle see Van Oosterom and Strackee, "The solid angle of a plane
    /// triangle", 1983.
    private static func area(leftOf corners: [SpherePoint]) -> Double {
        var area = 0.0
        let a = corners[0]
        for (b, c) in zip(corners.dropFirst(), corners.dropFirst(2)) {
            area +=
                2
                * atan2(
                    SpherePoint.orientation(a, b, to: c), 1 + a.dot(b) + b.dot(c) + c.dot(a))
        }
        return remainder(area, 4 * .pi)
    }

    private static func crossesOddly(
        _ corners: [SpherePoint], from origin: SpherePoint, to point: SpherePoint
    ) -> Bool {
        var isOdd = false
        var start = corners[corners.count - 1]
        for end in corners {
            let crosses =
                if point == start {
                    SpherePoint.areInOrder(point.perpendicular, end, then: origin, around: point)
                } else if point == end {
                    SpherePoint.areInOrder(point.perpendicular, start, then: origin, around: point)
                } else {
                    SpherePoint.cross(origin, point, from: start, to: end)
                }
            if crosses { isOdd.toggle() }
            start = end
        }
        return isOdd
    }
}
