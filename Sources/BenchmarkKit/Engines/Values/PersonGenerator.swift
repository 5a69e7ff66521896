import ToolSupport

/// The values of one person: a name, a birth date in whole seconds from 1940 up to 2010, and an age
/// from 0 to 99.
public struct PersonValues: Equatable, Sendable {
    public var number: Int
    /// The birth date in seconds since 1970, UTC; negative before.
    public var birthdate: Int
    public var age: Int
    /// The name in the data set `letters`; nil in the data set `numbers`, where the name is the
    /// number.
    var letters: String?

    public var name: String { letters ?? String(number) }
}

/// The data sets of persons, which differ only in the names.
enum PersonNames: String, Codable, Sendable {
    /// The name is the decimal string of the number, as in `Person`.
    case numbers
    /// The name has 8 to 20 random letters, as in `PersonText`. Two persons may have the same name,
    /// so that the name is not a key.
    case letters
}

/// A seeded sequence of persons, numbered from 0. Both data sets of one seed have the same birth
/// dates and ages.
struct PersonGenerator {
    static let firstBirthdate = Recording.daysSince1970(year: 1940, month: 1, day: 1) * 86_400
    static let endOfBirthdates = Recording.daysSince1970(year: 2010, month: 1, day: 1) * 86_400
    static let nameLengths = 8...20

    private var generator: SeededGenerator
    private let seed: UInt64
    private let names: PersonNames
    private var number: Int

    /// Creates a generator whose first person has the number `first` and equals the one that a
    /// generator from 0 would reach. Every person takes two values of a source whose state advances
    /// by a constant, so the generator can skip ahead.
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

    /// Returns random letters from a source of the person's own, so that the length of one name
    /// does not affect any other value.
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
    /// Creates the person with that number in the sequence of a seed.
    init(number: Int, seed: UInt64, names: PersonNames = .numbers) {
        var generator = PersonGenerator(seed: seed, names: names, first: number)
        self = generator.next()
    }
}
