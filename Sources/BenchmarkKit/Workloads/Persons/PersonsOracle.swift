/// The expected contents of a file of persons, computed without a database: the persons of a seed
/// with the changes of a case. It takes one byte a person, so that ten million fit easily.
struct PersonsOracle {
    let seed: UInt64
    let names: PersonNames
    private var ages: [UInt8]
    private static let deleted = UInt8.max

    /// Creates the unchanged persons 0 ..< size.
    init(size: Int, seed: UInt64, names: PersonNames = .numbers) {
        self.seed = seed
        self.names = names
        ages = []
        ages.reserveCapacity(size)
        var generator = PersonGenerator(seed: seed)
        for _ in 0..<size { ages.append(UInt8(generator.next().age)) }
    }

    /// The number of persons, including deleted ones.
    var size: Int { ages.count }

    // MARK: Updates

    mutating func setAge(of number: Int, to age: Int) { ages[number] = UInt8(age) }

    mutating func apply(_ step: AgeingStep) {
        switch step {
        case .delete(let numbers): for number in numbers { ages[number] = Self.deleted }
        case .insert(let persons):
            for person in persons { setAge(of: person.number, to: person.age) }
        case .update(let number, let age): setAge(of: number, to: age)
        }
    }

    /// Sets the age of all persons younger than `limit`. Returns how many there were.
    mutating func setAges(below limit: Int, to age: Int) -> Int {
        var count = 0
        for number in ages.indices where ages[number] != Self.deleted && ages[number] < limit {
            ages[number] = UInt8(age)
            count += 1
        }
        return count
    }

    mutating func addToAllAges(_ difference: Int) {
        for number in ages.indices where ages[number] != Self.deleted {
            ages[number] = UInt8((Int(ages[number]) + difference) % 100)
        }
    }

    /// Deletes the persons with an odd age. Returns how many there were.
    mutating func deleteOddAges() -> Int {
        var count = 0
        for number in ages.indices where ages[number] != Self.deleted && ages[number] % 2 == 1 {
            ages[number] = Self.deleted
            count += 1
        }
        return count
    }

    // MARK: Reading

    func person(_ number: Int) -> PersonValues {
        var person = PersonValues(number: number, seed: seed, names: names)
        person.age = Int(ages[number])
        return person
    }

    /// Returns the age of a person; nil if the person was deleted.
    func age(of number: Int) -> Int? {
        ages[number] == Self.deleted ? nil : Int(ages[number])
    }

    /// Returns how many persons younger than `limit` are before one of them in the order of their
    /// numbers; nil if it is not one of them.
    func position(of number: Int, ageBelow limit: Int) -> Int? {
        let limit = UInt8(limit)
        return ages[number] < limit ? ages[..<number].count { $0 < limit } : nil
    }

    /// Returns the same for the order of their ages, and of their numbers where these are equal.
    func position(of number: Int, sortedByAgeBelow limit: Int) -> Int? {
        let age = ages[number]
        guard age < limit else { return nil }
        return ages.count { $0 < age } + ages[..<number].count { $0 == age }
    }

    func forEach(_ body: (PersonValues) -> Void) {
        var generator = PersonGenerator(seed: seed, names: names)
        for age in ages {
            var person = generator.next()
            guard age != Self.deleted else { continue }
            person.age = Int(age)
            body(person)
        }
    }

    /// Returns the number of rows of a file of these persons, and their digest.
    func contents() -> (rows: Int, digest: String) {
        var digest = ResultDigest()
        var rows = 0
        forEach {
            digest.add(ResultDigest.Row($0.name, $0.birthdate, $0.age))
            rows += 1
        }
        return (rows, digest.text)
    }

    func count(where matches: (PersonValues) -> Bool) -> Int {
        var count = 0
        forEach { count += matches($0) ? 1 : 0 }
        return count
    }

    func sumOfAges() -> Int {
        var sum = 0
        forEach { sum += $0.age }
        return sum
    }

    func names(sortedByAge count: Int) -> [String] {
        var first = FirstByAge(count: count)
        forEach { if $0.age <= first.largestAge { first.offer(age: $0.age, name: $0.name.utf8) } }
        return first.names
    }

    /// Returns the checksum of the persons that match.
    func checksum(where matches: (PersonValues) -> Bool = { _ in true }) -> Int {
        var sum = 0
        forEach { person in
            guard matches(person) else { return }
            sum &+= person.name.byteSum &+ person.birthdate &+ person.age
        }
        return sum
    }
}

extension ResultDigest.Row {
    /// Creates the row of a person, the same for every engine.
    init(_ name: String, _ birthdate: Int, _ age: Int) {
        self.init()
        combine(name.utf8)
        combine(birthdate)
        combine(age)
    }
}
