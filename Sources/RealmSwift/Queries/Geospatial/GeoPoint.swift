/// A place on the earth.
public struct GeoPoint: Hashable, Sendable {
    /// In degrees, from -90 to 90; north is positive.
    public let latitude: Double
    /// In degrees, from -180 to 180; east is positive.
    public let longitude: Double
    /// In metres, not negative. Queries do not look at it.
    public let altitude: Double

    /// Nil unless all coordinates lie in their ranges.
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
    /// As in GeoJSON: `[longitude, latitude, altitude]`.
    public var description: String {
        let coordinates = [longitude, latitude, altitude].map(String.init(shortest:))
        return "[\(coordinates.joined(separator: ", "))]"
    }
}

extension String {
    /// A number without a fraction that is zero.
    init(shortest number: Double) {
        let text = "\(number)"
        self = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
