import StorageEngine

extension Object: _PersistableInsideOptional, _RealmCollectionValueInsideOptional {
    /// The type that is stored.
    public typealias PersistedType = Object
}

extension _PersistableInsideOptional where Self: ObjectBase {
    public static var _shape: _PropertyShape { _elementShape }
    @inlinable public static var _isLink: Bool { true }
    public static func _makeDefault() -> Self { self.init() }

    public static func _makeTracedOptional(_ tracer: _KeyPathTracer) -> Self? {
        unsafeDowncast(tracer.makeObject(self), to: Self.self)
    }

    // A link must be optional. Schema discovery rejects other declarations, so an object with one
    // is never managed and the following functions are never called.
    public static func _get(_ object: ObjectBase, _ offset: Int) -> Self {
        stop("Object properties must be marked as optional.")
    }
    public static func _set(_ value: Self, _ object: ObjectBase, at offset: Int) {
        stop("Object properties must be marked as optional.")
    }
    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        stop("Object properties must be marked as optional.")
    }

    @inlinable
    public static func _getOptional(_ object: ObjectBase, _ offset: Int) -> Self? {
        if object._isPlaced {
            let column = object._column(offset)
            let index = Int(column.index)
            let node = object._node
            let row = Int(object._row)
            if node.hasInline(index, column.tag) {
                if node.isNull(index, row) { return nil }
                let key = node.integer(index, row)
                return unsafeDowncast(object._linkedObject(key, offset), to: Self.self)
            }
        }
        guard case .integer(let key) = object._readSlowly(offset) else { return nil }
        return unsafeDowncast(object._linkedObject(key, offset), to: Self.self)
    }

    public static func _setOptional(_ value: Self?, _ object: ObjectBase, at offset: Int) {
        guard object._requireWritable(offset), let managedClass = object._managedClass else {
            return
        }
        guard let value else { return object._write(.null, offset) }
        let target = managedClass.linkTarget(column: Int(object._column(offset).index))
        guard let key = target.keyOfLinked(value, in: .property, update: .error) else { return }
        object._write(.integer(key), offset)
    }

    public static func _gatherOptional(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        guard let object = Persisted<Self?>.value(at: storage) else { return .null }
        if object._realm === scratch.realm, type(of: object) == Self.self, !object.isInvalidated {
            return .integer(object._key)
        }
        // The object is unmanaged or an invalid target; the second step decides.
        scratch.hasDeferredValues = true
        return .null
    }

    public static func _completeAddOptional(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        let target = Persisted<Self?>.value(at: storage)
        // The stored link replaces the reference, which could be part of a retain cycle.
        Persisted<Self?>.reset(at: storage)
        addition.setLink(to: target)
    }

    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        _convertElement(value, conversion)
    }
    public static func _erase(_ value: Self) -> Any? { value }
}

extension RealmCollectionValue where Self: ObjectBase {
    public static var _elementShape: _PropertyShape {
        _PropertyShape(type: self is EmbeddedObject.Type ? .embedded : .link, linkedClass: self)
    }

    public static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Self {
        guard case .integer(let key) = scalar, let source, let target = source.target else {
            stop("The elements are values, and no objects: ask for a collection of their type.")
        }
        return _decodeLink(key, _LinkTarget(target, birth: source.birth))
    }

    public static func _decodeLink(_ key: Int64, _ target: _LinkTarget) -> Self {
        let object = target.target.makeAccessor(key: key)
        object._birth = target.birth
        return unsafeDowncast(object, to: Self.self)
    }

    public static func _encode(_ value: Self, _ scratch: _Scratch) -> Scalar {
        let target = scratch.realm.managedClass(for: self)
        // In a failed transaction there is no key, and the null is not written.
        return target.keyOfLinked(value, in: .list, update: scratch.update).map { .integer($0) }
            ?? .null
    }

    /// Returns an object with no property read yet.
    public static func _makeTracedElement(_ tracer: _KeyPathTracer) -> Self? {
        unsafeDowncast(tracer.makeObject(self), to: Self.self)
    }

    /// Stores a link to the object, which is added first if it is unmanaged.
    public static func _store(_ value: Self, in slot: _ValueSlot) {
        let update = slot.realm.scratch.update
        guard let key = slot.linkTarget.keyOfLinked(value, in: slot.linkPlace, update: update)
        else { return }
        slot.put(.integer(key))
    }

    public static func _encodeSought(_ value: Self, _ scratch: _Scratch) -> Scalar? {
        guard value._realm === scratch.realm else { return nil }
        value._requireAlive()
        return .integer(value._key)
    }

    public static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        guard let value = unwrapped(value) else { return nil }
        return conversion.object(of: self, from: value).map { unsafeDowncast($0, to: Self.self) }
    }

    public static func _eraseElement(_ value: Self) -> Any? { value }
}

extension ObjectBase {
    @inline(never) @usableFromInline
    final func _linkedObject(_ key: Int64, _ offset: Int) -> ObjectBase {
        guard let managedClass = _managedClass else { stop("The object is not managed.") }
        return managedClass.linkTarget(column: Int(_column(offset).index)).makeAccessor(key: key)
    }
}
