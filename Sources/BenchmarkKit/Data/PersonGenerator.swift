/// The values of one person: a name, a birth date in whole seconds from 1940 up to 2010, an age of
/// 0 to 99.
public struct PersonValues: Equatable, Sendable {
    public var number: Int
    /// Seconds since 1970, UTC; negative before.
    public var birthdate: Int
    public var age: Int
    /// The name of a `PersonText`; nil for a `Person`, whose name is its number.
    var letters: String?

    public var name: String { letters ?? String(number) }
}

/// The data sets of persons, which differ in their names alone.
enum PersonNames: String, Codable, Sendable {
    /// `Person`: the decimal string of the number.
    case numbers
    /// `PersonText`: 8 to 20 random letters. Nothing keeps two persons from having the same name,
    /// so that these are no keys.
    case letters
}

/// A seeded sequence of persons, numbered from 0. Those of one seed have the same dates and ages in
/// both data sets.
struct PersonGenerator {
    static let firstBirthdate = Recording.daysSince1970(year: 1940, month: 1, day: 1) * 86_400
    static let endOfBirthdates = Recording.daysSince1970(year: 2010, month: 1, day: 1) * 86_400
    static let nameLengths = 8...20

    private var generator: SeededGenerator
    private let seed: UInt64
    private let names: PersonNames
    private var number: Int

    /// `first`: the number of the first person, which is the same one as if those before had been
    /// made: each takes two values of a source whose state advances by a constant.
    init(seed: UInt64, names: PersonNames = .numbers, first: Int = 0) {
        generator = SeededGenerator(seed: seed &+ UInt64(first) &* 2 &* SeededGenerator.step)
        self.seed = seed
        self.names = names
        number = first
    }

    mutating func next() -> PersonValues {
        defer { number += 1 }
        let range = Self.endOfBirthdates - Self.firstBirthdate
        return PersonValues(
            number: number,
            birthdate: Self.firstBirthdate + generator.next(below: range),
            age: generator.next(below: 100),
            letters: names == .letters ? letters() : nil)
    }

    /// From a source of its own for each person, so that a name takes as many values as it has
    /// letters and nothing else changes.
    private func letters() -> String {
        var source = SeededGenerator(seed: mix64(mix64(seed) &+ UInt64(number)))
        let count = Self.nameLengths.lowerBound + source.next(below: Self.nameLengths.count)
        return String(unsafeUninitializedCapacity: count) { bytes in
            for position in 0..<count {
                bytes[position] = UInt8(ascii: "a") + UInt8(source.next(below: 26))
            }
            return count
        }
    }
}

extension PersonValues {
    /// The person of that number in the sequence of a seed.
    init(number: Int, seed: UInt64, names: PersonNames = .numbers) {
        var generator = PersonGenerator(seed: seed, names: names, first: number)
        self = generator.next()
    }
}
