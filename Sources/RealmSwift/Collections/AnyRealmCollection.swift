/// A Realm collection of any kind with elements of one type.
///
/// ```swift
/// final class DogList {
///     let dogs: AnyRealmCollection<Dog>
///     init<C: RealmCollection & _ObjcBridgeable>(_ dogs: C) where C.ElementType == Dog {
///         self.dogs = AnyRealmCollection(dogs)
///     }
/// }
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    let base: any RealmCollection<Element>

    /// Wraps a collection, which goes on being live.
    public init<C: RealmCollection & _ObjcBridgeable>(_ base: C) where C.Element == Element {
        self.base = base
    }
}

extension AnyRealmCollection: RealmCollection {
    /// The Realm that manages the collection; nil while unmanaged.
    public var realm: Realm? { base.realm }
    /// True once the collection has been invalidated.
    public var isInvalidated: Bool { base.isInvalidated }
    /// The number of elements.
    public var count: Int { base.count }
    /// The element at `position`. A position outside the collection stops the program.
    public subscript(position: Int) -> Element { base[position] }
    /// The position of the first element equal to `object`, or standing for the same object.
    public func index(of object: Element) -> Int? { base.index(of: object) }
    /// An iterator over the elements that there are now.
    public func makeIterator() -> RLMIterator<Element> { base.makeIterator() }
    public var _contents: _CollectionContents { base._contents }
    public var _querySource: _QuerySource { base._querySource }

    /// Whether the wrapped collections are of one kind and equal.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
        func isEqual<C: RealmCollection>(_ collection: C) -> Bool {
            (right.base as? C) == collection
        }
        return isEqual(left.base)
    }
}

extension AnyRealmCollection: Encodable where Element: Encodable {}
