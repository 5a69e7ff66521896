/// A collection with one property of each object in a list or a set.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.friends.projectTo.firstName) var friendsNames
/// }
/// ```
/// The collection is live: elements are read when they are accessed.
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection,
    CustomStringConvertible, ThreadConfined
{
    /// The type of positions.
    public typealias Index = Int

    let source: any ProjectedSource<Element>

    init(source: any ProjectedSource<Element>) { self.source = source }

    /// Accesses the property of the object at `position`. Writing writes the property of the
    /// object, and requires a write transaction.
    ///
    /// - Precondition: The position is valid.
    public subscript(position: Int) -> Element {
        get { source.value(at: position) }
        nonmutating set { source.setValue(newValue, at: position) }
    }

    /// The first position, which is always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { source.count }
    /// The Realm that manages the collection; nil for an unmanaged collection.
    public var realm: Realm? { source.realm }
    /// A Boolean value that indicates whether the collection was invalidated.
    public var isInvalidated: Bool { source.isInvalidated }

    /// A Boolean value that indicates whether the collection is frozen.
    public var isFrozen: Bool { source.isFrozen }

    /// Returns a frozen copy of the collection, for all threads; see
    /// ``ThreadConfined/freeze()``.
    public func freeze() -> ProjectedCollection { ProjectedCollection(source: source.freeze()) }

    /// Returns the live collection that this frozen one is a copy of; nil if its object was
    /// deleted. See ``ThreadConfined/thaw()``.
    public func thaw() -> ProjectedCollection? {
        source.thaw().map { ProjectedCollection(source: $0) }
    }

    /// Returns the first position of an element that equals `object`; nil if there is none.
    public func index(of object: Element) -> Int? {
        firstIndex { isSameValue($0, object) }
    }

    /// A description of the elements, one per line.
    public var description: String { ObjectPrinter.describe(self) }

    /// Returns the same collection in another Realm of the file; nil if it does not exist there.
    public func _counterpart(in realm: Realm) -> ProjectedCollection? {
        source.counterpart(in: realm).map { ProjectedCollection(source: $0) }
    }
}

/// A collection of objects with one property of each.
protocol ProjectedSource<Value> {
    associatedtype Value: RealmCollectionValue
    var count: Int { get }
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    func value(at position: Int) -> Value
    func setValue(_ value: Value, at position: Int)
    func counterpart(in realm: Realm) -> Self?
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
    /// The objects, to be observed. Without key paths, only the property of each counts.
    func observable(_ keyPaths: [String]?) -> ObservableThing<RealmCollectionChange<Void>>
}

/// A collection of objects, implemented by the library's own types.
protocol ObjectCollection<Element> {
    associatedtype Element: ObjectBase & RealmCollectionValue
    var count: Int { get }
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var _backing: _CollectionBacking { get }
    subscript(position: Int) -> Element { get }
    func _counterpart(in realm: Realm) -> Self?
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
}

private struct PropertyOfEach<Objects: ObjectCollection, Value: RealmCollectionValue>:
    ProjectedSource
{
    let objects: Objects
    let keyPath: KeyPath<Objects.Element, Value>

    var count: Int { objects.count }
    var realm: Realm? { objects.realm }
    var isInvalidated: Bool { objects.isInvalidated }

    func value(at position: Int) -> Value { objects[position][keyPath: keyPath] }

    var isFrozen: Bool { objects.isFrozen }

    func freeze() -> PropertyOfEach { PropertyOfEach(objects: objects.freeze(), keyPath: keyPath) }

    func thaw() -> PropertyOfEach? {
        objects.thaw().map { PropertyOfEach(objects: $0, keyPath: keyPath) }
    }

    func counterpart(in realm: Realm) -> PropertyOfEach? {
        objects._counterpart(in: realm).map { PropertyOfEach(objects: $0, keyPath: keyPath) }
    }

    func observable(_ keyPaths: [String]?) -> ObservableThing<RealmCollectionChange<Void>> {
        let properties =
            _KeyPathTracer.name(of: keyPath as PartialKeyPath<Objects.Element>).map { [$0] }
            ?? _KeyPathTracer.names(readBy: keyPath, of: Objects.Element.self)
        let given = keyPaths ?? []
        return objects._backing.observable((), given.isEmpty ? properties : given)
    }

    func setValue(_ value: Value, at position: Int) {
        let type = Objects.Element.self
        guard let writable = keyPath as? ReferenceWritableKeyPath<Objects.Element, Value> else {
            let name = _KeyPathTracer.name(of: keyPath as PartialKeyPath<Objects.Element>) ?? ""
            stop("Projected property '\(type.className()).\(name)' cannot be written to.")
        }
        objects[position][keyPath: writable] = value
    }
}

/// A mapper that returns ``ProjectedCollection``s for the properties of a collection's objects.
///
/// ```swift
/// let names = person.friends.projectTo.firstName
/// ```
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase & RealmCollectionValue> {
    private let objects: any ObjectCollection<Element>

    init(_ objects: any ObjectCollection<Element>) { self.objects = objects }

    /// Returns a collection with one property of each object.
    public subscript<V: RealmCollectionValue>(
        dynamicMember member: KeyPath<Element, V>
    ) -> ProjectedCollection<V> {
        func project<C: ObjectCollection>(_ objects: C) -> ProjectedCollection<V>
        where C.Element == Element {
            // While a key path is traced, reading the first object continues the path to the
            // property.
            if _KeyPathTracer.active != nil { _ = objects[0][keyPath: member] }
            return ProjectedCollection(source: PropertyOfEach(objects: objects, keyPath: member))
        }
        return project(objects)
    }
}

extension List: ObjectCollection where Element: ObjectBase {
    /// A mapper to collections with one property of each object: `list.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

extension MutableSet: ObjectCollection where Element: ObjectBase {
    /// A mapper to collections with one property of each object: `set.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

extension ObjectPrinter {
    static func describe<Element>(_ collection: ProjectedCollection<Element>) -> String {
        var text = "ProjectedCollection<\(Element.self)> {\n"
        for (position, element) in collection.enumerated() {
            text += "\t[\(position)] \(describe(Element._eraseElement(element)))\n"
        }
        return text + "}"
    }
}
