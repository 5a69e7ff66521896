/// One object in an order by a column. Nulls have no entries, because they come first or last as a
/// whole. Ties are broken by object key. In descending orders the bits of ranks are inverted.
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

/// An object and its bytes, which are not copied. The rank is made of the first eight bytes.
struct BytesEntry: SortEntry {
    var rank: UInt64
    var key: ObjectKey
    var bytes: UnsafeRawBufferPointer
    var isDescending: Bool

    func precedes(_ other: BytesEntry) -> Bool {
        if rank != other.rank { return rank < other.rank }
        let order = compareBytes(bytes, other.bytes)
        if order != 0 { return (order < 0) != isDescending }
        return key.rawValue < other.key.rawValue
    }
}

extension SortRank {
    /// The rank of a number: NaN comes before all numbers, and both zeros have the same rank.
    @inline(__always)
    static func of(_ number: Double) -> UInt64 {
        number.isNaN ? 0 : of(PackedNumbers.image(number == 0 ? 0 : number))
    }

    /// The rank of the default of a numeric column.
    static func of(_ number: Scalar) -> UInt64 {
        switch number {
        case .integer(let number): of(number)
        case .double(let number): of(number)
        case .float(let number): of(Double(number))
        default: 0
        }
    }
}
