#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The bytes with which all strings of a column begin. The column keeps them once, in front of its
/// heap, and of each string what follows: its *tail*. `bytes`, `span` and all other accessors of
/// bytes are about tails.
///
/// Only the leaves of maps have such columns: their first keys, which are sorted, so that what the
/// first and the last one have in common is common to all. Every reader of these keys uses the
/// functions here.
enum SharedPrefix {
    /// The most bytes of a prefix.
    static let longest = 255

    /// The bytes that a prefix takes in a node.
    static func bytes(_ length: Int) -> Int { (length + 7) & ~7 }

    /// Returns with how many equal bytes two strings begin, at most ``longest``.
    static func length(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let most = min(a.count, b.count, longest)
        var length = 0
        while length < most, a[length] == b[length] { length += 1 }
        return length
    }
}

extension ColumnEntry {
    /// The offset of the prefix in the node.
    var prefixOffset: Int { heapOffset - SharedPrefix.bytes(prefixLength) }
}

extension Node {
    /// What all strings of a column begin with.
    @inline(__always)
    func prefix(_ c: Int) -> UnsafeRawBufferPointer {
        let e = entry(c)
        return UnsafeRawBufferPointer(start: base + e.prefixOffset, count: e.prefixLength)
    }

    /// Returns what follows the column's prefix in a key, or nil if the key does not begin with it.
    @inline(__always)
    func tail(_ c: Int, of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let length = entry(c).prefixLength
        if length == 0 { return key }
        return orderOfPrefix(c, to: key) == 0
            ? UnsafeRawBufferPointer(rebasing: key[length...]) : nil
    }

    /// Returns zero if the key begins with the column's prefix. Otherwise the order of all keys
    /// that do to the key: a negative or a positive number.
    @inline(__always)
    private func orderOfPrefix(_ c: Int, to key: UnsafeRawBufferPointer) -> Int {
        let prefix = prefix(c)
        let order = memcmp(
            prefix.baseAddress!, key.baseAddress ?? prefix.baseAddress!,
            min(prefix.count, key.count))
        return order != 0 ? Int(order) : max(0, prefix.count - key.count)
    }

    /// Compares the key of a row with another one. Returns a negative number, zero or a positive
    /// number.
    @inline(__always)
    func order(_ c: Int, _ row: Int, toKey key: UnsafeRawBufferPointer) -> Int {
        let length = entry(c).prefixLength
        if length == 0 { return compareBytes(bytes(c, row), key) }
        let order = orderOfPrefix(c, to: key)
        return order != 0
            ? order : compareBytes(bytes(c, row), UnsafeRawBufferPointer(rebasing: key[length...]))
    }

    /// Returns the first row in `rows` whose key is at least `key`; see ``lowerBoundBytes``.
    @inline(__always)
    func lowerBound(
        _ c: Int, ofKey key: UnsafeRawBufferPointer, in rows: Range<Int>, wanted: Int = -1
    ) -> Int {
        let length = entry(c).prefixLength
        if length == 0 { return lowerBoundBytes(c, key, in: rows, wanted: wanted) }
        let order = orderOfPrefix(c, to: key)
        if order != 0 { return order < 0 ? rows.upperBound : rows.lowerBound }
        return lowerBoundBytes(
            c, UnsafeRawBufferPointer(rebasing: key[length...]), in: rows, wanted: wanted)
    }

    /// The number of bytes of the whole key of a row.
    @inline(__always)
    func keyLength(_ c: Int, _ row: Int) -> Int { entry(c).prefixLength + bytes(c, row).count }

    /// Calls `body` with the whole key of a row, which is put together in memory of its own if the
    /// column has a prefix.
    func withKey<Result>(
        _ c: Int, _ row: Int,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let tail = bytes(c, row)
        if entry(c).prefixLength == 0 { return try body(tail) }
        var key = [UInt8](prefix(c))
        key.append(contentsOf: tail)
        return try key.withBytes(body)
    }

