/// The order of objects by a packed number, collected by a scan of the table.
///
/// If a number and a key fit one word, as far as the leaves' directories tell, each object is one
/// word: its number above its key, both less the least one. Words are sorted without looking at
/// anything else, and take 16 bytes an object. Otherwise each object is an entry, and sorting takes
/// 32 bytes an object. Directories bound whole numbers that take up to 32 bits in each leaf, such
/// as dates in seconds; numbers with fractions do not fit.
///
/// Two threads sort many objects: see ``BucketSort``.
struct NumberOrder {
    private let column: Int
    private let isAscending: Bool
    private let layout: WordLayout?
    private var words: [UInt64] = []
    private var entries: [NumberEntry] = []
    private let sharing: WorthSharing

    /// - Parameters:
    ///   - layout: the layout for the same column and direction; nil to sort entries.
    ///   - count: the number of objects that will be appended, or less.
    ///   - sharing: whether two threads sort.
    init(
        _ column: Int, ascending: Bool, layout: WordLayout?, reserving count: Int,
        sharing: WorthSharing = WorthSharing()
    ) {
        self.column = column
        isAscending = ascending
        self.layout = layout
        self.sharing = sharing
        if layout != nil { words.reserveCapacity(count) } else { entries.reserveCapacity(count) }
    }

    private var count: Int { layout == nil ? entries.count : words.count }

    /// Appends the selected objects of a leaf. Their keys are greater than all before, and none of
    /// their numbers is null.
    mutating func append(
        _ rows: borrowing RowMask, of scan: borrowing LeafScan
    ) throws(StorageError) {
        guard let layout else {
            return try scan.forEachNumber(column, ascending: isAscending, in: rows) {
                entries.append($0)
            }
        }
        let leaf = scan.leaf
        guard let (node, position) = try scan.table.column(column, of: leaf) else {
            let value = scan.table.cluster.columns[column].defaultScalar
            let number = value.wholeNumber ?? 0
            rows.forEachRow { words.append(layout.word(number, leaf.objectKey($0))) }
            return
        }
        let (packed, selection) = (PackedColumn(node, position), UnsafePointer(rows.words))
        let first = words.count
        words.append(contentsOf: repeatElement(0, count: rows.count))
        let end = words.withUnsafeMutableBufferPointer {
            layout.write(packed, selection, of: leaf, to: $0, from: first)
        }
        // In a file made to harm, further rows may be null.
        words.removeLast(words.count - end)
    }

    /// Sorts the objects, and returns their keys and those of objects without a number, which come
    /// first in ascending order and last in descending order. Objects of equal numbers come in the
    /// order of their keys; if `findsEqual`, returns their positions, group by group in any order.
    mutating func sort(
        withNulls nulls: [ObjectKey], findsEqual: Bool
    ) -> (keys: [ObjectKey], equal: [Range<Int>]) {
        let total = nulls.count + count
        if total == 0 { return ([], []) }
        let (firstNull, first) = isAscending ? (0, nulls.count) : (count, 0)
        var equal: [Range<Int>] = []
        let keys = [ObjectKey](unsafeUninitializedCapacity: total) { keys, written in
            let start = keys.baseAddress.unsafelyUnwrapped
            for (index, key) in nulls.enumerated() {
                (start + firstNull + index).initialize(to: key)
            }
            let memory = SortedKeys(start: start, first: first, findsEqual: findsEqual)
            equal = sort(into: memory)
            written = total
        }
        if findsEqual, nulls.count > 1 { equal.append(firstNull..<firstNull + nulls.count) }
        return (keys, equal)
    }

    /// The most words for which comparing is faster than a radix sort.
    private static let fewWords = 256

    private mutating func sort(into keys: SortedKeys) -> [Range<Int>] {
        // Places in a bucket are numbers of 32 bits.
        let isSplit = sharing.isWorth(.sort, rows: count) && count <= UInt32.max
        guard let layout else {
            if isSplit { return keys.sort(&entries, as: NumberEntryForm(), byBits: 0..<64) }
            entries.sortByRank(ranksDecide: true)
            return keys.write(entries, as: NumberEntryForm())
        }
        let bits = Int(layout.keyBits)..<Int(layout.keyBits + layout.numberBits)
        if isSplit { return keys.sort(&words, as: layout, byBits: bits) }
        if words.count > Self.fewWords { words.sortStably(byBits: bits) } else { words.sort() }
        return keys.write(words, as: layout)
    }
}

