import Foundation

// No conversion takes place: the result is nil if the value has another type.

extension AnyRealmValue {
    /// The integer; nil for a value of another type.
    public var intValue: Int? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The `Bool`; nil for a value of another type.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The `Float`; nil for a value of another type.
    public var floatValue: Float? {
        if case .float(let value) = self { value } else { nil }
    }

    /// The `Double`; nil for a value of another type.
    public var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    /// The string; nil for a value of another type.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The data; nil for a value of another type.
    public var dataValue: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The date; nil for a value of another type.
    public var dateValue: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The object id; nil for a value of another type.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }

    /// The decimal number; nil for a value of another type.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }

    /// The UUID; nil for a value of another type.
    public var uuidValue: UUID? {
        if case .uuid(let value) = self { value } else { nil }
    }

    /// The map; nil for a value of another type.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The list; nil for a value of another type.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// Returns the object; nil if it has another class, and for a value of another type.
    public func object<T: Object>(_ objectType: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    /// The managed object with access to its properties by name, whatever its class.
    ///
    /// The value is nil for an unmanaged object, and for a value of another type.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        if let object = object as? DynamicObject { return object }
        guard let managedClass = object._managedClass else { return nil }
        let accessor = managedClass.realm.dynamicClass(named: managedClass.model.name)
            .makeAccessor(key: object._key)
        accessor._birth = object._birth
        return unsafeDowncast(accessor, to: DynamicObject.self)
    }
}
