import ToolSupport

/// Queries about many persons that the engine answers without the workload visiting each person.
/// The rules of ``PersonStore`` apply.
public protocol PersonQueries: AnyObject {
    // MARK: Queries over all persons

    /// Returns the least and the greatest age; nil without persons.
    func rangeOfAges() throws -> ClosedRange<Int>?
    /// Returns the mean age; nil without persons.
    func averageAge() throws -> Double?
    /// Returns the number of persons of each age, and the latest birth date among them, by
    /// ascending age.
    func groupsByAge() throws -> [AgeGroup]
    func count(nameContaining text: String) throws -> Int
    func count(where condition: PersonCondition) throws -> Int
    /// Returns the first names in bytewise order.
    func namesInOrder(first count: Int) throws -> [String]
    /// Reads all three properties of the persons younger than `limit`. The sum is computed as in
    /// ``PersonStore/checksum()``.
    func checksum(ageBelow limit: Int) throws -> Int
    /// Reads all three properties of every person in order of birth date, then of name (bytewise).
    /// The value is that of an ``OrderedChecksum``.
    func checksumFromOldest() throws -> Int

    // MARK: Indexed lookups

    func person(indexedNumber number: Int) throws -> (birthdate: Int, age: Int)?
    /// Returns the same with a query that the compiler type-checks.
    func person(typedNumber number: Int) throws -> (birthdate: Int, age: Int)?
    /// Reads the persons with these numbers, of which there are at most ``IndexedNumbers/atOnce``.
    /// Returns the sum of birth dates and ages.
    func sum(indexedNumbers numbers: [Int]) throws -> Int
    /// Returns the same for consecutive numbers.
    func sum(indexedNumbersIn range: ClosedRange<Int>) throws -> Int

    // MARK: Live results

    /// Returns how many persons with integer keys are younger than `limit`, and the greatest number
    /// among them.
    func young(ageBelow limit: Int) throws -> YoungPersons
    /// Returns a function with the same answer from a live result, which follows the store's
    /// changes.
    func followYoung(ageBelow limit: Int) throws -> () throws -> YoungPersons

    // MARK: Updates

    /// Sets the age of all persons younger than `limit`.
    func setAges(below limit: Int, to age: Int) throws
}

/// The condition `age < ageBelow AND birthdate IN birthdates OR name BEGINSWITH namePrefix`.
public struct PersonCondition: Sendable {
    public var ageBelow: Int
    /// The birth dates in seconds since 1970.
    public var birthdates: Range<Int>
    public var namePrefix: String
}

/// The answer of ``PersonQueries/young(ageBelow:)``.
public struct YoungPersons: Equatable, Sendable {
    public var count: Int
    /// The greatest number; nil if there are no such persons.
    public var lastNumber: Int?

    public init(count: Int, lastNumber: Int?) {
        self.count = count
        self.lastNumber = lastNumber
    }
}

public enum IndexedNumbers {
    /// The number of values of one query with `IN`.
    public static let atOnce = 10
}

/// A checksum over persons that depends on their order.
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
