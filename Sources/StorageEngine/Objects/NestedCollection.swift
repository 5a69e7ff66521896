extension MixedValue {
    /// So many lists and maps lie inside each other in a value at most.
    public static var maximumNesting: Int { NestedCollection.maximumDepth }
}

/// A list or map of mixed values as it lies in a mixed value: tag `0x80` plus the raw value of its
/// kind, its identity (two variable-length integers), then what a row holds of a collection that is
/// a column's own (`InlineRows`).
struct NestedCollection {
    /// Collections lie inside each other at most so deep.
    static let maximumDepth = 100
    static let tag: UInt8 = 0x80

    let kind: CollectionKind
    let identity: CollectionIdentity
    let rows: UnsafeRawBufferPointer

    /// Nil if the bytes are another value.
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

    /// Nil if the value is another one.
    init?(_ value: Scalar) {
        guard case .bytes(let bytes) = value else { return nil }
        self.init(bytes)
    }

    /// The bytes of a nested collection with the given rows.
    static func image(_ kind: CollectionKind, _ identity: CollectionIdentity, _ rows: [UInt8])
        -> [UInt8]
    {
        var image = [tag | kind.rawValue]
        VariableLengthInteger.append(identity.version, to: &image)
        VariableLengthInteger.append(identity.number, to: &image)
        image.append(contentsOf: rows)
        return image
    }
}

/// Tells nested collections apart, so that a handle finds its own after its neighbours have moved,
/// and never takes one that replaced it for it.
struct CollectionIdentity: Hashable, Sendable {
    /// The version whose transaction made the collection.
    var version: UInt64
    /// Counts the collections that a connection makes.
    var number: UInt64
}