/// The memory for the keys of sorted objects.
// Unchecked because of the pointer: each bucket is written to a place of its own.
private struct SortedKeys: @unchecked Sendable {
    let start: UnsafeMutablePointer<ObjectKey>
    /// The position of the first object with a number.
    let first: Int
    /// Whether the positions of objects with equal numbers are asked for.
    let findsEqual: Bool

    /// Writes the keys of sorted entries, and returns the positions of equal numbers.
    func write<Form: NumberForm>(_ entries: [Form.Entry], as form: Form) -> [Range<Int>] {
        entries.withUnsafeBufferPointer {
            var equal: [Range<Int>] = []
            if form.write($0, to: start + first), findsEqual {
                form.findEqual(in: $0, from: first, addingTo: &equal)
            }
            return equal
        }
    }

    /// Sorts entries by two threads, and does the same.
    func sort<Form: NumberForm>(
        _ entries: inout [Form.Entry], as form: Form, byBits bits: Range<Int>
    ) -> [Range<Int>] {
        let equal = Locked<[Range<Int>]>([])
        BucketSort.forEachBucket(of: &entries, byBits: bits) { bucket, place in
            guard form.write(bucket, to: start + first + place), findsEqual else { return }
            equal.withLock { form.findEqual(in: bucket, from: first + place, addingTo: &$0) }
        }
        return equal.withLock { $0 }
    }
}

/// How entries hold the numbers and the keys of objects.
private protocol NumberForm: Sendable {
    associatedtype Entry: RankedEntry & Sendable

    /// A word that is equal for entries of equal numbers, and for no others.
    func number(_ entry: Entry) -> UInt64
    func key(_ entry: Entry) -> ObjectKey
}

extension NumberForm {
    /// Writes the keys of sorted entries. Returns whether some of their numbers are equal.
    @inline(__always)
    fileprivate func write(
        _ entries: UnsafeBufferPointer<Entry>, to keys: UnsafeMutablePointer<ObjectKey>
    ) -> Bool {
        var hasEqual = false
        var before = entries.first.map { ~number($0) } ?? 0
        for index in entries.indices {
            (keys + index).initialize(to: key(entries[index]))
            let number = number(entries[index])
            if number == before { hasEqual = true }
            before = number
        }
        return hasEqual
    }

    /// Appends the positions of several sorted entries with equal numbers.
    fileprivate func findEqual(
        in entries: UnsafeBufferPointer<Entry>, from start: Int,
        addingTo found: inout [Range<Int>]
    ) {
        var first = 0
        while first < entries.count {
            var end = first + 1
            while end < entries.count, number(entries[end]) == number(entries[first]) { end += 1 }
            if end - first > 1 { found.append(start + first..<start + end) }
            first = end
        }
    }
}

/// The form of entries of a number and a key.
private struct NumberEntryForm: NumberForm {
    @inline(__always) func number(_ entry: NumberEntry) -> UInt64 { entry.rank }
    @inline(__always) func key(_ entry: NumberEntry) -> ObjectKey { entry.key }
}

/// How the numbers of a column and the keys of their objects are put into single words.
struct WordLayout {
    let keyBits: UInt64
    let numberBits: UInt64
    private let leastKey: Int64
    private let least: Int64
    /// The greatest number less the least one.
    private let span: UInt64
    private let ascending: Bool

