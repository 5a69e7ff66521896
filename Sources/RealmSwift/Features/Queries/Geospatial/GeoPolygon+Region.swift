extension GeoPolygon {
    public var _region: _GeoRegion {
        get throws {
            let rings = try ([outerRing] + holes).enumerated().map { number, ring in
                try Self.loop(ring, number)
            }
            try Self.requireDifferentEdges(rings)
            for (number, hole) in rings.enumerated().dropFirst() {
                guard Self.isInside(hole, rings[0]) else {
                    throw InvalidRegion(
                        "Secondary ring \(number) not contained by first exterior ring - "
                            + "secondary rings must be holes in the first ring")
                }
                let isNested = rings.enumerated().dropFirst().contains { other, ring in
                    other != number && Self.isInside(hole, ring)
                }
                if isNested {
                    throw InvalidRegion("Polygon interior rings cannot be nested: \(number)")
                }
            }
            return _GeoRegion(outer: rings[0], holes: Array(rings.dropFirst()))
        }
    }

    private static func loop(_ ring: [GeoPoint], _ number: Int) throws -> SphereLoop {
        func refuse(_ reason: String) -> InvalidRegion {
            InvalidRegion("Ring \(number) is not valid: '\(reason)'")
        }
        var corners: [SpherePoint] = []
        for corner in ring.dropLast().map(SpherePoint.init) where corner != corners.last {
            corners.append(corner)
        }
        if corners.count > 1, corners.first == corners.last { corners.removeLast() }
        if corners.count < 3 { throw refuse("Loop must have at least 3 different vertices") }
        var positions: [SpherePoint: Int] = [:]
        for (position, corner) in corners.enumerated() {
            if let other = positions.updateValue(position, forKey: corner) {
                throw refuse("Duplicate vertices: \(other) and \(position)")
            }
        }
        for (start, end) in edges(corners) where start.isOpposite(of: end) {
            throw refuse("Two neighbouring vertices are antipodal")
        }
        if let (first, second) = crossing(corners) {
            throw refuse("Edges \(first) and \(second) cross.")
        }
        return SphereLoop(corners)
    }

    /// Returns two edges of a ring that cross. An edge has the number of the corner at its start.
    private static func crossing(_ corners: [SpherePoint]) -> (Int, Int)? {
        let count = corners.count
        for first in corners.indices {
            for second in corners.indices.dropFirst(first + 2)
            where (second + 1) % count != first {
                let crosses = SpherePoint.cross(
                    corners[first], corners[first + 1], from: corners[second],
                    to: corners[(second + 1) % count])
                if crosses { return (first, second) }
            }
        }
        return nil
    }

    private static func requireDifferentEdges(_ rings: [SphereLoop]) throws {
        struct Edge: Hashable { let ends: Set<SpherePoint> }
        var places: [Edge: (ring: Int, edge: Int)] = [:]
        for (ring, loop) in rings.enumerated() {
            for (edge, corner) in loop.corners.enumerated() {
                let next = loop.corners[(edge + 1) % loop.corners.count]
                let place = (ring: ring, edge: edge)
                if let other = places.updateValue(place, forKey: Edge(ends: [corner, next])) {
                    throw InvalidRegion(
                        "Polygon isn't valid: 'Duplicate edge: ring \(ring), edge \(edge) and "
                            + "ring \(other.ring), edge \(other.edge)'")
                }
            }
        }
    }

    /// Returns whether a ring is inside another one. The rings can share corners.
    private static func isInside(_ inner: SphereLoop, _ outer: SphereLoop) -> Bool {
        let ends = Set(outer.corners)
        let own = inner.corners.filter { !ends.contains($0) }
        guard own.allSatisfy({ outer.contains($0) }), !own.isEmpty else { return false }
        for (start, end) in edges(inner.corners) {
            for (otherStart, otherEnd) in edges(outer.corners)
            where Set([start, end]).isDisjoint(with: [otherStart, otherEnd]) {
                if SpherePoint.cross(start, end, from: otherStart, to: otherEnd) { return false }
            }
        }
        return true
    }

    private static func edges(_ corners: [SpherePoint]) -> [(SpherePoint, SpherePoint)] {
        corners.indices.map { (corners[$0], corners[($0 + 1) % corners.count]) }
    }
}

/// An error that explains why a region is invalid.
struct InvalidRegion: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
