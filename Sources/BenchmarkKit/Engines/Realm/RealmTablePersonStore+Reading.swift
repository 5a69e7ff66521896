import StorageEngine
import ToolSupport

/// Reads of the tables. Single columns are scanned by the engine; whole persons are read leaf by
/// leaf from the packed columns.
///
/// The columns are not optional, so no value is null.
extension RealmTablePersonStore {
    // MARK: One person

    func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        guard let key = try table.find(primaryKey: .integer(Int64(number))) else { return nil }
        return try person(key)
    }

    func person(name: String) throws -> (birthdate: Int, age: Int)? {
        var name = name
        let key = try name.withUTF8 {
            try table.find(primaryKey: .bytes(UnsafeRawBufferPointer($0)))
        }
        return try key.flatMap(person)
    }

    func person(_ key: ObjectKey) throws(StorageError) -> (birthdate: Int, age: Int)? {
        guard let location = try table.location(of: key),
            case .double(let date) = try table.value(birthdate, at: location),
            case .integer(let age) = try table.value(age, at: location)
        else { return nil }
        return (Int(date) + Self.referenceDate, Int(age))
    }

    // MARK: Leaves

    /// Returns the node that holds a column of a leaf, and the column's position in that node.
    func column(
        _ column: Int, of leaf: Node
    ) throws(StorageError) -> (node: Node, column: Int) {
        guard let found = try table.column(column, of: leaf) else {
            // Columns are created together with their table.
            throw connection.incomplete("A leaf of '\(table.definition.name)' lacks a column.")
        }
        return found
    }

    /// Returns the bytes of a name, in place or, for a long name, from its overflow pages.
    @inline(__always)
    func nameBytes(
        _ node: Node, _ column: Int, _ row: Int, of leaf: Node
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard node.isOverflow(column, row) else { return node.bytes(column, row) }
        let location = RowLocation(leaf: leaf, row: row)
        guard case .bytes(let bytes) = try table.value(name, at: location) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return bytes
    }

    // MARK: Scans

    func count(ageBelow limit: Int) throws -> Int {
        let isBelow = ColumnTest.compare(.less, .integer(Int64(limit)))
        if let found = try table.index(of: age)?.positions(where: isBelow) { return found.count }
        return try table.count(where: try table.predicate(age, isBelow))
    }

    func count(birthdateIn range: Range<Int>) throws -> Int {
        let isInRange = try table.predicate(
            birthdate,
            .range(
                from: .double(Self.stored(range.lowerBound)),
                upTo: .double(Self.stored(range.upperBound))))
        return try table.count(where: isInRange)
    }

    func count(namePrefix prefix: String) throws -> Int {
        var prefix = prefix
        let hasPrefix = try prefix.withUTF8 {
            try table.predicate(name, .hasPrefix(UnsafeRawBufferPointer($0)))
        }
        return try table.count(where: hasPrefix)
    }

    /// Returns the sum, which wraps on overflow as in all stores.
    func sumOfAges() throws -> Int { Int(truncatingIfNeeded: try table.sum(age).integer) }

    func names(sortedByAge count: Int) throws -> [String] {
        if let index = table.index(of: age) { return try names(sortedByAge: count, index) }
        var first = FirstByAge(count: count)
        var limit = Int.max
        var isCandidate = try table.predicate(age, .isNotNull)
        var candidates = RowMask()
        var scan = try LeafScan(table, keepsLeaves: false)
        while try scan.next() {
            if first.largestAge < limit {
                limit = first.largestAge
                isCandidate = try table.predicate(
                    age, .compare(.lessOrEqual, .integer(Int64(limit))))
            }
            try scan.match(isCandidate, into: &candidates)
            if candidates.isEmpty { continue }
            let leaf = scan.leaf
            let (ageNode, ages) = try column(age, of: leaf)
            let (nameNode, names) = try column(name, of: leaf)
            try candidates.forEachRow { row in
                let age = Int(ageNode.integer(ages, row))
                if age <= first.largestAge {
                    first.offer(age: age, name: try nameBytes(nameNode, names, row, of: leaf))
                }
            }
        }
        return first.names
    }

    private func names(sortedByAge count: Int, _ index: ColumnIndex) throws -> [String] {
        var first = FirstByAge(count: count)
        try index.forEachKey(in: 0..<index.count()) { key throws(StorageError) in
            guard let location = try table.location(of: key),
                case .integer(let age) = try table.value(self.age, at: location),
                case .bytes(let name) = try table.value(self.name, at: location),
                Int(age) <= first.largestAge
            else { return false }
            first.offer(age: Int(age), name: name)
            return true
        }
        return first.names
    }

    // MARK: All persons

    func checksum() throws -> Int {
        var sum = 0
        try table.forEachLeaf(keepsLeaves: false) { leaf, _ throws(StorageError) in
            let (nameNode, names) = try column(name, of: leaf)
            let (dateNode, dates) = try column(birthdate, of: leaf)
            let (ageNode, ages) = try column(age, of: leaf)
            sum &+= Self.referenceDate &* leaf.rowCount
            for row in 0..<leaf.rowCount {
                for byte in try nameBytes(nameNode, names, row, of: leaf) { sum &+= Int(byte) }
                sum &+= Int(dateNode.double(dates, row))
                sum &+= Int(ageNode.integer(ages, row))
            }
            return true
        }
        return sum
    }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        try table.forEachLeaf(keepsLeaves: false) { leaf, _ throws(StorageError) in
            let (nameNode, names) = try column(name, of: leaf)
            let (dateNode, dates) = try column(birthdate, of: leaf)
            let (ageNode, ages) = try column(age, of: leaf)
            for row in 0..<leaf.rowCount {
                let name = String(
                    decoding: try nameBytes(nameNode, names, row, of: leaf), as: UTF8.self)
                body(
                    name, Int(dateNode.double(dates, row)) + Self.referenceDate,
                    Int(ageNode.integer(ages, row)))
            }
            return true
        }
    }
}
