import BenchmarkKit

extension DuckDBPersonStore {
    // MARK: Counts and sums

    func count(ageBelow limit: Int) throws -> Int {
        try statements.countAge.bind(limit)
        return try statements.countAge.integer() ?? 0
    }

    func count(namePrefix: String) throws -> Int {
        try bind(prefix: namePrefix, of: statements.countName, at: 1)
        return try statements.countName.integer() ?? 0
    }

    /// Sets the range of the names that begin with a prefix.
    private func bind(prefix: String, of statement: DuckDBStatement, at index: Int) throws {
        // The greatest code point is above every name here, all of which are letters and digits.
        let end = TextRange.end(ofPrefix: prefix).map { String(decoding: $0, as: UTF8.self) }
        try statement.bind(prefix, at: index)
        try statement.bind(end ?? "\u{10FFFF}", at: index + 1)
    }

    func count(birthdateIn range: Range<Int>) throws -> Int {
        try statements.countDate.bind(range.lowerBound, range.upperBound)
        return try statements.countDate.integer() ?? 0
    }

    func count(nameContaining text: String) throws -> Int {
        try statements.countContaining.bind(text, at: 1)
        return try statements.countContaining.integer() ?? 0
    }

    func count(where condition: PersonCondition) throws -> Int {
        let count = statements.countCondition
        let birthdates = condition.birthdates
        try count.bind(condition.ageBelow, birthdates.lowerBound, birthdates.upperBound)
        try bind(prefix: condition.namePrefix, of: count, at: 4)
        return try count.integer() ?? 0
    }

    func sumOfAges() throws -> Int { try statements.sum.integer() ?? 0 }

    func rangeOfAges() throws -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        try statements.ages.forEachChunk { chunk in
            guard !chunk.isNull(0) else { return }
            range = Int(chunk.shortIntegers(0)[0])...Int(chunk.shortIntegers(1)[0])
        }
        return range
    }

    func averageAge() throws -> Double? {
        var average: Double?
        try statements.average.forEachChunk { if !$0.isNull(0) { average = $0.doubles(0)[0] } }
        return average
    }

    func groupsByAge() throws -> [AgeGroup] {
        var groups: [AgeGroup] = []
        try statements.groups.forEachChunk { chunk in
            let (ages, counts) = (chunk.shortIntegers(0), chunk.integers(1))
            let birthdates = chunk.integers(2)
            for row in 0..<chunk.rows {
                groups.append(
                    AgeGroup(
                        age: Int(ages[row]), count: counts[row], latestBirthdate: birthdates[row]))
            }
        }
        return groups
    }

    func young(ageBelow limit: Int) throws -> YoungPersons {
        guard let young = statements.countYoung else { throw missingKey("integer key", layout) }
        try young.bind(limit)
        var found = YoungPersons(count: 0, lastNumber: nil)
        try young.forEachChunk {
            found.count = $0.integers(0)[0]
            if !$0.isNull(1) { found.lastNumber = $0.integers(1)[0] }
        }
        return found
    }

    // MARK: Orders

    func names(sortedByAge count: Int) throws -> [String] { try names(statements.sort, count) }

    func namesInOrder(first count: Int) throws -> [String] {
        try names(statements.sortByName, count)
    }

    private func names(_ sort: DuckDBStatement, _ count: Int) throws -> [String] {
        try sort.bind(count)
        var names: [String] = []
        try sort.forEachChunk { chunk in
            let texts = chunk.texts(0)
            for row in texts.indices { names.append(texts.string(row)) }
        }
        return names
    }

    // MARK: All values

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        try forEachBytes(statements.all) { body(String(decoding: $0, as: UTF8.self), $1, $2) }
    }

    func checksum() throws -> Int { try checksum(statements.all) }

    func checksum(ageBelow limit: Int) throws -> Int {
        try statements.young.bind(limit)
        return try checksum(statements.young)
    }

    private func checksum(_ statement: DuckDBStatement) throws -> Int {
        var sum = 0
        try forEachBytes(statement) { name, birthdate, age in
            for byte in name { sum &+= Int(byte) }
            sum &+= birthdate &+ age
        }
        return sum
    }

    func checksumFromOldest() throws -> Int {
        var checksum = OrderedChecksum()
        try forEachBytes(statements.fromOldest) { checksum.add($0, $1, $2) }
        return checksum.value
    }

    @inline(__always)
    private func forEachBytes(
        _ statement: DuckDBStatement,
        _ body: (_ name: UnsafeRawBufferPointer, _ birthdate: Int, _ age: Int) -> Void
    ) throws {
        try statement.forEachChunk { chunk in
            let (names, birthdates) = (chunk.texts(0), chunk.integers(1))
            let ages = chunk.shortIntegers(2)
            for row in 0..<chunk.rows {
                names.withBytes(row) { body($0, birthdates[row], Int(ages[row])) }
            }
        }
    }
}
