/// How persons are stored.
public enum PersonLayout: String, Codable, Sendable {
    /// Without a key of their own.
    case unkeyed
    /// The number is the primary key.
    case integerKey
    /// The name is the primary key.
    case stringKey
    /// Without a key, but with an index on the age.
    case indexed
    /// Without a key, but with an index on the number.
    case indexedNumber
}

/// Persons in a database. Belongs to the thread that opened it. A call that writes is one
/// transaction and returns when that is as durable as was asked for.
///
/// Reads may go on seeing the version that the first of them saw until ``refresh()`` or until this
/// store writes. A store that is pinned only reads.
public protocol PersonStore: PersonQueries {
    func insert(_ persons: ArraySlice<PersonValues>) throws
    /// What the newest commit cost; nil where the engine does not tell.
    var lastCommit: CommitCost? { get }

    // MARK: Reading

    /// Birth date and age of the person with an integer key.
    func person(number: Int) throws -> (birthdate: Int, age: Int)?
    /// The same for a string key.
    func person(name: String) throws -> (birthdate: Int, age: Int)?
    func count(ageBelow limit: Int) throws -> Int
    func count(namePrefix: String) throws -> Int
    /// Birth dates in seconds since 1970.
    func count(birthdateIn range: Range<Int>) throws -> Int
    func sumOfAges() throws -> Int
    /// Names of the first persons by age, those of one age by name (bytewise).
    func names(sortedByAge count: Int) throws -> [String]
    /// Reads all three properties of every person, in any order.
    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws
    /// The wrapping sum over all persons of every byte of the name (as a number) + birth date (in
    /// seconds since 1970) + age: what reading everything costs, without a call for each.
    func checksum() throws -> Int

    // MARK: Changing

    /// Adds a number that is not negative to every age, modulo 100.
    func updateAllAges(adding: Int) throws
    /// Sets the age of one person with an integer key.
    func updateAge(number: Int, to age: Int) throws
    /// Deletes the persons with these integer keys.
    func delete(numbers: [Int]) throws
    /// Deletes every person whose age is odd.
    func deleteOddAges() throws

    // MARK: The file

    /// A packed copy, the way the engine makes one.
    func copy(to path: String) throws
    func size() throws -> StoreSize
    /// Defects of the file's structure, in sentences, as far as the engine can check it.
    func problems() throws -> [String]
    /// Sees what others committed since, and lets go of older versions.
    func refresh() throws
    /// Keeps seeing the newest version from now on, until ``refresh()``.
    func pin() throws
}

/// Owners with lists of members.
public protocol LinkStore: AnyObject {
    /// Makes `owners` owners with `members` members each, in transactions of `batchSize` owners.
    /// Member `m` of owner `o` has the value `(o * members + m) % 1000`.
    func build(owners: Int, members: Int, batchSize: Int) throws
    /// Follows every link and adds up the members' values.
    func sumOfMembers() throws -> Int
    /// How many owners have each member, added up over all members.
    func countOfOwners() throws -> Int
    /// How many owners have a member of this value.
    func countOfOwners(memberValue: Int) throws -> Int
    /// Every link, in any order: which owner (by the order in which they were made), the position
    /// in its list, and the member's value.
    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws
    func size() throws -> StoreSize
    /// Defects of the file's structure, in sentences, as far as the engine can check it.
    func problems() throws -> [String]
}
