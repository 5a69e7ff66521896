/// What a query language is for: questions about many persons, answered without the workload
/// visiting each of them. The rules of ``PersonStore`` hold.
public protocol PersonQueries: AnyObject {
    // MARK: Questions about all persons

    /// The least and the greatest age; nil without persons.
    func rangeOfAges() throws -> ClosedRange<Int>?
    /// Nil without persons.
    func averageAge() throws -> Double?
    func count(nameContaining text: String) throws -> Int
    func count(where condition: PersonCondition) throws -> Int
    /// The first names in the order of their bytes.
    func namesInOrder(first count: Int) throws -> [String]
    /// Reads all three properties of those who are younger than `limit`; the sum is that of
    /// ``PersonStore/checksum()``.
    func checksum(ageBelow limit: Int) throws -> Int
    /// Reads all three properties of every person, the oldest first, those born in one second by
    /// name (bytewise). The value is that of an ``OrderedChecksum``.
    func checksumFromOldest() throws -> Int

    // MARK: Persons whose number has an index

    func person(indexedNumber number: Int) throws -> (birthdate: Int, age: Int)?
    /// The same with a query that the compiler has checked.
    func person(typedNumber number: Int) throws -> (birthdate: Int, age: Int)?
    /// Reads the persons with these numbers, ``IndexedNumbers/atOnce`` at most; returns the sum of
    /// birth dates and ages.
    func sum(indexedNumbers numbers: [Int]) throws -> Int
    /// The same for neighbouring numbers.
    func sum(indexedNumbersIn range: ClosedRange<Int>) throws -> Int

    // MARK: Answers that follow changes

    /// How many persons with integer keys are younger than `limit`, and who of them has the
    /// greatest number.
    func young(ageBelow limit: Int) throws -> YoungPersons
    /// The same from a result that is kept and follows this store's changes.
    func followYoung(ageBelow limit: Int) throws -> () throws -> YoungPersons

    // MARK: Changing

    /// Gives all who are younger than `limit` the same age.
    func setAges(below limit: Int, to age: Int) throws
}

/// `age < ageBelow AND birthdate IN birthdates OR name BEGINSWITH namePrefix`.
public struct PersonCondition: Sendable {
    public var ageBelow: Int
    /// In seconds since 1970.
    public var birthdates: Range<Int>
    public var namePrefix: String
}

/// What ``PersonQueries/young(ageBelow:)`` answers.
public struct YoungPersons: Equatable, Sendable {
    public var count: Int
    /// Nil if there are none.
    public var lastNumber: Int?

    public init(count: Int, lastNumber: Int?) {
        self.count = count
        self.lastNumber = lastNumber
    }
}

public enum IndexedNumbers {
    /// How many values one query with `IN` is given.
    public static let atOnce = 10
}

/// A sum over persons that tells orders apart.
public struct OrderedChecksum {
    public private(set) var value = 0

    public init() {}

    public mutating func add(_ name: UnsafeRawBufferPointer, _ birthdate: Int, _ age: Int) {
        combine(name, birthdate, age)
    }

    mutating func add(_ name: some Collection<UInt8>, _ birthdate: Int, _ age: Int) {
        combine(name, birthdate, age)
    }

    private mutating func combine(
        _ name: some Collection<UInt8>, _ birthdate: Int, _ age: Int
    ) {
        var sum = birthdate &+ age
        for byte in name { sum &+= Int(byte) }
        value = value &* 31 &+ sum
    }
}

/// Stores that lack a feature are never asked for it: `BenchmarkEngine.reason(against:)` says so
/// before.
extension PersonQueries {
    private func missing(_ what: String) -> BenchmarkError {
        BenchmarkError(.internalError, "A store was asked for \(what), which its engine lacks.")
    }

    public func person(indexedNumber number: Int) throws -> (birthdate: Int, age: Int)? {
        throw missing("an index of numbers")
    }

    public func person(typedNumber number: Int) throws -> (birthdate: Int, age: Int)? {
        throw missing("typed queries")
    }

    public func sum(indexedNumbers numbers: [Int]) throws -> Int {
        throw missing("an index of numbers")
    }

    public func sum(indexedNumbersIn range: ClosedRange<Int>) throws -> Int {
        throw missing("an index of numbers")
    }

    public func followYoung(ageBelow limit: Int) throws -> () throws -> YoungPersons {
        throw missing("live results")
    }
}
