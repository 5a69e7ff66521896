import Foundation

/// A point of the unit sphere.
struct SpherePoint: Hashable, Sendable {
    /// Of length 1: x leads to the prime meridian at the equator, z to the north pole.
    let vector: SIMD3<Double>

    init(_ point: GeoPoint) {
        let latitude = point.latitude * .pi / 180
        // The 180th meridian is one, from whichever side it is named.
        let longitude = (point.longitude == -180 ? 180 : point.longitude) * .pi / 180
        // So are the poles, on whichever meridian.
        let radius = abs(point.latitude) == 90 ? 0 : cos(latitude)
        vector = SIMD3(radius * cos(longitude), radius * sin(longitude), sin(latitude))
    }

    fileprivate init(_ vector: SIMD3<Double>) { self.vector = vector }

    /// A point that is like no place that anybody names, so that lines from it meet no corner.
    fileprivate static let origin = SpherePoint(
        SIMD3(-0.0099994664350250197, 0.0025924542609324121, 0.99994664350250195))

    func cross(_ other: SpherePoint) -> SIMD3<Double> {
        let (a, b) = (vector, other.vector)
        return SIMD3(
            a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    func dot(_ other: SpherePoint) -> Double { (vector * other.vector).sum() }

    /// Positive if the three points are met counterclockwise on the way around their triangle,
    /// seen from outside.
    static func orientation(
        _ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint
    ) -> Double {
        (a.cross(b) * c.vector).sum()
    }

    /// Whether no single line is the shortest one between two points.
    func isOpposite(of other: SpherePoint) -> Bool {
        let sum = vector + other.vector
        return (sum * sum).sum() < 1e-28
    }

    /// A point a quarter of the way around the sphere, always the same one.
    var perpendicular: SpherePoint {
        let reference = SpherePoint(SIMD3(0.012, 0.0053, 0.00457))
        let axis = cross(reference)
        return SpherePoint(axis / (axis * axis).sum().squareRoot())
    }

    /// Whether the lines from `center` to the three points are met in this order when turning
    /// counterclockwise.
    static func areInOrder(
        _ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint, around center: SpherePoint
    ) -> Bool {
        var count = 0
        if orientation(b, center, a) >= 0 { count += 1 }
        if orientation(c, center, b) >= 0 { count += 1 }
        if orientation(a, center, c) > 0 { count += 1 }
        return count >= 2
    }

    /// Whether two lines, which share no end, cross.
    static func cross(
        _ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint, _ d: SpherePoint
    ) -> Bool {
        // Both ends of each line lie on different sides of the other one, and the crossing is on
        // this side of the sphere: all four triangles turn the same way. Points that are exactly on
        // a line count as on its left, the same for all lines that share them.
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
/// Whether it contains a point is told by how many of its lines are crossed on the way there from a
/// point of which it is known. The method, and the rule by which exactly one of the loops around a
/// common corner contains it, are those of Google's S2 library (S2Loop::Contains,
/// S2::VertexCrossing, S2::OrderedCCW; s2geometry.io), without its exact arithmetic: a place less
/// than some nanometres from a line may be found on its other side.
struct SphereLoop: Sendable {
    /// Without the repetition of the first one.
    let corners: [SpherePoint]
    private let containsOrigin: Bool

    /// - Parameter corners: three at least, all different.
    init(_ corners: [SpherePoint]) {
        let area = Self.area(leftOf: corners)
        self.corners = area < 0 ? corners.reversed() : corners
        // The corner belongs to the loop if it lies between its neighbours in the order that says
        // which of several loops has it.
        let second = self.corners[1]
        let expected = SpherePoint.areInOrder(
            second.perpendicular, self.corners[0], self.corners[2], around: second)
        containsOrigin =
            Self.crossesOddly(self.corners, from: .origin, to: second) != expected
    }

    func contains(_ point: SpherePoint) -> Bool {
        Self.crossesOddly(corners, from: .origin, to: point) != containsOrigin
    }

    /// Positive and negative areas add up to those of triangles from the first corner; an area of
    /// more than half of the sphere comes out as the negative of the other part's.
    ///
    /// Areas of triangles: Van Oosterom and Strackee, "The solid angle of a plane triangle", 1983.
    private static func area(leftOf corners: [SpherePoint]) -> Double {
        var area = 0.0
        let a = corners[0]
        for (b, c) in zip(corners.dropFirst(), corners.dropFirst(2)) {
            area +=
                2
                * atan2(
                    SpherePoint.orientation(a, b, c), 1 + a.dot(b) + b.dot(c) + c.dot(a))
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
                    SpherePoint.areInOrder(point.perpendicular, end, origin, around: point)
                } else if point == end {
                    SpherePoint.areInOrder(point.perpendicular, start, origin, around: point)
                } else {
                    SpherePoint.cross(origin, point, start, end)
                }
            if crosses { isOdd.toggle() }
            start = end
        }
        return isOdd
    }
}
