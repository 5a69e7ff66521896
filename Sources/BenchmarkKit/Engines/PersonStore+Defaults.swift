import ToolSupport

// A store has to insert persons, to visit all of them, and to tell its size. The rest has defaults.

/// Answers by visiting every person. They give what an engine does that cannot answer by itself; a
/// store replaces those that its engine answers in a better way.
extension PersonStore {
    /// Returns how many persons match.
    public func countByScanning(
        where matches: (_ name: String, _ birthdate: Int, _ age: Int) -> Bool
    ) throws -> Int {
        var count = 0
        try forEach { if matches($0, $1, $2) { count += 1 } }
        return count
    }

    public func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        // The name of a person with an integer key is the number.
        try person(name: String(number))
    }

    public func person(name: String) throws -> (birthdate: Int, age: Int)? {
        var found: (birthdate: Int, age: Int)?
        try forEach { if $0 == name { found = ($1, $2) } }
        return found
    }

    public func count(ageBelow limit: Int) throws -> Int {
        try countByScanning { $2 < limit }
    }

    public func count(namePrefix: String) throws -> Int {
        try countByScanning { name, _, _ in name.utf8.starts(with: namePrefix.utf8) }
    }

    public func count(birthdateIn range: Range<Int>) throws -> Int {
        try countByScanning { _, birthdate, _ in range.contains(birthdate) }
    }

    public func count(nameContaining text: String) throws -> Int {
        let sought = Array(text.utf8)
        return try countByScanning { name, _, _ in
            let name = Array(name.utf8)
            return name.indices.contains { name[$0...].starts(with: sought) }
        }
    }

    public func count(where condition: PersonCondition) throws -> Int {
        try countByScanning { name, birthdate, age in
            age < condition.ageBelow && condition.birthdates.contains(birthdate)
                || name.utf8.starts(with: condition.namePrefix.utf8)
        }
    }

    public func sumOfAges() throws -> Int {
        var sum = 0
        try forEach { sum += $2 }
        return sum
    }

    public func rangeOfAges() throws -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        try forEach { _, _, age in
            let found = range ?? age...age
            range = min(found.lowerBound, age)...max(found.upperBound, age)
        }
        return range
    }

    public func averageAge() throws -> Double? {
        let count = try countByScanning { _, _, _ in true }
        return count == 0 ? nil : Double(try sumOfAges()) / Double(count)
    }

    public func groupsByAge() throws -> [AgeGroup] {
        var groups = AgeGroups()
        try forEach { groups.add(age: $2, birthdate: $1) }
        return groups.inOrder
    }

    public func names(sortedByAge count: Int) throws -> [String] {
        var first = FirstByAge(count: count)
        try forEach { name, _, age in first.offer(age: age, name: name.utf8) }
        return first.names
    }

    public func namesInOrder(first count: Int) throws -> [String] {
        // With equal ages the order is that of the names.
        var first = FirstByAge(count: count)
        try forEach { name, _, _ in first.offer(age: 0, name: name.utf8) }
        return first.names
    }

    public func checksum() throws -> Int { try checksum(ageBelow: .max) }

    public func checksum(ageBelow limit: Int) throws -> Int {
        var sum = 0
        try forEach { name, birthdate, age in
            if age < limit { sum &+= name.byteSum &+ birthdate &+ age }
        }
        return sum
    }

    public func checksumFromOldest() throws -> Int {
        var persons: [(name: [UInt8], birthdate: Int, age: Int)] = []
        try forEach { persons.append((Array($0.utf8), $1, $2)) }
        persons.sort {
            $0.birthdate != $1.birthdate
                ? $0.birthdate < $1.birthdate : $0.name.lexicographicallyPrecedes($1.name)
        }
        var checksum = OrderedChecksum()
        for person in persons { checksum.add(person.name, person.birthdate, person.age) }
        return checksum.value
    }

    public func young(ageBelow limit: Int) throws -> YoungPersons {
        var young = YoungPersons(count: 0, lastNumber: nil)
        try forEach { name, _, age in
            guard age < limit else { return }
            young.count += 1
            // The name of a person with an integer key is the number.
            if let number = Int(name) { young.lastNumber = max(young.lastNumber ?? number, number) }
        }
        return young
    }
}

/// What a store reports if its engine reports nothing.
extension PersonStore {
    public var lastCommit: CommitCost? { nil }

    public func problems() throws -> [String] { [] }
}

/// Operations of features that an engine may lack. They are never called, since workloads check
/// `BenchmarkEngine.reason(against:)` first.
extension PersonStore {
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

    public func setAges(below limit: Int, to age: Int) throws { throw missing("updates") }
    public func updateAllAges(adding: Int) throws { throw missing("updates") }
    public func updateAge(number: Int, to age: Int) throws { throw missing("updates") }
    public func delete(numbers: [Int]) throws { throw missing("deletes") }
    public func deleteOddAges() throws { throw missing("deletes") }
    public func copy(to path: String) throws { throw missing("copies") }
    public func refresh() throws { throw missing("versions") }

    public func setAges(of numbers: Range<Int>, to age: Int) throws { throw missing("updates") }
    public func observe(
        _ matter: ObservedMatter, at place: ObserverPlace, _ observers: [PersonObserver]
    ) throws -> any PersonObservation { throw missing("observers") }

    public func pin() throws { throw missing("versions") }
}
