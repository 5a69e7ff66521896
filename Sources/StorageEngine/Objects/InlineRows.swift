/// The format of the rows of a collection.
struct RowFormat: Equatable {
    let collection: CollectionKind
    let type: ValueType
    /// Whether values may be null. If so, each begins with a null mark.
    let allowsNull: Bool

    var kind: ColumnKind { type.columnKind }
    var hasKeys: Bool { collection == .map }

    /// The format of lists and maps inside mixed values.
    static func nested(_ collection: CollectionKind) -> RowFormat {
        RowFormat(collection: collection, type: .mixed, allowsNull: true)
    }
}

/// One row of a collection.
struct CollectionRow {
    /// The key in a map; empty in lists and sets.
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var value: Scalar
}

/// The part of a collection that is stored in its owner's row or in a mixed value.
///
/// The bytes are empty (no rows), or begin with a tag: `inline`, followed by the rows one after
/// another; or `tree`, followed by the root of a collection tree. A row is its key with its length
/// (in maps), a null mark (if values may be null) and its value: integers as signed LEB128, floats
/// and doubles as 4 and 8 bytes, bytes with their length, fixed16 and fixed12 as 16 and 12 bytes.
enum InlineRows {
    static let inlineTag: UInt8 = 1
    static let treeTag: UInt8 = 2
    /// Above this size the rows move to a tree.
    static let maximumBytes = 64
    /// The size of a tag, u64 page, birth and count, and a u8 level.
    static let treeBytes = 26

    // MARK: Trees

    static func root(_ bytes: UnsafeRawBufferPointer) -> TreeRoot? {
        guard bytes.count == treeBytes, bytes[0] == treeTag else { return nil }
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard word(17) >= 1, word(17) <= UInt64(Node.maximumRowsOfTree),
            bytes[25] < TreeWriter.maximumDepth
        else { return nil }
        return TreeRoot(
            reference: PageReference(page: word(1), birth: word(9)), level: Int(bytes[25]),
            count: Int(word(17)))
    }

    /// Calls `body` with what the owner's row holds of a collection in a tree.
    static func withImage<R, E>(
        of root: TreeRoot, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        if root.reference.isNone { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        return try withUnsafeMutableBytes(of: &words) { words throws(E) in
            let image = UnsafeMutableRawBufferPointer(rebasing: words[..<treeBytes])
            image[0] = treeTag
            func set(_ word: UInt64, at offset: Int) {
                image.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
            }
            set(root.reference.page, at: 1)
            set(root.reference.birth, at: 9)
            set(UInt64(root.count), at: 17)
            image[25] = UInt8(root.level)
            return try body(UnsafeRawBufferPointer(image))
        }
    }

    static func image(of root: TreeRoot) -> [UInt8] { withImage(of: root) { Array($0) } }

    // MARK: Writing

    static func append(_ row: CollectionRow, _ format: RowFormat, to image: inout [UInt8]) {
        if format.hasKeys { append(row.key, to: &image) }
        if format.allowsNull { image.append(row.value.isNull ? 1 : 0) }
        switch row.value {
        case .null: break
        case .integer(let value): VariableLengthInteger.append(signed: value, to: &image)
        case .float(let value): image.append(littleEndian: value.bitPattern)
        case .double(let value): image.append(littleEndian: value.bitPattern)
        case .bytes(let bytes): append(bytes, to: &image)
        case .fixed16(let first, let second):
            image.append(littleEndian: first)
            image.append(littleEndian: second)
        case .fixed12(let first, let second):
            image.append(littleEndian: first)
            image.append(littleEndian: second)
        }
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to image: inout [UInt8]) {
        VariableLengthInteger.append(UInt64(bytes.count), to: &image)
        image.append(contentsOf: bytes)
    }

    /// Whether a row may still fit. False avoids encoding a long value in vain.
    static func mayHold(_ row: CollectionRow) -> Bool {
        guard case .bytes(let bytes) = row.value else { return row.key.count < maximumBytes }
        return row.key.count + bytes.count < maximumBytes
    }

    // MARK: Reading

    /// Visits the rows and their byte ranges, until `body` returns false. Returns false if the
    /// bytes are not rows of this format.
    static func forEach<E>(
        _ bytes: UnsafeRawBufferPointer, _ format: RowFormat,
        _ body: (CollectionRow, Range<Int>) throws(E) -> Bool
    ) throws(E) -> Bool {
        if bytes.isEmpty { return true }
        // Only damaged or malicious files have longer ones, and they would make each access slow.
        guard bytes.count <= maximumBytes else { return false }
        var reader = VariableLengthIntegerReader(bytes)
        guard reader.fixed(UInt8.self) == inlineTag else { return false }
        while reader.remaining > 0 {
            let start = reader.position
            guard let row = reader.row(format) else { return false }
            if try !body(row, start..<reader.position) { return true }
        }
        return true
    }
}

extension VariableLengthIntegerReader {
    fileprivate mutating func row(_ format: RowFormat) -> CollectionRow? {
        var key = UnsafeRawBufferPointer(start: nil, count: 0)
        if format.hasKeys {
            guard let length = next(), let bytes = take(length) else { return nil }
            key = bytes
        }
        return value(format).map { CollectionRow(key: key, value: $0) }
    }

    private mutating func value(_ format: RowFormat) -> Scalar? {
        if format.allowsNull {
            guard let mark = fixed(UInt8.self), mark <= 1 else { return nil }
            if mark == 1 { return .null }
        }
        switch format.kind {
        case .integer: return nextSigned().map { .integer($0) }
        case .float: return fixed(UInt32.self).map { .float(Float(bitPattern: $0)) }
        case .double: return fixed(UInt64.self).map { .double(Double(bitPattern: $0)) }
        case .bytes: return next().flatMap { take($0) }.map { .bytes($0) }
        case .fixed16:
            guard let first = fixed(UInt64.self), let second = fixed(UInt64.self) else {
                return nil
            }
            return .fixed16(first, second)
        case .fixed12:
            guard let first = fixed(UInt64.self), let second = fixed(UInt32.self) else {
                return nil
            }
            return .fixed12(first, second)
        }
    }
}
