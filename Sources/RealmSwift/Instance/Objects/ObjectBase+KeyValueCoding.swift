import Foundation

extension ObjectBase {
    /// Returns the value at a key path of property names separated by dots.
    ///
    /// ```swift
    /// dog.value(forKeyPath: "owner.name")
    /// ```
    /// The result is nil if a link along the path is nil.
    ///
    /// - Precondition: All properties in the path exist.
    public final func value(forKeyPath keyPath: String) -> Any? {
        guard let dot = keyPath.firstIndex(of: ".") else { return value(forKey: keyPath) }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        switch value(forKey: String(keyPath[..<dot])) {
        case nil: return nil
        case let object as ObjectBase: return object.value(forKeyPath: rest)
        case let collection as any KeyPathReadable: return collection.anyValue(forKeyPath: rest)
        case let value?:
            stop("Key path '\(keyPath)' goes on behind a value of type '\(type(of: value))'.")
        }
    }

    /// Sets the property at a key path of property names separated by dots. Nothing happens if a
    /// link along the path is nil.
    ///
    /// - Precondition: All properties in the path exist, and the value fits the property.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else {
            return setValue(value, forKey: keyPath)
        }
        let owner = self.value(forKeyPath: String(keyPath[..<dot])) as? ObjectBase
        owner?.setValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
    }

    // MARK: Access by name

    /// The position of a stored property of a managed object.
    private final func _position(ofStored name: String, in model: ClassModel) -> Int? {
        // Whether this is a thread of the Realm is known of a placed object only.
        guard _isPlaced else { return model.position(ofStored: name) }
        return _owner._withUnsafeGuaranteedRef { $0.position(ofStored: name) }
    }

    /// Returns the value of a property by name. The outer optional is nil if there is no such
    /// property.
    final func _value(ofPropertyNamed name: String) -> Any?? {
        let model = _model
        // Only fields are read, because a copy of the description counts a dozen references.
        if _context != nil, let position = _position(ofStored: name, in: model),
            model.properties[position].isPlain
        {
            let offset = model.properties[position].offset
            return .some(model.properties[position].valueType._readByName(self, offset))
        }
        guard let property = model[name] else { return nil }
        let value = property.wrapper.value(of: self, at: property.offset)
        if let object = value as? ObjectBase { return .some(object._inKnownClass) }
        return .some(boxed(value))
    }

    /// Sets a property by name. Returns false if there is no such property. Stops the program if
    /// the value does not fit.
    final func _set(_ value: Any?, forPropertyNamed name: String) -> Bool {
        let model = _model
        if let realm = _realm, let position = _position(ofStored: name, in: model),
            model.properties[position].isPlain,
            realm.isMigrating || !model.properties[position].isPrimaryKey
        {
            let offset = model.properties[position].offset
            let type = model.properties[position].valueType
            if type._writeByName(value, self, at: offset, by: realm.plainConversion) {
                return true
            }
            realm.plainConversion.forgetUnmappable()
            // What follows says why the value does not fit, or stores it as it is.
        }
        guard let property = model[name] else { return false }
        if _context != nil, property.isPrimaryKey, _realm?.isMigrating == false {
            let text = unwrapped(value).map { "\($0)" } ?? "<null>"
            stop("Primary key can't be changed to '\(text)' after an object is inserted.")
        }
        _setByName(value, of: property, in: model)
        return true
    }

    final func _set(_ value: Any?, of property: PropertyModel, in model: ClassModel) {
        let conversion = _ValueConversion(realm: _realm, adoptsObjects: true)
        guard let realm = _realm else {
            return conversion.set(property, of: self, to: value, in: model)
        }
        realm.whileAdding(from: conversion) {
            conversion.set(property, ofManaged: self, to: value, in: model)
        }
    }

    final func _stopForUnknownName(_ name: String) -> Never {
        stop("Invalid property name '\(name)' for class '\(_model.name)'.")
    }
}

/// A collection that can occur in a key path.
protocol KeyPathReadable {
    func anyValue(forKeyPath keyPath: String) -> Any?
}

/// The value, if it is an object. The types that are usual are left out first, because asking
/// whether a type conforms takes longer.
func asObject(_ value: Any) -> ObjectBase? {
    let type = type(of: value)
    if type == [String: Any].self || type == [Any].self { return nil }
    return cast(value, to: ObjectBase.self)
}
