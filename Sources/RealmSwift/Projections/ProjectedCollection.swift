/// One property of each object in a list or a set.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.friends.projectTo.firstName) var friendsNames
/// }
/// ```
/// It is as live as the collection: its elements are read when they are asked for.
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection,
    CustomStringConvertible, ThreadConfined
{
    /// A position.
    public typealias Index = Int

    private let source: any ProjectedSource<Element>

    init(source: any ProjectedSource<Element>) { self.source = source }

    /// The property of the object at `position`. A position outside the collection stops the
    /// program. Writing writes the object's property, inside a write transaction.
    public subscript(position: Int) -> Element {
        get { source.value(at: position) }
        nonmutating set { source.setValue(newValue, at: position) }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { source.count }
    /// The Realm that manages the collection; nil while it is unmanaged.
    public var realm: Realm? { source.realm }
    /// True once the collection has been invalidated.
    public var isInvalidated: Bool { source.isInvalidated }

    /// The first position of an element that equals `object`; nil if there is none.
    public func index(of object: Element) -> Int? {
        firstIndex { isSameValue($0, object) }
    }

    /// The elements, one a line.
    public var description: String { ObjectPrinter.describe(self) }
}

/// The objects of a collection, and one property of each.
protocol ProjectedSource<Value> {
    associatedtype Value: RealmCollectionValue
    var count: Int { get }
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    func value(at position: Int) -> Value
    func setValue(_ value: Value, at position: Int)
}

/// A collection of objects as the library's own types are one.
protocol ObjectCollection<Element> {
    associatedtype Element: ObjectBase & RealmCollectionValue
    var count: Int { get }
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    subscript(position: Int) -> Element { get }
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

    func setValue(_ value: Value, at position: Int) {
        let type = Objects.Element.self
        guard let writable = keyPath as? ReferenceWritableKeyPath<Objects.Element, Value> else {
            let name = _KeyPathTracer.name(of: keyPath as PartialKeyPath<Objects.Element>) ?? ""
            stop("Projected property '\(type.className()).\(name)' cannot be written to.")
        }
        objects[position][keyPath: writable] = value
    }
}

/// Gives ``ProjectedCollection``s of the properties of a collection's objects.
///
/// ```swift
/// let names = person.friends.projectTo.firstName
/// ```
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase & RealmCollectionValue> {
    private let objects: any ObjectCollection<Element>

    init(_ objects: any ObjectCollection<Element>) { self.objects = objects }

    /// One property of each object.
    public subscript<V: RealmCollectionValue>(
        dynamicMember member: KeyPath<Element, V>
    ) -> ProjectedCollection<V> {
        func project<C: ObjectCollection>(_ objects: C) -> ProjectedCollection<V>
        where C.Element == Element {
            // A path that is traced leads on to the property.
            if _KeyPathTracer.active != nil { _ = objects[0][keyPath: member] }
            return ProjectedCollection(source: PropertyOfEach(objects: objects, keyPath: member))
        }
        return project(objects)
    }
}

extension List: ObjectCollection where Element: ObjectBase {
    /// One property of each object: `list.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

extension MutableSet: ObjectCollection where Element: ObjectBase {
    /// One property of each object: `set.projectTo.name`.
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
