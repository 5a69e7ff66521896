/// A place on the earth.
public struct GeoPoint: Hashable, Sendable {
    /// The latitude in degrees, from -90 to 90. North is positive.
    public let latitude: Double
    /// The longitude in degrees, from -180 to 180. East is positive.
    public let longitude: Double
    /// The altitude in meters, not negative. Queries ignore it.
    public let altitude: Double

    /// Creates a point; nil if a coordinate is out of its range.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0,
            altitude.isFinite
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }
}

extension GeoPoint: CustomStringConvertible {
    /// The coordinates as in GeoJSON: `[longitude, latitude, altitude]`.
    public var description: String {
        let coordinates = [longitude, latitude, altitude].map(String.init(shortest:))
        return "[\(coordinates.joined(separator: ", "))]"
    }
}

extension String {
    /// Creates the shortest text for a number, without a fraction of zero.
    init(shortest number: Double) {
        let text = "\(number)"
        self = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