    /// Returns with how many equal bytes the keys of two rows begin.
    func commonLength(
        _ c: Int, _ row: Int, with other: Node, column otherColumn: Int, row otherRow: Int
    ) -> Int {
        let (length, otherLength) = (entry(c).prefixLength, other.entry(otherColumn).prefixLength)
        let (prefix, otherPrefix) = (prefix(c), other.prefix(otherColumn))
        let (tail, otherTail) = (bytes(c, row), other.bytes(otherColumn, otherRow))
        let most = min(
            length + tail.count, otherLength + otherTail.count, SharedPrefix.longest)
        var common = 0
        while common < most {
            let a = common < length ? prefix[common] : tail[common - length]
            let b =
                common < otherLength ? otherPrefix[common] : otherTail[common - otherLength]
            if a != b { break }
            common += 1
        }
        return common
    }

    /// The lengths of the tails of some rows, at least one: their sum, the shortest and the
    /// longest; and whether any is an overflow reference.
    func tailLengths(_ c: Int, _ rows: Range<Int>) -> TailLengths {
        let e = entry(c)
        var start = startOffset(e, rows.lowerBound)
        var lengths = TailLengths(sum: startOffset(e, rows.upperBound) - start)
        if e.hasPackedEnds {
            (lengths.shortest, lengths.longest) = PackedEnds(e, in: base).lengths(rows)
            return lengths
        }
        for row in rows {
            let offset = Int(endOffset(e, row))
            let end = offset & 0x7FFF
            lengths.hasOverflow = lengths.hasOverflow || offset != end
            lengths.shortest = min(lengths.shortest, end - start)
            lengths.longest = max(lengths.longest, end - start)
            start = end
        }
        return lengths
    }
}

/// See ``Node/tailLengths(_:_:)``.
struct TailLengths {
    var sum = 0
    var shortest = Int.max
    var longest = 0
    var hasOverflow = false
}

extension MutableNode {
    /// Sets the key of a row to be the given one, giving the column a shorter prefix if the key
    /// does not begin with all of it. Returns false, with the node's contents as they were, if
    /// there is no room.
    func setKey(_ c: Int, _ row: Int, to key: UnsafeRawBufferPointer) -> Bool {
        if let tail = reading.tail(c, of: key) {
            return setBytes(c, row, to: tail, isOverflow: false)
        }
        let prefix = reading.prefix(c)
        let length =
            planted(.keepsPrefix)
            ? min(prefix.count, key.count) : SharedPrefix.length(prefix, key)
        let tail = UnsafeRawBufferPointer(rebasing: key[length...])
        return layOut(c, prefix: length, roomFor: tail.count)
            && setBytes(c, row, to: tail, isOverflow: false)
    }

    /// Gives a column of keys the longest prefix that its rows and `key` have in common, if that
    /// saves a sixteenth of the node. Returns whether it did.
    func extendPrefix(_ c: Int, for key: UnsafeRawBufferPointer) -> Bool {
        let view = reading
        let rows = view.rowCount
        let length = entry(c).prefixLength
        guard rows > 1, let tail = view.tail(c, of: key) else { return false }
        let common = min(
            view.commonLength(c, 0, with: view, column: c, row: rows - 1),
            length + SharedPrefix.length(view.bytes(c, 0), tail))
        guard common > length, (common - length) * rows >= byteCount / 16 else { return false }
        return layOut(c, prefix: common, roomFor: 0)
    }

    /// Lays the node out with another length of a column's prefix, and with room for `added` bytes
    /// more in its heap. The rows have that prefix in common.
    private func layOut(_ c: Int, prefix length: Int, roomFor added: Int) -> Bool {
        let e = entry(c)
        let lengths = reading.tailLengths(c, 0..<rowCount)
        let difference = e.prefixLength - length
        guard !lengths.hasOverflow, !reading.hasNulls(c), lengths.shortest + difference >= 0 else {
            return false
        }
        let draft = NodeDraft(revising: self)
        let d = draft.entry(c)
        d.prefixLength = length
        d.width = PackedEnds.width(longest: max(lengths.longest + difference, added))
        d.heapCapacity = lengths.sum + difference * rowCount + added
        guard draft.assignOffsets(rows: rowCount) else { return false }
        draft.copyRows(from: reading, 0..<rowCount, at: 0)
        draft.install(in: self)
        return true
    }
}
