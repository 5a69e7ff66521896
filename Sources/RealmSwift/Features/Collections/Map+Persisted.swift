import StorageEngine

extension Map: _PersistableCollection {
    public static var _shape: _PropertyShape {
        var shape = Value._elementShape.asElement(of: .map)
        // Links are always stored as optional, whatever the declaration of the map.
        if shape.isLink && shape.isMapped { shape.isOptional = true }
        return shape
    }

    public convenience init(_of object: ObjectBase, column: Int) {
        self.init(managed: ManagedMap(of: object, column: column))
    }

    public func _manage(in object: ObjectBase, column: Int, over existing: _ExistingElements) {
        let entries = contents
        contents = [:]
        managed = ManagedMap(of: object, column: column)
        switch existing {
        case .none: break
        case .replaced: removeAll()
        case .modified:
            for key in keys where entries[StoredText(key._storedKey)] == nil {
                removeObject(for: key)
            }
        }
        for (key, value) in entries { updateValue(value, forKey: Key(_storedKey: key.text)) }
    }

    public func _isSame(as other: Map) -> Bool {
        self === other || managed.isSame(as: other.managed) ?? false
    }

    public func _replaceElements(by other: Map) {
        let entries = other.entries
        removeAll()
        for (key, value) in entries { updateValue(value, forKey: key) }
    }

    public static var _storedType: any _Persistable.Type { Value._storedElementType.mapType }

    /// Converts a dictionary or map, value by value. Nil gives an empty map.
    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Map? {
        guard let value = unwrapped(value) else { return Map() }
        guard let entries = entriesOfAnyMap(value) else { return nil }
        let map = Map()
        for (key, value) in entries {
            guard let value = Value._convertElement(value, conversion) else { return nil }
            map.contents[StoredText(key)] = value
        }
        return map
    }
}

/// Returns the entries of a map or dictionary of any type with string keys; nil for other values.
func entriesOfAnyMap(_ value: Any?) -> [(String, Any?)]? {
    switch value {
    case let map as any AnyMap: map.anyEntries
    case let dictionary as [String: Any]: dictionary.map { ($0, $1) }
    case let dictionary as [String: Any?]: dictionary.map { ($0, $1) }
    default: nil
    }
}

/// A map of any type.
private protocol AnyMap {
    var anyEntries: [(String, Any?)] { get }
}

extension Map: AnyMap {
    fileprivate var anyEntries: [(String, Any?)] {
        entries.map { ($0.key._storedKey, Value._eraseElement($0.value)) }
    }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes a dictionary.
    ///
    /// - Throws: `EncodingError.invalidValue` if two keys are equal in Swift, because a dictionary
    ///   can contain only one of them, or the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var dictionary: [Key: Value] = [:]
        for (key, value) in asKeyValueSequence() {
            if dictionary.updateValue(value, forKey: key) == nil { continue }
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Two keys of the map spell '\(key)' with different bytes, which a "
                        + "dictionary does not tell apart. Rename one of them."))
        }
        var container = encoder.singleValueContainer()
        try container.encode(dictionary)
    }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes a dictionary.
    ///
    /// - Throws: The error of the decoder.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let dictionary = try decoder.singleValueContainer().decode([Key: Value].self)
        for (key, value) in dictionary { updateValue(value, forKey: key) }
    }
}
