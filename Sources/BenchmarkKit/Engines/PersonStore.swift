/// The table layout of persons.
public enum PersonLayout: String, Codable, Sendable {
    /// No key.
    case unkeyed
    /// The number is the primary key.
    case integerKey
    /// The name is the primary key.
    case stringKey
    /// No key, but an index on the age.
    case indexed
    /// No key, but an index on the number.
    case indexedNumber
}

/// The persons of a database. A store belongs to the thread that opened it. A method that writes is
/// one transaction and returns once that has the requested durability.
///
/// Reads may keep seeing the version of the first read until ``refresh()`` or until this store
/// writes. A pinned store is only read.
public protocol PersonStore: PersonQueries, PersonObserving, MeasuredStore {
    func insert(_ persons: ArraySlice<PersonValues>) throws

    // MARK: Reading

    /// Returns the birth date and age of the person with an integer key.
    func person(number: Int) throws -> (birthdate: Int, age: Int)?
    /// Returns the birth date and age of the person with a string key.
    func person(name: String) throws -> (birthdate: Int, age: Int)?
    func count(ageBelow limit: Int) throws -> Int
    func count(namePrefix: String) throws -> Int
    /// Returns how many persons were born in a range of seconds since 1970.
    func count(birthdateIn range: Range<Int>) throws -> Int
    func sumOfAges() throws -> Int
    /// Returns the names of the first persons by age, then by name (bytewise).
    func names(sortedByAge count: Int) throws -> [String]
    /// Reads all three properties of every person, in any order.
    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws
    /// Returns the wrapping sum of the bytes of the name, the birth date in seconds since 1970, and
    /// the age, over all persons. It reads everything without one call for each person.
    func checksum() throws -> Int

    // MARK: Updates

    /// Adds a nonnegative number to every age, modulo 100.
    func updateAllAges(adding: Int) throws
    /// Sets the age of one person with an integer key.
    func updateAge(number: Int, to age: Int) throws
    /// Deletes the persons with these integer keys.
    func delete(numbers: [Int]) throws
    /// Deletes every person whose age is odd.
    func deleteOddAges() throws

    // MARK: The file

    /// Writes a compacted copy by the means of the engine.
    func copy(to path: String) throws
    /// Returns the defects of the file's structure, one sentence each, as far as the engine can
    /// check it.
    func problems() throws -> [String]
    /// Moves to the newest version, with the commits of others, and releases older versions.
    func refresh() throws
    /// Moves to the newest version and keeps it until ``refresh()``.
    func pin() throws
}

/// Owners with lists of members.
public protocol LinkStore: AnyObject {
    /// Creates `owners` owners with `members` members each, in transactions of `batchSize` owners.
    /// Member `m` of owner `o` has the value `(o * members + m) % 1000`.
    func build(owners: Int, members: Int, batchSize: Int) throws
    /// Follows every link and returns the sum of the members' values.
    func sumOfMembers() throws -> Int
    /// Returns the number of owners of each member, summed over all members.
    func countOfOwners() throws -> Int
    /// Returns how many owners have a member with this value.
    func countOfOwners(memberValue: Int) throws -> Int
    /// Calls `body` with every link, in any order: the number of the owner in order of creation,
    /// the position in its list, and the member's value.
    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws
    func size() throws -> StoreSize
    /// Returns the defects of the file's structure, one sentence each, as far as the engine can
    /// check it.
    func problems() throws -> [String]
}
