import StorageEngine

/// A place in a Realm for one value: a property of an object, or an element of a collection. The
/// place can be new.
///
/// Most values are written to their place in a stored form. Embedded objects, and lists and maps
/// within mixed values, are created in place.
public struct _ValueSlot {
    enum Place {
        case property(ManagedClass, key: Int64, birth: UInt32, column: Int)
        case element(ManagedList, at: Int)
        /// A new element, at a position or, if it is nil, at the end.
        case newElement(ManagedList, at: Int?)
        case member(ManagedSet)
        case value(ManagedMap, key: String)
    }
    let place: Place

    init(_ place: Place) { self.place = place }

    var realm: RealmInstance {
        switch place {
        case .property(let owner, _, _, _): owner.realm
        case .element(let list, _), .newElement(let list, _): list.realm
        case .member(let set): set.realm
        case .value(let map, _): map.realm
        }
    }

    /// The class and the column of the property that contains the place.
    var property: (owner: ManagedClass, column: Int) {
        switch place {
        case .property(let owner, _, _, let column): (owner, column)
        case .element(let list, _), .newElement(let list, _): (list.owner, list.column)
        case .member(let set): (set.owner, set.column)
        case .value(let map, _): (map.owner, map.column)
        }
    }

    /// The generation in which the owner of the place was read.
    private var birth: UInt32 {
        switch place {
        case .property(_, _, let birth, _): birth
        case .element(let list, _), .newElement(let list, _): list.birth
        case .member(let set): set.birth
        case .value(let map, _): map.birth
        }
    }

    // MARK: Writing
    //
    // Nothing is written in a failed transaction.

    /// Writes a stored form. A value that is too large stops the program.
    func put(_ scalar: Scalar) {
        if case .bytes(let bytes) = scalar { requireSize(bytes.count) }
        realm.change {
            switch place {
            case .property(let owner, let key, _, let column):
                try owner.existingTable.set(column, of: ObjectKey(rawValue: key), to: scalar)
            case .element(let list, let index):
                if try needsWriting(scalar, over: list.handle.value(at: index)) {
                    try list.handle.set(scalar, at: index)
                }
            case .newElement(let list, let index?): try list.handle.insert(scalar, at: index)
            case .newElement(let list, nil): try list.append(scalar)
            case .member(let set): try set.handle.insert(scalar)
            case .value(let map, let key):
                try key.withKeyBytes {
                    if try needsWriting(scalar, over: map.handle.value(forKey: $0)) {
                        try map.handle.set(scalar, forKey: $0)
                    }
                }
            }
        }
    }

    /// Returns whether to overwrite a stored value. With `.modified`, only a value that differs is
    /// written.
    private func needsWriting(
        _ scalar: Scalar, over stored: @autoclosure () throws -> Scalar?
    ) rethrows -> Bool {
        guard realm.scratch.update == .modified, let stored = try stored() else { return true }
        return !stored.isIdentical(to: scalar)
    }

    /// Creates an embedded object in the place, and replaces an existing one. Returns its key; nil
    /// if the transaction has failed.
    func putEmbedded(_ values: UnsafeBufferPointer<Scalar>) -> ObjectKey? {
        realm.change {
            switch place {
            case .property(let owner, let key, _, let column):
                try owner.existingTable.createEmbedded(
                    column, of: ObjectKey(rawValue: key), with: values)
            case .element(let list, let index): try list.handle.setEmbedded(values, at: index)
            case .newElement(let list, let index):
                try list.handle.insertEmbedded(values, at: index ?? list.handle.count())
            case .member: stop("Sets do not hold embedded objects.")
            case .value(let map, let key):
                try key.withKeyBytes { try map.handle.setEmbedded(values, forKey: $0) }
            }
        }
    }

