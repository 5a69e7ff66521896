import StorageEngine

/// What a value was when somebody saw it, so that a change of it can be refused if it has become
/// another one since.
///
/// It is the hash of the value as `realm export` writes it, with a seed of this process.
enum Fingerprint {
    /// The fingerprint of what `body` writes, which is not kept in memory.
    private static func of(_ body: (ByteOutput) throws -> Void) rethrows -> String {
        var hasher = Hasher()
        let output = ByteOutput { hasher.combine(bytes: $0) }
        try body(output)
        output.flush()
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    /// The fingerprint of a property, with all elements of a collection.
    static func of(
        _ property: ObjectText.Property, of table: Table, at location: RowLocation,
        _ objects: ObjectText
    ) throws -> String {
        try of { try objects.append(property, of: table, at: location, to: $0) }
    }

    /// The fingerprint of all properties of an object.
    static func ofObject(
        in table: Table, at location: RowLocation, _ objects: ObjectText
    ) throws -> String {
        let properties = try objects.properties(of: table)
        return try of { try objects.appendMembers(properties, of: table, at: location, to: $0) }
    }
}
