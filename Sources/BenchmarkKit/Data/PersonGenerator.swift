/// The values of one `Person`: a name that is the decimal string of its number, a birth date in
/// whole seconds from 1940 up to 2010, an age of 0 to 99.
public struct PersonValues: Equatable, Sendable {
    public var number: Int
    /// Seconds since 1970, UTC; negative before.
    public var birthdate: Int
    public var age: Int

    public var name: String { String(number) }
}

/// A seeded sequence of persons, numbered from 0.
struct PersonGenerator {
    static let firstBirthdate = Recording.daysSince1970(year: 1940, month: 1, day: 1) * 86_400
    static let endOfBirthdates = Recording.daysSince1970(year: 2010, month: 1, day: 1) * 86_400

    private var generator: SeededGenerator
    private var number = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> PersonValues {
        defer { number += 1 }
        let range = Self.endOfBirthdates - Self.firstBirthdate
        return PersonValues(
            number: number,
            birthdate: Self.firstBirthdate + generator.next(below: range),
            age: generator.next(below: 100))
    }
}
