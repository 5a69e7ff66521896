import BenchmarkKit

extension SQLitePersonStore {
    // MARK: Queries over all persons

    /// Runs two statements, because SQLite uses an index for a single aggregate only.
    func rangeOfAges() throws -> ClosedRange<Int>? {
        try connection.read()
        guard try !queries.isEmpty.runForTruth() else { return nil }
        return try queries.leastAge.runForInteger()...queries.greatestAge.runForInteger()
    }

    func averageAge() throws -> Double? {
        try connection.read()
        let average = queries.averageAge
        guard try average.step() else { return nil }
        defer { average.reset() }
        return average.isNull(0) ? nil : average.double(0)
    }

    func groupsByAge() throws -> [AgeGroup] {
        try connection.read()
        var groups: [AgeGroup] = []
        let rows = queries.groups
        while try rows.step() {
            groups.append(
                AgeGroup(
                    age: rows.integer(0), count: rows.integer(1),
                    latestBirthdate: rows.integer(2)))
        }
        return groups
    }

    func count(nameContaining text: String) throws -> Int {
        try connection.read()
        let count = queries.countContaining
        return try count.withText(text, at: 1) { try count.runForInteger() }
    }

    func count(where condition: PersonCondition) throws -> Int {
        try connection.read()
        let count = queries.countCondition
        count.bind(condition.ageBelow, at: 1)
        count.bind(condition.birthdates.lowerBound, at: 2)
        count.bind(condition.birthdates.upperBound, at: 3)
        // 0xFF, which does not occur in UTF-8, is above every text.
        let end = TextRange.end(ofPrefix: condition.namePrefix) ?? [0xFF]
        return try count.withText(condition.namePrefix, at: 4) {
            try end.withUnsafeBufferPointer {
                count.bind(text: $0, at: 5)
                return try count.runForInteger()
            }
        }
    }

    func namesInOrder(first count: Int) throws -> [String] {
        try connection.read()
        var names: [String] = []
        queries.sortByName.bind(count, at: 1)
        while try queries.sortByName.step() { names.append(queries.sortByName.text(0)) }
        return names
    }

    func checksum(ageBelow limit: Int) throws -> Int {
        try connection.read()
        var sum = 0
        let young = queries.young
        young.bind(limit, at: 1)
        while try young.step() {
            for byte in young.bytes(0) { sum &+= Int(byte) }
            sum &+= young.integer(1) &+ young.integer(2)
        }
        return sum
    }

    func checksumFromOldest() throws -> Int {
        try connection.read()
        var checksum = OrderedChecksum()
        let oldest = queries.fromOldest
        while try oldest.step() {
            checksum.add(oldest.bytes(0), oldest.integer(1), oldest.integer(2))
        }
        return checksum.value
    }

    // MARK: Indexed lookups

    func person(indexedNumber number: Int) throws -> (birthdate: Int, age: Int)? {
        guard let find = queries.findIndexed else { throw missingKey("index of numbers", layout) }
        try connection.read()
        find.bind(number, at: 1)
        return try values(find)
    }

    func sum(indexedNumbers numbers: [Int]) throws -> Int {
        guard let find = queries.findTen else { throw missingKey("index of numbers", layout) }
        guard let last = numbers.last else { return 0 }
        precondition(numbers.count <= IndexedNumbers.atOnce, "more numbers than parameters")
        try connection.read()
        for position in 0..<IndexedNumbers.atOnce {
            let number = position < numbers.count ? numbers[position] : last
            find.bind(number, at: Int32(position + 1))
        }
        return try sum(find)
    }

    func sum(indexedNumbersIn range: ClosedRange<Int>) throws -> Int {
        guard let find = queries.findRange else { throw missingKey("index of numbers", layout) }
        try connection.read()
        find.bind(range.lowerBound, at: 1)
        find.bind(range.upperBound, at: 2)
        return try sum(find)
    }

    private func sum(_ find: SQLiteStatement) throws -> Int {
        var sum = 0
        while try find.step() { sum &+= find.integer(0) &+ find.integer(1) }
        return sum
    }

    // MARK: Refreshed queries

    func young(ageBelow limit: Int) throws -> YoungPersons {
        guard let young = queries.countYoung else { throw missingKey("integer key", layout) }
        try connection.read()
        young.bind(limit, at: 1)
        guard try young.step() else { return YoungPersons(count: 0, lastNumber: nil) }
        defer { young.reset() }
        return YoungPersons(
            count: young.integer(0), lastNumber: young.isNull(1) ? nil : young.integer(1))
    }

    func setAges(below limit: Int, to age: Int) throws {
        queries.setAges.bind(age, at: 1)
        queries.setAges.bind(limit, at: 2)
        try connection.write { try queries.setAges.run() }
    }

    /// Statements that are prepared once; those for numbers are nil in layouts without one.
    struct Queries {
        let isEmpty, leastAge, greatestAge, averageAge, groups: SQLiteStatement
        let countContaining, countCondition, sortByName, young, fromOldest: SQLiteStatement
        let setAges: SQLiteStatement
        let findIndexed, findTen, findRange, countYoung: SQLiteStatement?

        init(_ connection: SQLiteConnection, _ layout: PersonLayout) throws {
            let prepare = connection.prepare
            isEmpty = try prepare("SELECT NOT EXISTS (SELECT 1 FROM person)")
            leastAge = try prepare("SELECT min(age) FROM person")
            greatestAge = try prepare("SELECT max(age) FROM person")
            averageAge = try prepare("SELECT avg(age) FROM person")
            groups = try prepare(
                "SELECT age, count(*), max(birthdate) FROM person GROUP BY age ORDER BY age")
            // LIKE would ignore case.
            countContaining = try prepare("SELECT count(*) FROM person WHERE instr(name, ?1) > 0")
            countCondition = try prepare(
                """
                SELECT count(*) FROM person
                WHERE age < ?1 AND birthdate >= ?2 AND birthdate < ?3
                    OR name >= ?4 AND name < ?5
                """)
            sortByName = try prepare("SELECT name FROM person ORDER BY name LIMIT ?1")
            young = try prepare("SELECT name, birthdate, age FROM person WHERE age < ?1")
            fromOldest = try prepare(
                "SELECT name, birthdate, age FROM person ORDER BY birthdate, name")
            setAges = try prepare("UPDATE person SET age = ?1 WHERE age < ?2")
            countYoung =
                layout == .integerKey
                ? try prepare("SELECT count(*), max(number) FROM person WHERE age < ?1") : nil
            guard layout == .indexedNumber else {
                (findIndexed, findTen, findRange) = (nil, nil, nil)
                return
            }
            let parameters = (1...IndexedNumbers.atOnce).map { "?\($0)" }.joined(separator: ", ")
            let select = "SELECT birthdate, age FROM person WHERE number"
            findIndexed = try prepare("\(select) = ?1")
            findTen = try prepare("\(select) IN (\(parameters))")
            findRange = try prepare("\(select) BETWEEN ?1 AND ?2")
        }
    }
}