    /// The key of the embedded object in the place; nil if there is none, and in a failed
    /// transaction.
    var embeddedKey: Int64? {
        let stored: Scalar?? = realm.change {
            switch place {
            case .property(let owner, let key, _, let column):
                try owner.existingTable.value(column, of: ObjectKey(rawValue: key))
            case .element(let list, let index): try list.handle.value(at: index)
            case .value(let map, let key):
                try key.withKeyBytes { try map.handle.value(forKey: $0) }
            case .newElement, .member: nil
            }
        }
        if case .integer(let key)?? = stored { return key }
        return nil
    }

    /// Creates an empty list or map in the place. Returns the place under which it can be accessed
    /// from now on; nil if the transaction has failed.
    func putEmpty(_ kind: CollectionKind) -> _ValueSlot? {
        realm.change {
            switch place {
            case .property(let owner, let key, _, let column):
                try owner.existingTable.setEmpty(kind, column, of: ObjectKey(rawValue: key))
            case .element(let list, let index): try list.handle.setEmpty(kind, at: index)
            case .newElement(let list, let index):
                let index = try index ?? list.handle.count()
                try list.handle.insertEmpty(kind, at: index)
                return _ValueSlot(.element(list, at: index))
            case .member: stop("Sets do not hold lists and maps.")
            case .value(let map, let key):
                try key.withKeyBytes { try map.handle.setEmpty(kind, forKey: $0) }
            }
            return self
        }
    }

    private func requireSize(_ size: Int) {
        if size <= RealmInstance.maximumValueSize { return }
        let (owner, column) = property
        stop(owner.model.tooLarge(column: column, of: owner, size: size))
    }

    // MARK: Collections inside of mixed values

    /// The list in the place; nil if the place holds another value.
    var nestedList: ManagedList? {
        let handle: ListHandle? = realm.read(absent: nil) {
            switch place {
            case .property(let owner, let key, _, let column):
                try owner.existingTable.nestedList(column, of: ObjectKey(rawValue: key))
            case .element(let list, let index): try list.handle.nestedList(at: index)
            case .value(let map, let key):
                try key.withKeyBytes { try map.handle.nestedList(forKey: $0) }
            case .newElement, .member: nil
            }
        }
        let (owner, column) = property
        return handle.map { ManagedList($0, inside: owner, birth: birth, column: column) }
    }

    /// The map in the place; nil if the place holds another value.
    var nestedMap: ManagedMap? {
        let handle: MapHandle? = realm.read(absent: nil) {
            switch place {
            case .property(let owner, let key, _, let column):
                try owner.existingTable.nestedMap(column, of: ObjectKey(rawValue: key))
            case .element(let list, let index): try list.handle.nestedMap(at: index)
            case .value(let map, let key):
                try key.withKeyBytes { try map.handle.nestedMap(forKey: $0) }
            case .newElement, .member: nil
            }
        }
        let (owner, column) = property
        return handle.map { ManagedMap($0, inside: owner, birth: birth, column: column) }
    }
}

/// The origin of a stored form, needed to access its links, lists and maps.
public struct _LinkSource {
    /// The class of the links in a column; nil for mixed values.
    let target: ManagedClass?
    /// The generation in which the value was read.
    let birth: UInt32
    /// The place of a mixed value; nil for links.
    let slot: _ValueSlot?

    init(target: ManagedClass, birth: UInt32) {
        self.target = target
        self.birth = birth
        slot = nil
    }

    init(birth: UInt32, slot: _ValueSlot) {
        target = nil
        self.birth = birth
        self.slot = slot
    }
}

/// The class of the objects that the links of a collection lead to. Cheaper to pass than a
/// ``_LinkSource``, which may have a place.
public struct _LinkTarget {
    let target: ManagedClass
    /// The generation in which the link was read.
    let birth: UInt32

    init(_ target: ManagedClass, birth: UInt32) {
        self.target = target
        self.birth = birth
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of a map's key.
    @inline(__always)
    func withKeyBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        var copy = self
        return try copy.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
