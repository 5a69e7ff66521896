import StorageEngine

/// What a value was when somebody saw it, so that a change of it can be refused if it has become
/// another one since.
///
/// It is the hash of the value as `realm export` writes it, with a seed of this process.
enum Fingerprint {
    static func of(_ text: ByteOutput) -> String {
        var hasher = Hasher()
        hasher.combine(bytes: text.bytes)
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    /// The fingerprint of a property, with all elements of a collection.
    static func of(
        _ property: ObjectText.Property, of table: Table, at location: RowLocation,
        _ objects: ObjectText
    ) throws -> String {
        let text = ByteOutput()
        try objects.append(property, of: table, at: location, to: text)
        return of(text)
    }

    /// The fingerprint of all properties of an object.
    static func ofObject(
        in table: Table, at location: RowLocation, _ objects: ObjectText
    ) throws -> String {
        let text = ByteOutput()
        try objects.appendMembers(
            try objects.properties(of: table), of: table, at: location, to: text)
        return of(text)
    }
}
