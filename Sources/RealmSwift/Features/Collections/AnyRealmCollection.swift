/// A type-erased Realm collection with elements of one type.
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

    /// Creates a wrapper of a collection. The wrapper is live if the collection is.
    public init<C: RealmCollection & _ObjcBridgeable>(_ base: C) where C.Element == Element {
        self.base = base
    }

    private init(erasing base: any RealmCollection<Element>) { self.base = base }
}

extension AnyRealmCollection: RealmCollection {
    /// The number of elements.
    public var count: Int { base.count }
    /// Returns the element at `position`.
    ///
    /// - Precondition: The position is valid.
    public subscript(position: Int) -> Element { base[position] }
    /// Returns the position of the first element that equals `object` or represents the same
    /// object; nil if there is none.
    public func index(of object: Element) -> Int? { base.index(of: object) }
    /// Returns an iterator over the current elements.
    public func makeIterator() -> RLMIterator<Element> { base.makeIterator() }
    public var _backing: _CollectionBacking { base._backing }

    public func _moved(to realm: Realm) -> AnyRealmCollection {
        AnyRealmCollection(erasing: base._moved(to: realm))
    }

    /// Returns a Boolean value that indicates whether the wrapped collections have the same type
    /// and are equal.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
        func isEqual<C: RealmCollection>(_ collection: C) -> Bool {
            (right.base as? C) == collection
        }
        return isEqual(left.base)
    }
}

extension AnyRealmCollection: Encodable where Element: Encodable {}
