/// A length on the surface of the earth.
///
/// The earth counts as a sphere with a radius of 6,378.1 km.
public struct Distance: Hashable, Sendable {
    /// The length as an angle at the centre of the earth.
    public let radians: Double

    private static let metresOfEarthRadius = 6_378_100.0
    private static let metresOfMile = 1609.344

    private init?(exactly radians: Double) {
        // False for what is no number, too.
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// A number of kilometres; nil if it is negative or no number.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(exactly: kilometers * 1000 / metresOfEarthRadius)
    }

    /// A number of miles of 1,609.344 m; nil if it is negative or no number.
    public static func miles(_ miles: Double) -> Distance? {
        Distance(exactly: miles * metresOfMile / metresOfEarthRadius)
    }

    /// A number of degrees at the centre of the earth; nil if it is negative or no number.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(exactly: degrees * .pi / 180)
    }

    /// A number of radians at the centre of the earth; nil if it is negative or no number.
    public static func radians(_ radians: Double) -> Distance? { Distance(exactly: radians) }

    /// The length in kilometres.
    public func asKilometers() -> Double { radians * Self.metresOfEarthRadius / 1000 }
    /// The length in miles of 1,609.344 m.
    public func asMiles() -> Double { radians * Self.metresOfEarthRadius / Self.metresOfMile }
    /// The length in degrees at the centre of the earth.
    public func asDegrees() -> Double { radians * 180 / .pi }
}
