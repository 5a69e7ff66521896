import Foundation

/// A part of the earth's surface, in the form in which points are tested.
public struct _GeoRegion: Sendable {
    private enum Form {
        /// A box in degrees. The eastern bound is less than the western one if the box crosses the
        /// 180th meridian.
        case box(latitudes: ClosedRange<Double>, west: Double, east: Double)
        /// All points whose squared straight-line distance from the center is at most
        /// `squaredChord`.
        case cap(center: SpherePoint, squaredChord: Double)
        case polygon(outer: SphereLoop, holes: [SphereLoop])
        case nothing
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    init(_ box: GeoBox) {
        let (south, north) = (box.bottomLeft.latitude, box.topRight.latitude)
        self.init(
            south > north
                ? .nothing
                : .box(
                    latitudes: south...north, west: box.bottomLeft.longitude,
                    east: box.topRight.longitude))
    }

    init(_ circle: GeoCircle) {
        let chord = 2 * sin(min(circle.radiusInRadians, .pi) / 2)
        self.init(.cap(center: SpherePoint(circle.center), squaredChord: chord * chord))
    }

    init(outer: SphereLoop, holes: [SphereLoop]) {
        self.init(.polygon(outer: outer, holes: holes))
    }

    func contains(_ point: GeoPoint) -> Bool {
        switch form {
        case .nothing: return false
        case .box(let latitudes, let west, let east):
            guard latitudes.contains(point.latitude) else { return false }
            let isEastOfWest = point.longitude >= west
            let isWestOfEast = point.longitude <= east
            return west <= east ? isEastOfWest && isWestOfEast : isEastOfWest || isWestOfEast
        case .cap(let center, let squaredChord):
            let difference = center.vector - SpherePoint(point).vector
            return (difference * difference).sum() <= squaredChord
        case .polygon(let outer, let holes):
            let point = SpherePoint(point)
            return outer.contains(point) && !holes.contains { $0.contains(point) }
        }
    }
}

extension GeoBox {
    public var _region: _GeoRegion { _GeoRegion(self) }
}

extension GeoCircle {
    public var _region: _GeoRegion { _GeoRegion(self) }
}
