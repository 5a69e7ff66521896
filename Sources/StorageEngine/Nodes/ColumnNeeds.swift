/// The encoding that some rows of a column need. It is computed by looking at the rows and then
/// requested in a draft.
struct ColumnNeeds {
    let kind: ColumnKind
    /// The bytes of strings, whole ones.
    private(set) var stringBytes = 0
    /// The width of end offsets of a column that has no prefix.
    private var endWidth = PackedEnds.width
    /// What strings have in common; nil for a column that has no prefix.
    private var prefix: PrefixNeeds?
    private var hasNulls = false
    /// Whether floating-point values have all been whole so far. If so, `bounds` are whole numbers,
    /// otherwise images.
    private var isWhole: Bool
    /// Whether each value so far is one more than the previous one.
    private var isRamp: Bool
    private var bounds = PackedBounds()

    /// Creates the needs of no rows. `mayBeRamp`: whether the node that the rows are for may hold
    /// ramps. `sharesPrefix`: whether it is a column of ascending keys, which may have a prefix.
    init(kind: ColumnKind, mayBeRamp: Bool, sharesPrefix: Bool = false) {
        self.kind = kind
        if sharesPrefix, kind == .bytes { prefix = PrefixNeeds() }
        isRamp = mayBeRamp && kind == .integer
        isWhole = kind == .float || kind == .double
    }

    /// Excludes a ramp, because the rows are for a node that holds this column alone.
    mutating func forbidRamp() { isRamp = false }

    /// Adds rows of a column of this kind, which is not spilled, after those added before.
    mutating func include(_ node: Node, _ c: Int, in rows: Range<Int>) {
        if rows.isEmpty { return }
        hasNulls = hasNulls || node.hasNull(c, rows)
        switch kind {
        case .integer, .float, .double: includePacked(node, c, rows: rows)
        case .bytes:
            stringBytes += node.stringBytes(c, rows)
            if prefix != nil {
                prefix?.include(node, c, in: rows)
            } else if endWidth == PackedEnds.width {
                endWidth = node.endWidth(c, rows)
            }
        case .fixed16, .fixed12: break
        }
    }

    private mutating func includePacked(_ node: Node, _ c: Int, rows: Range<Int>) {
        if isWhole, !node.isWhole(c) {
            isWhole = false
            bounds.turnToImages(kind)
        }
        var added = node.packedBounds(c, rows)
        if kind != .integer, !isWhole, node.isWhole(c) { added.turnToImages(kind) }
        isRamp = isRamp && continuesRamp(node, c, rows: rows, adding: added)
        bounds.formUnion(added)
    }

    /// Whether rows with these bounds ascend by one and continue from the last row added before.
    private func continuesRamp(
        _ node: Node, _ c: Int, rows: Range<Int>, adding added: PackedBounds
    ) -> Bool {
        guard !hasNulls, bounds.isEmpty || bounds.high < .max && added.low == bounds.high + 1,
            UInt64(bitPattern: added.high &- added.low) == UInt64(rows.count - 1)
        else { return false }
        let e = node.entry(c)
        return e.isRamp
            || PackedNumbers.ascendByOne(node.base + e.dataOffset, rows, width: e.width)
    }

    /// The bits of a packed value, an end offset or a raw value.
    var width: Int {
        switch kind {
        case .integer, .float, .double:
            bounds.isEmpty || isRamp ? 0 : PackedNumbers.width(low: bounds.low, high: bounds.high)
        case .bytes: prefix?.endWidth ?? endWidth
        case .fixed16: 128
        case .fixed12: 96
        }
    }

    /// The bytes that all strings have in common.
    var prefixLength: Int { prefix?.length ?? 0 }

    /// Gives the strings no longer prefix than other needs have. A longer one may take more bytes
    /// than it saves where rows are few.
    mutating func limitPrefix(toThatOf other: ColumnNeeds) {
        prefix?.limit(to: other.prefixLength)
    }

    /// Returns the heap bytes of `rows` rows whose strings have `stringBytes` bytes.
    @inline(__always)
    func heapBytes(of stringBytes: Int, rows: Int) -> Int { stringBytes - rows * prefixLength }

    /// Returns the bytes of all regions in a layout for `rows` rows without spare room.
    /// `stringBytes` are those of their strings, whole ones.
    @inline(__always)
    func bytes(rows: Int, stringBytes: Int) -> Int {
        var total = ColumnEntry.dataBytes(rows: rows, kind: kind, width: width)
        if hasNulls { total += ColumnEntry.nullBytes(rows: rows) }
        if kind == .bytes {
            total += SharedPrefix.bytes(prefixLength)
            total += (heapBytes(of: stringBytes, rows: rows) + 7) & ~7
        }
        return total
    }

    /// Requests this encoding of `rows` rows, those that were added, in a draft's directory.
    func wish(in e: ColumnEntry, rows: Int) {
        e.nullOffset = hasNulls ? 1 : 0
        if !hasNulls { e.flags &= ~ColumnEntry.hasNulls }
        switch kind {
        case .integer, .float, .double:
            e.width = width
            e.base = bounds.isEmpty || e.width == 64 ? 0 : bounds.low
            e.isRamp = isRamp && bounds.low < bounds.high
            if kind != .integer { e.isWhole = isWhole }
        case .bytes:
            e.width = width
            e.prefixLength = prefixLength
            e.heapCapacity = heapBytes(of: stringBytes, rows: rows)
        case .fixed16, .fixed12: break
        }
    }
}

