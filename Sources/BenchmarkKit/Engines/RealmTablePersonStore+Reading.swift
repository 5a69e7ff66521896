import Glibc
import StorageEngine

/// Reading: leaf by leaf, from the packed columns.
///
/// The columns are not optional, so that no value is null.
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

    private func person(_ key: ObjectKey) throws -> (birthdate: Int, age: Int)? {
        guard let location = try table.location(of: key),
            case .double(let date) = try table.value(birthdate, at: location),
            case .integer(let age) = try table.value(age, at: location)
        else { return nil }
        return (Int(date) + Self.referenceDate, Int(age))
    }

    // MARK: Leaves

    /// The node that holds a column of a leaf, and the column's position in it.
    func column(_ column: Int, of leaf: Node) throws -> (node: Node, column: Int) {
        guard let found = try table.column(column, of: leaf) else {
            // Columns are created with their table.
            throw BenchmarkError(
                .caseFailed, "A leaf of '\(table.definition.name)' lacks a column.")
        }
        return found
    }

    /// Adds up what `body` says of each leaf.
    private func sumOverLeaves(_ body: (Node) throws -> Int) throws -> Int {
        var sum = 0
        try table.forEachLeaf { leaf, _ in
            sum &+= try body(leaf)
            return true
        }
        return sum
    }

    func count(ageBelow limit: Int) throws -> Int {
        try sumOverLeaves { leaf in
            let (node, ages) = try column(age, of: leaf)
            return Self.count(node, ages, leaf.rowCount, in: Int64.min..<Int64(limit))
        }
    }

    /// Dates are whole seconds, which a column of dates stores as integers.
    func count(birthdateIn range: Range<Int>) throws -> Int {
        let bounds =
            Int64(range.lowerBound - Self.referenceDate)
            ..< Int64(range.upperBound - Self.referenceDate)
        return try sumOverLeaves { leaf in
            let (node, dates) = try column(birthdate, of: leaf)
            if node.isWhole(dates) { return Self.count(node, dates, leaf.rowCount, in: bounds) }
            var count = 0
            for row in 0..<leaf.rowCount {
                let date = node.double(dates, row)
                if date >= Double(bounds.lowerBound), date < Double(bounds.upperBound) {
                    count += 1
                }
            }
            return count
        }
    }

    /// How many of the first `rows` numbers of a packed column are in a range.
    private static func count(_ node: Node, _ column: Int, _ rows: Int, in range: Range<Int64>)
        -> Int
    {
        let packed = node.packedData(column)
        if packed.width == 8 || packed.width == 32 {
            // Against the base of the column, and cut to what its width can hold.
            let largest: Int64 = packed.width == 8 ? 0xFF : 0xFFFF_FFFF
            let low = max(0, range.lowerBound.subtractingSaturated(packed.base))
            let high = min(largest + 1, range.upperBound.subtractingSaturated(packed.base))
            if low >= high { return 0 }
            let span = high - low - 1
            return packed.width == 8
                ? count(packed.data, rows, from: UInt8(low), span: UInt8(span))
                : count(packed.data, rows, from: UInt32(low), span: UInt32(span))
        }
        var count = 0
        for row in 0..<rows {
            count &+= range.contains(node.integer(column, row)) ? 1 : 0
        }
        return count
    }

    /// How many values are in `low...(low + span)`: without a branch, and in blocks whose count
    /// fits the values' own type, so that whole vectors of them are compared and added at once.
    @inline(__always)
    private static func count<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ rows: Int, from low: T, span: T
    ) -> Int {
        let block = 128
        var count = 0
        var start = 0
        while start < rows {
            let end = min(rows, start + block)
            var inBlock: T = 0
            for row in start..<end {
                let value = data.loadUnaligned(
                    fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
                // The bits of the comparison: a choice between 1 and 0 would become a branch.
                let isInside = unsafeBitCast(value &- low <= span, to: UInt8.self)
                inBlock &+= T(truncatingIfNeeded: isInside)
            }
            count += Int(inBlock)
            start = end
        }
        return count
    }

    func count(namePrefix prefix: String) throws -> Int {
        let prefix = Array(prefix.utf8)
        return try prefix.withUnsafeBytes { prefix in
            try sumOverLeaves { leaf in
                let (node, names) = try column(name, of: leaf)
                var count = 0
                for row in 0..<leaf.rowCount {
                    let bytes = try nameBytes(node, names, row, of: leaf)
                    guard bytes.count >= prefix.count else { continue }
                    // Most names differ in the first byte already.
                    if prefix.isEmpty
                        || bytes[0] == prefix[0]
                            && memcmp(bytes.baseAddress!, prefix.baseAddress!, prefix.count) == 0
                    { count &+= 1 }
                }
                return count
            }
        }
    }

    /// A name in place, or from the pages of its own that a long one has.
    @inline(__always)
    private func nameBytes(_ node: Node, _ column: Int, _ row: Int, of leaf: Node) throws
        -> UnsafeRawBufferPointer
    {
        guard node.isOverflow(column, row) else { return node.bytes(column, row) }
        let location = RowLocation(leaf: leaf, row: row)
        guard case .bytes(let bytes) = try table.value(name, at: location) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return bytes
    }

    func sumOfAges() throws -> Int {
        try sumOverLeaves { leaf in
            let (node, ages) = try column(age, of: leaf)
            let packed = node.packedData(ages)
            var sum = 0
            if packed.width == 8 {
                let bytes = packed.data.assumingMemoryBound(to: UInt8.self)
                var deltas: UInt32 = 0
                for row in 0..<leaf.rowCount { deltas &+= UInt32(bytes[row]) }
                sum = Int(deltas) &+ Int(packed.base) &* leaf.rowCount
            } else {
                for row in 0..<leaf.rowCount { sum &+= Int(node.integer(ages, row)) }
            }
            return sum
        }
    }

    func names(sortedByAge count: Int) throws -> [String] {
        var first = FirstByAge(count: count)
        try table.forEachLeaf { leaf, _ in
            let (ageNode, ages) = try column(age, of: leaf)
            let (nameNode, names) = try column(name, of: leaf)
            for row in 0..<leaf.rowCount {
                let age = Int(ageNode.integer(ages, row))
                if age <= first.largestAge {
                    first.offer(age: age, name: try nameBytes(nameNode, names, row, of: leaf))
                }
            }
            return true
        }
        return first.names
    }

    // MARK: Every person

    func checksum() throws -> Int {
        try sumOverLeaves { leaf in
            let (nameNode, names) = try column(name, of: leaf)
            let (dateNode, dates) = try column(birthdate, of: leaf)
            let (ageNode, ages) = try column(age, of: leaf)
            var sum = Self.referenceDate &* leaf.rowCount
            for row in 0..<leaf.rowCount {
                for byte in try nameBytes(nameNode, names, row, of: leaf) { sum &+= Int(byte) }
                sum &+= Int(dateNode.double(dates, row))
                sum &+= Int(ageNode.integer(ages, row))
            }
            return sum
        }
    }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        try table.forEachLeaf { leaf, _ in
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

extension Int64 {
    /// The difference, or the nearest number there is.
    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        if !overflow { return difference }
        return self < 0 ? .min : .max
    }
}