    /// Nil if a word has no room, or the directories do not tell.
    ///
    /// - Throws: `.damaged`.
    init?(_ column: Int, of table: Table, ascending: Bool) throws(StorageError) {
        self.ascending = ascending
        let count = try table.count()
        guard count > 0 else { return nil }
        leastKey = try table.key(at: 0).rawValue
        let lastKey = try table.key(at: count - 1).rawValue
        keyBits = Self.bits(UInt64(bitPattern: lastKey &- leastKey))
        guard let bounds = try Self.bounds(table, column) else { return nil }
        least = bounds.lowerBound
        span = UInt64(bitPattern: bounds.upperBound &- least)
        numberBits = Self.bits(span)
        guard lastKey >= leastKey, keyBits + numberBits <= UInt64.bitWidth else { return nil }
    }

    /// The bounds of all numbers according to the directories; nil if some have fractions or 64
    /// bits.
    private static func bounds(
        _ table: Table, _ column: Int
    ) throws(StorageError) -> ClosedRange<Int64>? {
        var (least, greatest) = (Int64.max, Int64.min)
        var scan = try LeafScan(table, keepsLeaves: false)
        while try scan.next() {
            guard let bounds = scan.bounds(ofWholeNumbers: column) else { return nil }
            least = min(least, bounds.lowerBound)
            greatest = max(greatest, bounds.upperBound)
        }
        return least <= greatest ? least...greatest : nil
    }

    /// The number of bits that hold every number up to one.
    private static func bits(_ number: UInt64) -> UInt64 {
        UInt64(UInt64.bitWidth - number.leadingZeroBitCount)
    }

    @inline(__always)
    func word(_ number: Int64, _ key: ObjectKey) -> UInt64 {
        let distance = UInt64(bitPattern: number &- least)
        let key = UInt64(bitPattern: key.rawValue &- leastKey)
        // Where keys take all bits, all numbers are the least one.
        return (ascending ? distance : span &- distance) &<< keyBits | key
    }

    /// Writes the words of the selected rows of a leaf, and returns the position behind the last.
    func write(
        _ numbers: PackedColumn, _ selection: UnsafePointer<UInt64>, of leaf: Node,
        to words: UnsafeMutableBufferPointer<UInt64>, from start: Int
    ) -> Int {
        var end = start
        if leaf.keyColumn < 0 {
            let low = leaf.lowKey
            numbers.forEach(selection) { row, number in
                words[end] = word(number, ObjectKey(rawValue: low &+ Int64(row)))
                end &+= 1
            }
        } else {
            numbers.forEach(selection) { row, number in
                words[end] = word(number, leaf.objectKey(row))
                end &+= 1
            }
        }
        return end
    }

    @inline(__always)
    func key(_ word: UInt64) -> ObjectKey {
        let distance = word & (UInt64(1) << keyBits &- 1)
        return ObjectKey(rawValue: leastKey &+ Int64(bitPattern: distance))
    }
}

extension WordLayout: NumberForm {
    @inline(__always)
    fileprivate func number(_ word: UInt64) -> UInt64 { word >> keyBits }
}

extension Scalar {
    /// A whole number that is stored as an integer, also in columns of floating point.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .integer(let number): number
        case .double(let number): Int64(exactly: number)
        case .float(let number): Int64(exactly: number)
        case .null, .bytes, .fixed16, .fixed12: nil
        }
    }
}

extension LeafScan {
    private static let greatestWhole: Int64 = 1 << 53

    /// The bounds of a column's numbers in this leaf according to its directory, without nulls; nil
    /// if they have fractions or 64 bits.
    fileprivate func bounds(ofWholeNumbers column: Int) -> ClosedRange<Int64>? {
        let position = leaf.columnIndex(ofID: table.columnID(column), expected: column)
        guard position >= 0 else {
            return table.cluster.columns[column].defaultScalar.wholeNumber.map { $0...$0 }
        }
        let zone = PackedZone(leaf, position)
        if zone.holdsImages || zone.width == 64 { return nil }
        let (high, overflow) = zone.base.addingReportingOverflow(Int64(zone.largest))
        if overflow { return nil }
        // Doubles have all whole numbers in this range only. A hostile file may claim others.
        let exact = -Self.greatestWhole...Self.greatestWhole
        let isExact = exact.contains(zone.base) && exact.contains(high)
        return table.checks[column].kind == .integer || isExact ? zone.base...high : nil
    }
}
