import StorageEngine

/// The objects that lead to an object through one of their properties.
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
/// The property may be a link, or a list, set or map of objects. An object is there once for each
/// time that it leads here: a list that holds the same object twice gives its owner twice. They are
/// in the order in which they were added to the Realm.
///
/// Linking objects are live, and cannot be changed themselves: they follow the properties of the
/// others. Those of an unmanaged object, and of one that was deleted, are none.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue> {
    /// The property of `Element`.
    @usableFromInline let propertyName: String
    @usableFromInline let managed: ManagedBacklinks?

    /// Creates no objects: what leads to an object is read from a property of it.
    ///
    /// - Parameter propertyName: the property of the objects that lead to another.
    @inlinable @inline(__always)
    public init(fromType _: Element.Type, property propertyName: String) {
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
    /// The Realm that the objects are in; nil for those of an unmanaged object.
    public var realm: Realm? { managed.map { Realm(instance: $0.realm) } }

    /// True once the object that the others lead to has been deleted or invalidated.
    public var isInvalidated: Bool { managed.map { !$0.isAlive } ?? false }

    /// The number of objects, one that leads here several times counted as often.
    public var count: Int { managed?.count ?? (_KeyPathTracer.active == nil ? 0 : 1) }

    /// The object at `index`. A position outside stops the program.
    ///
    /// Costs more the more objects there are; iterating finds all of them at once.
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

    /// The first position of an object; nil if it does not lead here.
    public func index(of object: Element) -> Int? {
        guard let managed, object._managedClass === managed.origin else { return nil }
        object._requireAlive()
        return managed.keys.firstIndex(of: object._key)
    }

    /// An iterator over the objects that lead here now.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed else { return RLMIterator(.array([])) }
        return RLMIterator(links: LinkCursor(managed.keys, to: managed.origin))
    }

    public var _contents: _CollectionContents {
        guard let managed else {
            return _CollectionContents(unmanaged: EmptyCollection<Element>(), kindName: "Results")
        }
        return _CollectionContents(
            .links(managed.keys, managed.origin), kindName: "Results", realm: managed.realm)
    }

    public var _querySource: _QuerySource {
        guard let managed else {
            return _QuerySource(
                kind: .unmanaged(className: "RLMResults", linked: Element.self, isDecoded: false))
        }
        return _QuerySource(
            kind: .links(managed.origin, isDecoded: false) {
                managed.keys.map { ObjectKey(rawValue: $0) }
            })
    }

    /// Whether both are of the same property of the same object; those of unmanaged objects are
    /// equal if the property is.
    public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
        switch (left.managed, right.managed) {
        case (nil, nil): left.propertyName == right.propertyName
        case (let left?, let right?): left.isSame(as: right)
        default: false
        }
    }
}

/// A property of a class whose objects may refer to others.
struct BacklinkOrigin {
    /// Uncounted: whoever uses this holds the Realm, which keeps its classes.
    let managedClass: Unmanaged<ManagedClass>
    let column: Int
}

/// The references to an object through one property of a class.
///
/// A value, so that asking an object for what leads to it allocates nothing.
@usableFromInline
struct ManagedBacklinks {
    /// Uncounted, as the class in `property` is: `realm` keeps both.
    private let target: Unmanaged<ManagedClass>
    private let property: BacklinkOrigin
    private let key: Int64
    private let birth: UInt32
    let realm: RealmInstance

    /// What leads to `object` through the property `name` of `type`: what its own property at `offset`
    /// declares.
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

    /// The class of the objects that refer to the other.
    var origin: ManagedClass { property.managedClass.takeUnretainedValue() }

    var isAlive: Bool { location != nil }

    /// The row of the object that the others refer to; nil if it does not exist any more.
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

    /// The keys of the objects that refer to the other, each as often as it does.
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
