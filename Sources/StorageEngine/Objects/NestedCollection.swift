extension MixedValue {
    /// The greatest depth of lists and maps nested in a mixed value.
    public static var maximumNesting: Int { NestedCollection.maximumDepth }
}

/// A list or map of mixed values as it is stored in a mixed value: the tag `0x80` plus the raw
/// value of its kind, its identity (two variable-length integers), then the bytes that a row would
/// hold of the collection if it were a column's value (`InlineRows`).
struct NestedCollection {
    /// The greatest depth of nested collections.
    static let maximumDepth = 100
    static let tag: UInt8 = 0x80

    let kind: CollectionKind
    let identity: CollectionIdentity
    let rows: UnsafeRawBufferPointer

    /// Nil if the bytes are a value of another type.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first, first & Self.tag != 0,
            let kind = CollectionKind(rawValue: first & ~Self.tag), kind == .list || kind == .map
        else { return nil }
        var reader = VariableLengthIntegerReader(UnsafeRawBufferPointer(rebasing: bytes[1...]))
        guard let version = reader.next(), let number = reader.next(),
            let rows = reader.take(UInt64(reader.remaining))
        else { return nil }
        self.kind = kind
        identity = CollectionIdentity(version: version, number: number)
        self.rows = rows
    }

    /// Nil if the value is of another type.
    init?(_ value: Scalar) {
        guard case .bytes(let bytes) = value else { return nil }
        self.init(bytes)
    }

    /// The bytes of a nested collection with the given rows.
    static func image(_ kind: CollectionKind, _ identity: CollectionIdentity, of rows: [UInt8])
        -> [UInt8]
    {
        var image = [tag | kind.rawValue]
        VariableLengthInteger.append(identity.version, to: &image)
        VariableLengthInteger.append(identity.number, to: &image)
        image.append(contentsOf: rows)
        return image
    }
}

/// Distinguishes nested collections. A handle finds its own collection after rows before it have
/// moved, and never takes a replacement for it.
struct CollectionIdentity: Hashable, Sendable {
    /// The version whose transaction made the collection.
    var version: UInt64
    /// The number of the collection among those that its connection has made.
    var number: UInt64
}

extension Scalar {
    /// Whether this is a list or a map that is a mixed value: what it holds is read with a handle.
    package var isNestedCollection: Bool { NestedCollection(self) != nil }
}
