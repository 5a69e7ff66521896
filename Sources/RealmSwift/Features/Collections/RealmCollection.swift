import Foundation

/// A lazy collection with positions from 0 on, which is the base of ``RealmCollection``.
///
/// Because it is lazy, `map` and `filter` with a closure return views that compute their elements
/// on access. Use `Array(…)` to copy the elements.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
    CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int, SubSequence == Slice<Self> {
    /// The type of the elements.
    typealias ElementType = Element
}

/// A collection of objects or values in a Realm: ``List``, ``MutableSet``, ``Results``,
/// ``LinkingObjects`` or ``AnyRealmCollection``.
///
/// ```swift
/// func names<C: RealmCollection>(of dogs: C) -> [String] where C.Element == Dog {
///     dogs.map { $0.name }
/// }
/// ```
/// A collection of a Realm is live, and can be used only on the thread of that Realm. An iteration
/// visits the elements that the collection had when the iteration began.
public protocol RealmCollection<Element>: RealmCollectionBase, AggregatableCollection, Equatable,
    _ObjcBridgeable
where Iterator == RLMIterator<Element>, AggregatedValue == Element {
    /// The number of elements.
    var count: Int { get }
    /// The first element; nil if there is none.
    var first: Element? { get }
    /// The last element; nil if there is none.
    var last: Element? { get }
    /// Returns the position of the first element that equals `object` or represents the same
    /// object; nil if there is none.
    func index(of object: Element) -> Int?
    /// Returns the elements at the given positions.
    ///
    /// - Precondition: The positions are valid.
    func objects(at indexes: IndexSet) -> [Element]

    /// Returns the values of a property of all elements, as an array.
    func value(forKey key: String) -> Any?
    /// Returns the values at a key path, or the result of a collection operator.
    func value(forKeyPath keyPath: String) -> Any?
    /// Sets a property of all elements.
    func setValue(_ value: Any?, forKey key: String)
}

extension RealmCollection {
    /// The first position, which is always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// Returns the next position.
    public func index(after i: Int) -> Int { i + 1 }
    /// Returns the previous position.
    public func index(before i: Int) -> Int { i - 1 }

    public var _elements: [Element] { _iteratedElements }

    /// The elements that an iteration visits.
    var _iteratedElements: [Element] {
        // The iterator determines the number, because a transaction can fail in between.
        var elements: [Element] = []
        elements.reserveCapacity(count)
        elements.append(contentsOf: IteratorSequence(makeIterator()))
        return elements
    }

    /// The first element; nil if there is none.
    public var first: Element? { count == 0 ? nil : self[0] }

    /// The last element; nil if there is none.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Returns the elements at the given positions, in the order of the positions.
    ///
    /// - Precondition: The positions are valid.
    public func objects(at indexes: IndexSet) -> [Element] {
        if let last = indexes.last, last >= count,
            realm?.instance.isInFailedTransaction != true
        {
            stop("Indexes for collection are out of bounds.")
        }
        return indexes.map { self[$0] }
    }
}

// The standard library calls these functions first in `contains(_:)`, `firstIndex(of:)` and
// `lastIndex(of:)`. They compare values as `index(of:)` does, but objects as `==` does.
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
    /// Encodes the elements in their order.
    ///
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

/// Stops the program unless `0 <= index < bound`.
func requireIndex(_ index: Int, upTo bound: Int, named name: String = "index") {
    if index < 0 { stop("Cannot pass a negative value for '\(name)'.") }
    if index >= bound { stop("Index \(index) is out of bounds (must be less than \(bound)).") }
}
