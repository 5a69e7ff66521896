/// One object in an order by a column. Nulls are no entries: they come first or last as a whole.
/// The order includes object keys; descending orders turn the bits of ranks.
protocol SortEntry: RankedEntry {
    var key: ObjectKey { get }
}

/// An object and its number.
struct NumberEntry: SortEntry {
    var rank: UInt64
    var key: ObjectKey

    @inline(__always)
    func precedes(_ other: NumberEntry) -> Bool {
        rank != other.rank ? rank < other.rank : key.rawValue < other.key.rawValue
    }
}

/// An object and its bytes, which stay where they are. The rank is the first eight of them.
struct BytesEntry: SortEntry {
    var rank: UInt64
    var key: ObjectKey
    var bytes: UnsafeRawBufferPointer
    var isDescending: Bool

    func precedes(_ other: BytesEntry) -> Bool {
        if rank != other.rank { return rank < other.rank }
        let order = Node.compare(bytes, other.bytes)
        if order != 0 { return (order < 0) != isDescending }
        return key.rawValue < other.key.rawValue
    }
}

extension SortRank {
    /// NaN before all numbers, both zeros alike.
    @inline(__always)
    static func of(_ number: Double) -> UInt64 {
        number.isNaN ? 0 : of(PackedNumbers.image(number == 0 ? 0 : number))
    }

    /// Of the default of a column of numbers.
    static func of(_ number: Scalar) -> UInt64 {
        switch number {
        case .integer(let number): of(number)
        case .double(let number): of(number)
        case .float(let number): of(Double(number))
        default: 0
        }
    }
}
