import StorageEngine
import ToolSupport

/// Queries on tables: scans of one column, query plans for several columns, and the engine's
/// sorting.
extension RealmTablePersonStore {
    // MARK: Scans

    func rangeOfAges() throws -> ClosedRange<Int>? {
        guard case .integer(let least)? = try table.minimum(age),
            case .integer(let greatest)? = try table.maximum(age)
        else { return nil }
        return Int(least)...Int(greatest)
    }

    func averageAge() throws -> Double? { try table.average(age) }

    func groupsByAge() throws -> [AgeGroup] {
        let everyone = try QueryPlan(table, .constant(true))
        return try everyone.groups(by: age, of: [birthdate]).compactMap { group in
            guard case .integer(let age) = group.key,
                case .double(let latest)? = group.summary(at: 0).maximum
            else { return nil }
            return AgeGroup(
                age: Int(age), count: group.count,
                latestBirthdate: Int(latest) + Self.referenceDate)
        }
    }

    func count(nameContaining text: String) throws -> Int {
        var text = text
        let contains = try text.withUTF8 {
            try table.predicate(name, .contains(UnsafeRawBufferPointer($0)))
        }
        return try table.count(where: contains)
    }

    func count(where condition: PersonCondition) throws -> Int {
        let birthdates = ValueTest.range(
            from: .double(Self.stored(condition.birthdates.lowerBound)),
            to: .double(Self.stored(condition.birthdates.upperBound)), includesLast: false)
        let plan = try QueryPlan(
            table,
            .or([
                .and([
                    .value(column: age, .compare(.less, .integer(Int64(condition.ageBelow)))),
                    .value(column: birthdate, birthdates),
                ]),
                .value(column: name, .hasPrefix(Array(condition.namePrefix.utf8))),
            ]))
        return try plan.count()
    }

    /// Visits the leaves that contain persons younger than `limit`, with the matching rows of each.
    private func forEachLeaf(
        ageBelow limit: Int,
        _ body: (_ rows: borrowing RowMask, _ scan: borrowing LeafScan) throws -> Void
    ) throws {
        let isBelow = try table.predicate(age, .compare(.less, .integer(Int64(limit))))
        var rows = RowMask()
        var scan = try LeafScan(table, keepsLeaves: false)
        while try scan.next() {
            try scan.match(isBelow, into: &rows)
            if !rows.isEmpty { try body(rows, scan) }
        }
    }

    func checksum(ageBelow limit: Int) throws -> Int {
        var sum = 0
        try forEachLeaf(ageBelow: limit) { rows, scan in
            let leaf = scan.leaf
            let (nameNode, names) = try column(name, of: leaf)
            let (dateNode, dates) = try column(birthdate, of: leaf)
            let (ageNode, ages) = try column(age, of: leaf)
            try rows.forEachRow { row in
                for byte in try nameBytes(nameNode, names, row, of: leaf) { sum &+= Int(byte) }
                sum &+= Int(dateNode.double(dates, row)) + Self.referenceDate
                sum &+= Int(ageNode.integer(ages, row))
            }
        }
        return sum
    }

    func young(ageBelow limit: Int) throws -> YoungPersons {
        var count = 0
        var last: ObjectKey?
        try forEachLeaf(ageBelow: limit) { rows, scan in
            count += rows.count
            rows.forEachRow { last = scan.key($0) }
        }
        let number = try last.map { try integer(0, of: $0) }
        return YoungPersons(count: count, lastNumber: number)
    }

    // MARK: Sorting

    func namesInOrder(first count: Int) throws -> [String] {
        var names: [String] = []
        for key in try table.firstKeys(count, sortedBy: name) {
            try withPerson(key) { name, _, _ in
                names.append(String(decoding: name, as: UTF8.self))
            }
        }
        return names
    }

    func checksumFromOldest() throws -> Int {
        let everybody = try QueryPlan(table, .constant(true))
        let order = [QueryOrder(column: birthdate), QueryOrder(column: name)]
        var checksum = OrderedChecksum()
        try table.forEachRow(of: QuerySorter(table, order).sorted(everybody)) {
            key, location throws(StorageError) in
            try withPerson(key, at: location) { checksum.add($0, $1, $2) }
            return true
        }
        return checksum.value
    }

    // MARK: One object

    private func missingPerson(_ key: ObjectKey) -> StorageError {
        connection.incomplete(
            "The object \(key.rawValue) of '\(table.definition.name)' is gone.")
    }

    private func integer(_ column: Int, of key: ObjectKey) throws -> Int {
        guard let location = try table.location(of: key),
            case .integer(let value) = try table.value(column, at: location)
        else { throw missingPerson(key) }
        return Int(value)
    }

    private func withPerson(
        _ key: ObjectKey,
        _ body: (_ name: UnsafeRawBufferPointer, _ birthdate: Int, _ age: Int) -> Void
    ) throws(StorageError) {
        guard let location = try table.location(of: key) else { throw missingPerson(key) }
        try withPerson(key, at: location, body)
    }

    private func withPerson(
        _ key: ObjectKey, at location: RowLocation,
        _ body: (_ name: UnsafeRawBufferPointer, _ birthdate: Int, _ age: Int) -> Void
    ) throws(StorageError) {
        guard case .bytes(let name) = try table.value(name, at: location),
            case .double(let date) = try table.value(birthdate, at: location),
            case .integer(let age) = try table.value(age, at: location)
        else { throw missingPerson(key) }
        body(name, Int(date) + Self.referenceDate, Int(age))
    }

    // MARK: Indexed lookups

    private func indexOfNumbers() throws -> ColumnIndex {
        guard layout == .indexedNumber, let index = table.index(of: 0) else {
            throw BenchmarkError(
                .internalError, "The numbers of '\(table.definition.name)' have no index.")
        }
        return index
    }

    func person(indexedNumber number: Int) throws -> (birthdate: Int, age: Int)? {
        var found: (birthdate: Int, age: Int)?
        try forEachPerson(.compare(.equal, .integer(Int64(number)))) { found = $0 }
        return found
    }

    func sum(indexedNumbers numbers: [Int]) throws -> Int {
        var sum = 0
        for number in numbers {
            try forEachPerson(.compare(.equal, .integer(Int64(number)))) {
                sum &+= $0.birthdate &+ $0.age
            }
        }
        return sum
    }

    func sum(indexedNumbersIn range: ClosedRange<Int>) throws -> Int {
        var sum = 0
        let isInRange = ColumnTest.between(
            .integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound)))
        try forEachPerson(isInRange) { sum &+= $0.birthdate &+ $0.age }
        return sum
    }

    /// Visits the persons whose number passes a test that the index can answer.
    private func forEachPerson(
        _ test: ColumnTest, _ body: ((birthdate: Int, age: Int)) -> Void
    ) throws {
        let index = try indexOfNumbers()
        guard let positions = try index.positions(where: test) else { return }
        try index.forEachKey(in: positions) { key throws(StorageError) in
            if let person = try person(key) { body(person) }
            return true
        }
    }

    // MARK: Updates

    func setAges(below limit: Int, to age: Int) throws {
        try write {
            var young: [ObjectKey] = []
            try forEachLeaf(ageBelow: limit) { rows, scan in
                rows.forEachRow { young.append(scan.key($0)) }
            }
            for key in young { try table.set(self.age, of: key, to: .integer(Int64(age))) }
        }
    }
}
