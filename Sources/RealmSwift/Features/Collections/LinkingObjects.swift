import StorageEngine

/// The objects that refer to an object through one of their properties.
///
/// ```swift
/// class Person: Object {
///     @Persisted var name: String
///     @Persisted var dogs: List<Dog>
/// }
///
/// class Dog: Object {
///     @Persisted var name: String
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
/// The property can be a link, or a list, set or map of objects. An object occurs once for each
/// reference: if a list contains the same object twice, its owner occurs twice. The objects are in
/// the order in which they were added to the Realm.
///
/// Linking objects are live and read-only: they change with the properties of the other objects.
/// The linking objects of an unmanaged or deleted object are empty.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue> {
    /// The name of the property of `Element`.
    @usableFromInline let propertyName: String
    @usableFromInline let managed: ManagedBacklinks?

    /// Creates empty linking objects. The actual objects are read from a property of a managed
    /// object.
    ///
    /// - Parameters:
    ///   - type: The class of the objects that refer to another object.
    ///   - propertyName: Their property that does.
    @inlinable @inline(__always)
    public init(fromType type: Element.Type, property propertyName: String) {
        self.propertyName = propertyName
        managed = nil
    }

    @inlinable @inline(__always)
    init(propertyName: String, managed: ManagedBacklinks) {
        self.propertyName = propertyName
        self.managed = managed
    }
}

extension LinkingObjects: RealmCollection {
    /// The number of references. An object that refers here several times is counted each time.
    public var count: Int { managed?.count ?? (_KeyPathTracer.active == nil ? 0 : 1) }

    /// Returns the object at `index`.
    ///
    /// The cost grows with the number of objects; iteration reads all of them only once.
    ///
    /// - Precondition: The index is valid.
    public subscript(index: Int) -> Element {
        guard let managed else {
            if let element = _KeyPathTracer.active?.makeObject(Element.self) {
                return unsafeDowncast(element, to: Element.self)
            }
            requireIndex(index, upTo: 0)
            stop("Objects without a Realm lead nowhere.")
        }
        let keys = managed.keys
        var key = ManagedClass.absentKey
        if keys.indices.contains(index) {
            key = keys[index]
        } else if !managed.realm.isInFailedTransaction {
            requireIndex(index, upTo: keys.count)
        }
        return unsafeDowncast(managed.origin.makeAccessor(key: key), to: Element.self)
    }

    /// Returns the first position of an object; nil if it does not refer here.
    public func index(of object: Element) -> Int? {
        guard let managed, object._managedClass === managed.origin else { return nil }
        object._requireAlive()
        return managed.keys.firstIndex(of: object._key)
    }

    /// Returns an iterator over the objects that currently refer here.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed else { return RLMIterator(.array([])) }
        return RLMIterator(links: LinkCursor(managed.keys, to: managed.origin))
    }

    public var _backing: _CollectionBacking { _CollectionBacking(managed) }

    public func _moved(to realm: Realm) -> LinkingObjects {
        managed.map {
            LinkingObjects(propertyName: propertyName, managed: $0.moved(to: realm.instance))
        } ?? self
    }

    /// Returns a Boolean value that indicates whether both belong to the same property of the same
    /// object. Linking objects of unmanaged objects are equal if their properties have the same
    /// name.
    public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
        switch (left.managed, right.managed) {
        case (nil, nil): left.propertyName == right.propertyName
        case (let left?, let right?): left.isSame(as: right)
        default: false
        }
    }
}

/// The references to an object through one property of a class.
///
/// A value type, so that reading linking objects of an object allocates nothing.
@usableFromInline
struct ManagedBacklinks {
    /// An unowned reference, like the class in `property`, because `realm` retains both.
    private let target: Unmanaged<ManagedClass>
    private let property: BacklinkOrigin
    private let key: Int64
    private let birth: UInt32
    let realm: RealmInstance

    /// Creates the references to `object` through the property `name` of `type`, as declared by its
    /// own property at `offset`.
    @usableFromInline
    init(
        to object: ObjectBase, ofPropertyAt offset: Int, in type: ObjectBase.Type,
        named name: String
    ) {
        object._requireAlive()
        target = object._owner
        (property, realm) = target._withUnsafeGuaranteedRef {
            ($0.backlinkOrigin(ofPropertyAt: offset, in: type, named: name), $0.realm)
        }
        key = object._key
        birth = object._birth
    }

    /// Creates the references to the object with a key through a column of another class.
    init(target: ManagedClass, key: Int64, origin: ManagedClass, column: Int) {
        self.target = .passUnretained(target)
        property = BacklinkOrigin(managedClass: .passUnretained(origin), column: column)
        self.key = key
        birth = target.realm.generation
        realm = target.realm
    }

    /// Returns the same references in another Realm, where their target may not exist.
    func moved(to realm: RealmInstance) -> ManagedBacklinks {
        ManagedBacklinks(
            target: realm.counterpart(of: target.takeUnretainedValue()), key: key,
            origin: realm.counterpart(of: origin), column: property.column)
    }

    /// The class of the object that the others refer to.
    var targetClass: ManagedClass { target.takeUnretainedValue() }

    /// The object that the others refer to, which may not exist.
    var targetKey: ObjectKey { ObjectKey(rawValue: key) }

    /// The column of the references.
    var column: Int { property.column }

    /// The class of the referring objects.
    var origin: ManagedClass { property.managedClass.takeUnretainedValue() }

    var isAlive: Bool { location != nil }

    /// Whether the Realm was not invalidated since.
    var isValid: Bool { realm.isValid(birth) }

    /// The row of the object that the others refer to; nil if it no longer exists.
    private var location: RowLocation? {
        realm.checkThread()
        return target._withUnsafeGuaranteedRef { $0.locate(key: key, birth: birth) }
    }

    var count: Int {
        attempt {
            var total = 0
            try forEach { total += $1 }
            return total
        }
    }

    /// The keys of the referring objects, each repeated for each of its references.
    var keys: ContiguousArray<Int64> {
        attempt {
            var keys = ContiguousArray<Int64>()
            try forEach { key, count in
                for _ in 0..<count { keys.append(key.rawValue) }
            }
            return keys
        }
    }

    func isSame(as other: ManagedBacklinks) -> Bool {
        origin === other.origin && property.column == other.property.column
            && target.toOpaque() == other.target.toOpaque() && key == other.key
    }

    private func forEach(_ body: (ObjectKey, Int) -> Void) throws {
        guard let location else { return }
        try property.managedClass._withUnsafeGuaranteedRef {
            try $0.forEachReference(
                to: ObjectKey(rawValue: key), at: location, in: property.column
            ) {
                body($0, $1)
                return true
            }
        }
    }
}
