/// The order of objects by a packed number, collected by a scan of the table.
///
/// If a number and a key fit one word, as far as the leaves' directories tell, each object is one
/// word: its number above its key, both less the least one. Words are sorted without looking at
/// anything else, and take 16 bytes an object. Otherwise each object is an entry, and sorting takes
/// 32 bytes an object. Directories bound whole numbers that take up to 32 bits in each leaf, such
/// as dates in seconds; numbers with fractions do not fit.
struct NumberOrder {
    private let layout: WordLayout?
    private var words: [UInt64] = []
    private var entries: [NumberEntry] = []

    /// - Parameter count: the number of objects that will be appended, or less.
    init(_ layout: WordLayout?, reserving count: Int) {
        self.layout = layout
        if layout != nil { words.reserveCapacity(count) } else { entries.reserveCapacity(count) }
    }

    /// The most words for which comparing is faster than a radix sort.
    private static let fewWords = 256

    var count: Int { layout == nil ? entries.count : words.count }

    /// Appends an object whose key is greater than all before.
    @inline(__always)
    mutating func append(_ entry: NumberEntry) {
        if let layout { words.append(layout.word(entry)) } else { entries.append(entry) }
    }

    /// Visits the objects in order. Objects of equal numbers have equal ranks, and come in the
    /// order of their keys.
    @inline(__always)
    consuming func forEach(_ body: (_ rank: UInt64, _ key: ObjectKey) -> Void) {
        guard let layout else {
            entries.sortByRank(ranksDecide: true)
            for entry in entries { body(entry.rank, entry.key) }
            return
        }
        if words.count > Self.fewWords {
            words.sortStably(byBits: Int(layout.keyBits)..<Int(layout.keyBits + layout.numberBits))
        } else {
            words.sort()
        }
        for word in words { body(word >> layout.keyBits, layout.key(word)) }
    }
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
    private let holdsDoubles: Bool

    /// Nil if a word has no room, or the directories do not tell.
    ///
    /// - Throws: `.damaged`.
    init?(_ column: Int, of table: Table, ascending: Bool) throws(StorageError) {
        self.ascending = ascending
        holdsDoubles = table.checks[column].kind != .integer
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
    func word(_ entry: NumberEntry) -> UInt64 {
        let image = Int64(bitPattern: (ascending ? entry.rank : ~entry.rank) ^ 1 << 63)
        let number = holdsDoubles ? Int64(PackedNumbers.double(image: image)) : image
        let distance = UInt64(bitPattern: number &- least)
        let key = UInt64(bitPattern: entry.key.rawValue &- leastKey)
        return (ascending ? distance : span &- distance) << keyBits | key
    }

    @inline(__always)
    func key(_ word: UInt64) -> ObjectKey {
        let distance = word & (UInt64(1) << keyBits &- 1)
        return ObjectKey(rawValue: leastKey &+ Int64(bitPattern: distance))
    }
}

extension LeafScan {
    private static let greatestWhole: Int64 = 1 << 53

    /// The bounds of a column's numbers in this leaf according to its directory, without nulls; nil
    /// if they have fractions or 64 bits.
    fileprivate func bounds(ofWholeNumbers column: Int) -> ClosedRange<Int64>? {
        let position = leaf.columnIndex(ofID: table.columnID(column), expected: column)
        guard position >= 0 else {
            switch table.cluster.columns[column].defaultScalar {
            case .integer(let number): return number...number
            case .double(let number): return Int64(exactly: number).map { $0...$0 }
            case .float(let number): return Int64(exactly: number).map { $0...$0 }
            default: return nil
            }
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