/// What ascending strings have in common, and how long they are.
private struct PrefixNeeds {
    /// The first row added.
    private var first: (node: Node, column: Int, row: Int)?
    private var common = SharedPrefix.longest
    private var shortest = Int.max
    private var longest = 0
    /// Whether there are nulls or overflow references, which only maps of malicious files have.
    private var hasOthers = false

    /// The bytes with which all strings begin.
    var length: Int { hasOthers || first == nil ? 0 : min(common, shortest) }

    /// The width that the ends of tails need.
    var endWidth: Int {
        hasOthers ? PackedEnds.offsetWidth : PackedEnds.width(longest: longest - length)
    }

    mutating func limit(to length: Int) { common = min(common, length) }

    mutating func include(_ node: Node, _ c: Int, in rows: Range<Int>) {
        let prefix = node.entry(c).prefixLength
        let tails = node.tailLengths(c, rows)
        if tails.hasOverflow || node.hasNulls(c) { hasOthers = true }
        shortest = min(shortest, prefix + tails.shortest)
        longest = max(longest, prefix + tails.longest)
        let last = rows.upperBound - 1
        let start = first ?? (node, c, rows.lowerBound)
        first = start
        common = min(
            common,
            start.node.commonLength(start.column, start.row, with: node, column: c, row: last))
    }
}

/// The least and the greatest of some packed values; empty while `low > high`.
struct PackedBounds {
    var low = Int64.max
    var high = Int64.min

    var isEmpty: Bool { low > high }

    @inline(__always)
    mutating func formUnion(_ value: Int64) {
        low = min(low, value)
        high = max(high, value)
    }

    mutating func formUnion(_ other: PackedBounds) {
        low = min(low, other.low)
        high = max(high, other.high)
    }

    /// Converts bounds of whole numbers to bounds of their images, which have the same order.
    mutating func turnToImages(_ kind: ColumnKind) {
        guard !isEmpty else { return }
        low = PackedNumbers.image(whole: low, kind: kind)
        high = PackedNumbers.image(whole: high, kind: kind)
    }
}

extension Node {
    /// Whether integer columns of this node may be ramps: true for leaves with more than one
    /// column.
    ///
    /// A leaf of one column holds a spilled column or a list of integers. Without ramps, removing a
    /// row from its middle never takes more room.
    var mayHoldRamps: Bool { level == 0 && columnCount > 1 }

    /// Whether the last eight values of an integer column ascend by one.
    func endsInRamp(_ c: Int) -> Bool {
        guard kind(c) == .integer, !hasNulls(c), rowCount >= 8 else { return false }
        for row in rowCount - 7..<rowCount
        where packed(c, row) != packed(c, row - 1) &+ 1 { return false }
        return true
    }

    /// Whether the last four values of a packed column are all above the first four. Appended
    /// values are then expected to be above them too.
    func ascends(_ c: Int) -> Bool {
        let rows = rowCount
        guard rows >= 8 else { return false }
        let highest = (0..<4).reduce(Int64.min) { max($0, packed(c, $1)) }
        for row in rows - 4..<rows where packed(c, row) <= highest { return false }
        return true
    }

    func hasNull(_ c: Int, _ rows: Range<Int>) -> Bool {
        guard hasNulls(c) else { return false }
        for row in rows where isNull(c, row) { return true }
        return false
    }

    /// Returns the number of bytes of the strings of these rows, whole ones.
    func stringBytes(_ c: Int, _ rows: Range<Int>) -> Int {
        let e = entry(c)
        return startOffset(e, rows.upperBound) - startOffset(e, rows.lowerBound)
            + rows.count * e.prefixLength
    }

    /// Returns the width that the end offsets of these rows need, if they have no prefix.
    func endWidth(_ c: Int, _ rows: Range<Int>) -> Int {
        let e = entry(c)
        if rows.isEmpty { return PackedEnds.width }
        if e.prefixLength > 0 {
            let lengths = tailLengths(c, rows)
            return lengths.hasOverflow
                ? PackedEnds.offsetWidth
                : PackedEnds.width(longest: lengths.longest + e.prefixLength)
        }
        if e.hasPackedEnds { return PackedEnds.width }
        // Overflow values are marked in end offsets that are not packed.
        var (previous, marks, longest) = (UInt16(startOffset(e, rows.lowerBound)), UInt16(0), 0)
        for row in rows {
            let offset = endOffset(e, row)
            marks |= offset
            longest = max(longest, Int(offset & 0x7FFF) &- Int(previous))
            previous = offset & 0x7FFF
        }
        return marks & 0x8000 != 0 ? PackedEnds.offsetWidth : PackedEnds.width(longest: longest)
    }

    /// Returns the bounds of the non-null values of a packed column.
    func packedBounds(_ c: Int, _ rows: Range<Int>) -> PackedBounds {
        var bounds = PackedBounds()
        if rows.isEmpty { return bounds }
        let e = entry(c)
        if e.isRamp {
            bounds.low = e.base &+ Int64(rows.lowerBound)
            bounds.high = e.base &+ Int64(rows.upperBound &- 1)
            return bounds
        }
        guard hasNulls(c) else {
            let data = base + e.dataOffset
            let (low, high) = PackedNumbers.bounds(data, rows, width: e.width)
            bounds.low = e.base &+ low
            bounds.high = e.base &+ high
            return bounds
        }
        for row in rows where !isNull(c, row) { bounds.formUnion(packed(c, row)) }
        return bounds
    }
}
