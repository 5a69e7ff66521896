/// A set of rows of one leaf, with one bit per row.
///
/// It is created once for a scan and filled again for each leaf. Memory is allocated for the first
/// leaf, and again if a later one has more rows. Sets that are combined must belong to the same
/// leaf.
///
/// ```swift
/// var young = RowMask(), named = RowMask()
/// var scan = try LeafScan(people)
/// while try scan.next() {
///     try scan.match(isYoung, into: &young)
///     try scan.match(isNamedAdam, into: &named)
///     young.formIntersection(named)
///     count += young.count
/// }
/// ```
public struct RowMask: ~Copyable {
    /// The bits behind the last row are zero.
    @usableFromInline private(set) var words: UnsafeMutablePointer<UInt64>
    private var wordCapacity: Int
    /// The number of rows of the leaf to which the set belongs.
    public private(set) var rowCount = 0

    /// The capacity for the largest leaf of a cluster tree.
    private static let usualCapacity = 8192 / 64
    /// An address without memory, for sets that are never used, such as those of plans that an
    /// index answers.
    private static var nowhere: UnsafeMutablePointer<UInt64> {
        UnsafeMutablePointer(bitPattern: MemoryLayout<UInt64>.alignment).unsafelyUnwrapped
    }

    public init() {
        wordCapacity = 0
        words = Self.nowhere
    }

    deinit { if wordCapacity > 0 { words.deallocate() } }

    @usableFromInline var wordCount: Int { (rowCount &+ 63) &>> 6 }

    /// Prepares the set for `rows` rows, whose bits must be written next.
    mutating func resize(rows: Int) {
        rowCount = rows
        guard wordCount > wordCapacity else { return }
        if wordCapacity > 0 { words.deallocate() }
        wordCapacity = max(wordCount, Self.usualCapacity)
        words = .allocate(capacity: wordCapacity)
    }

    /// Makes the set contain all `rows` rows of a leaf, or none of them.
    mutating func fill(_ isMember: Bool, rows: Int) {
        resize(rows: rows)
        words.update(repeating: isMember ? ~0 : 0, count: wordCount)
        clearBehindLastRow()
    }

    private func clearBehindLastRow() {
        if rowCount & 63 != 0 { words[wordCount - 1] &= (1 &<< UInt64(rowCount & 63)) &- 1 }
    }

    /// Makes the set equal to another.
    mutating func assign(_ other: borrowing RowMask) {
        resize(rows: other.rowCount)
        words.update(from: other.words, count: wordCount)
    }

    // MARK: Combining

    public mutating func formIntersection(_ other: borrowing RowMask) {
        precondition(other.rowCount == rowCount, "the sets are of different leaves")
        for i in 0..<wordCount { words[i] &= other.words[i] }
    }

    public mutating func formUnion(_ other: borrowing RowMask) {
        precondition(other.rowCount == rowCount, "the sets are of different leaves")
        for i in 0..<wordCount { words[i] |= other.words[i] }
    }

    public mutating func subtract(_ other: borrowing RowMask) {
        precondition(other.rowCount == rowCount, "the sets are of different leaves")
        for i in 0..<wordCount { words[i] &= ~other.words[i] }
    }

    /// Replaces the set by all rows that were not members, including those whose value is null.
    public mutating func formComplement() {
        for i in 0..<wordCount { words[i] = ~words[i] }
        clearBehindLastRow()
    }

    /// Removes the rows that a null bitmap names; nil names none.
    mutating func subtract(nulls: UnsafePointer<UInt64>?) {
        guard let nulls else { return }
        for i in 0..<wordCount { words[i] &= ~nulls[i] }
    }

    /// Keeps only the rows that a null bitmap names; nil names none.
    mutating func formIntersection(nulls: UnsafePointer<UInt64>?) {
        for i in 0..<wordCount { words[i] &= nulls?[i] ?? 0 }
    }

    // MARK: Members

    public var count: Int { ColumnKernels.best.table.pointee.count_bits(words, wordCount) }

    public var isEmpty: Bool {
        for i in 0..<wordCount where words[i] != 0 { return false }
        return true
    }

    @inlinable
    public func contains(_ row: Int) -> Bool {
        precondition(row >= 0 && row < rowCount, "row out of range")
        return words[row &>> 6] &>> UInt64(row & 63) & 1 != 0
    }

    mutating func insert(_ row: Int) {
        precondition(row >= 0 && row < rowCount, "row out of range")
        words[row >> 6] |= 1 << UInt64(row & 63)
    }

    /// Inserts a range of rows.
    mutating func insert(_ rows: Range<Int>) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= rowCount, "row out of range")
        if rows.isEmpty { return }
        let (first, last) = (rows.lowerBound >> 6, (rows.upperBound - 1) >> 6)
        for i in first...last {
            let low = i == first ? UInt64.max << UInt64(rows.lowerBound & 63) : .max
            let high = i == last ? UInt64.max >> UInt64(63 - (rows.upperBound - 1) & 63) : .max
            words[i] |= low & high
        }
    }

    /// Removes the members that do not satisfy a condition.
    @inline(__always)
    mutating func filter<E>(_ isIncluded: (_ row: Int) throws(E) -> Bool) throws(E) {
        for i in 0..<wordCount {
            var left = words[i]
            while left != 0 {
                let bit = left & (~left &+ 1)
                if try !isIncluded(i &* 64 &+ left.trailingZeroBitCount) { words[i] &= ~bit }
                left &= left &- 1
            }
        }
    }

    /// Visits the members in ascending order.
    @inlinable @inline(__always)
    public func forEachRow<E>(_ body: (_ row: Int) throws(E) -> Void) throws(E) {
        for i in 0..<wordCount {
            var left = words[i]
            while left != 0 {
                try body(i &* 64 &+ left.trailingZeroBitCount)
                left &= left &- 1
            }
        }
    }
}
