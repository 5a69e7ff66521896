/// A distance on the surface of the earth.
///
/// The earth is modeled as a sphere with a radius of 6,378.1 km.
public struct Distance: Hashable, Sendable {
    /// The distance as an angle at the center of the earth, in radians.
    public let radians: Double

    private static let metresOfEarthRadius = 6_378_100.0
    private static let metresOfMile = 1609.344

    private init?(exactly radians: Double) {
        // The comparison is also false for NaN.
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Returns a distance in kilometers; nil if it is negative or NaN.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(exactly: kilometers * 1000 / metresOfEarthRadius)
    }

    /// Returns a distance in miles of 1,609.344 m; nil if it is negative or NaN.
    public static func miles(_ miles: Double) -> Distance? {
        Distance(exactly: miles * metresOfMile / metresOfEarthRadius)
    }

    /// Returns a distance in degrees at the center of the earth; nil if it is negative or NaN.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(exactly: degrees * .pi / 180)
    }

    /// Returns a distance in radians at the center of the earth; nil if it is negative or NaN.
    public static func radians(_ radians: Double) -> Distance? { Distance(exactly: radians) }

    /// Returns the distance in kilometers.
    public func asKilometers() -> Double { radians * Self.metresOfEarthRadius / 1000 }
    /// Returns the distance in miles of 1,609.344 m.
    public func asMiles() -> Double { radians * Self.metresOfEarthRadius / Self.metresOfMile }
    /// Returns the distance in degrees at the center of the earth.
    public func asDegrees() -> Double { radians * 180 / .pi }
}
