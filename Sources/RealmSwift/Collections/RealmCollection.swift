import Foundation

/// What a Realm collection is besides its interface to the Realm: a lazy collection with positions
/// from 0 on. See ``RealmCollection``.
///
/// Lazy: `map` and `filter` with a closure give views that compute their elements when they are
/// asked for them; `Array(…)` takes the elements out.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
    CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int, SubSequence == Slice<Self> {
    /// The type of the elements.
    typealias ElementType = Element
}

/// A collection of objects or values in a Realm: ``List``, ``MutableSet``, ``Results``,
/// ``LinkingObjects`` and ``AnyRealmCollection``.
///
/// ```swift
/// func names<C: RealmCollection>(of dogs: C) -> [String] where C.Element == Dog {
///     dogs.map { $0.name }
/// }
/// ```
/// A collection that belongs to a Realm is live, and may be used on the thread of that Realm only.
/// Iterating visits the elements that were there when the iteration began.
public protocol RealmCollection<Element>: RealmCollectionBase, AggregatableCollection, Equatable,
    _ObjcBridgeable
where Iterator == RLMIterator<Element>, AggregatedValue == Element {
    /// The number of elements.
    var count: Int { get }
    /// The first element; nil if there is none.
    var first: Element? { get }
    /// The last element; nil if there is none.
    var last: Element? { get }
    /// The position of the first element equal to `object`, or standing for the same object.
    func index(of object: Element) -> Int?
    /// The elements at some positions. One that does not exist stops the program.
    func objects(at indexes: IndexSet) -> [Element]

    /// The values of a property of all elements, as an array.
    func value(forKey key: String) -> Any?
    /// The values at the end of a key path, or what a collection operator makes of them.
    func value(forKeyPath keyPath: String) -> Any?
    /// Sets a property of all elements.
    func setValue(_ value: Any?, forKey key: String)
}

extension RealmCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// The next position.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before.
    public func index(before i: Int) -> Int { i - 1 }

    /// The first element; nil if there is none.
    public var first: Element? { count == 0 ? nil : self[0] }

    /// The last element; nil if there is none.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// The elements at some positions, in the order of the positions. One that does not exist stops
    /// the program.
    public func objects(at indexes: IndexSet) -> [Element] {
        if let last = indexes.last, last >= count,
            realm?.instance.isInFailedTransaction != true
        {
            stop("Indexes for collection are out of bounds.")
        }
        return indexes.map { self[$0] }
    }
}

// What `contains(_:)`, `firstIndex(of:)` and `lastIndex(of:)` of the standard library ask first. They
// tell values apart as `index(of:)` does, but objects as `==` does.
extension RealmCollection {
    public func _customContainsEquatableElement(_ element: Element) -> Bool? {
        if Element._elementShape.isLink { return nil }
        return contains { isSameValue($0, element) }
    }

    public func _customIndexOfEquatableElement(_ element: Element) -> Int?? {
        if Element._elementShape.isLink { return nil }
        return .some(firstIndex { isSameValue($0, element) })
    }

    public func _customLastIndexOfEquatableElement(_ element: Element) -> Int?? {
        if Element._elementShape.isLink { return nil }
        return .some(lastIndex { isSameValue($0, element) })
    }
}

extension RealmCollection where Element: Encodable {
    /// Encodes the elements, one after the other.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

/// Stops unless `0 <= index < bound`.
func requireIndex(_ index: Int, upTo bound: Int, named name: String = "index") {
    if index < 0 { stop("Cannot pass a negative value for '\(name)'.") }
    if index >= bound { stop("Index \(index) is out of bounds (must be less than \(bound)).") }
}
