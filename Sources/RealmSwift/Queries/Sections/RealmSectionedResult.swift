import Foundation

/// What ``SectionedResults`` and each ``ResultsSection`` have in common.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined
where Index == Int {
    /// The number of sections, or of elements.
    var count: Int { get }
}

extension RealmSectionedResult {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of sections, or of elements.
    public var endIndex: Int { count }
    /// The next position.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before.
    public func index(before i: Int) -> Int { i - 1 }
}

/// The elements of a Realm collection, divided into sections: a collection of ``ResultsSection``.
///
/// ```swift
/// let people = realm.objects(Person.self).sectioned(by: { $0.name.first.map(String.init) ?? "" },
///     sortDescriptors: [SortDescriptor(keyPath: "name")])
/// for section in people {
///     print(section.key)
///     for person in section { print("  ", person.name) }
/// }
/// ```
/// A section holds all elements with one key. Sections stand in the order of their first elements,
/// elements in the order in which they were sorted. Both are live, like ``Results``, and may be
/// used on the thread of their Realm only. Nothing is computed before it is asked for; then all elements
/// are visited, and their keys kept until something changes.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult
{
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>

    let sectioning: Sectioning<Key, SectionElement>

    /// The Realm that the elements are in; never nil.
    public var realm: Realm? { sectioning.results.realm }

    /// True once the Realm was invalidated.
    public var isInvalidated: Bool { sectioning.results.isInvalidated }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { sectioning.sections.keys }

    /// The number of sections.
    public var count: Int { sectioning.sections.keys.count }

    /// The section at a position. A position outside stops the program.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        let keys = sectioning.sections.keys
        if !keys.indices.contains(index), realm?.instance.isInFailedTransaction == true {
            return ResultsSection(sectioning: sectioning, key: Key._makeDefault())
        }
        requireIndex(index, upTo: keys.count)
        return ResultsSection(sectioning: sectioning, key: keys[index])
    }

    /// The element at a position in a section. A position outside stops the program.
    public subscript(indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    /// An iterator over the sections that there are now.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(sectioning, allKeys)
    }

    /// Equal if both are the same results, or one is a copy of the other.
    public static func == (left: SectionedResults, right: SectionedResults) -> Bool {
        left.sectioning === right.sectioning
    }
}

/// The elements with one key.
///
/// A section stays that of its key, wherever this comes to stand. When its last element is gone it
/// is empty, and it has elements again when there are some with its key.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>:
    RealmSectionedResult, Identifiable
{
    /// An object or value.
    public typealias Element = T

    fileprivate let sectioning: Sectioning<Key, T>
    /// What all elements have in common.
    public let key: Key

    /// The key.
    public var id: Key { key }

    /// The Realm that the elements are in; never nil.
    public var realm: Realm? { sectioning.results.realm }

    /// True once the Realm was invalidated.
    public var isInvalidated: Bool { sectioning.results.isInvalidated }

    private var positions: [Int] { sectioning.sections.positions[StoredIdentity(key)] ?? [] }

    /// The number of elements.
    public var count: Int { positions.count }

    /// The element at a position. A position outside stops the program.
    public subscript(index: Int) -> T {
        let positions = positions
        if !positions.indices.contains(index), realm?.instance.isInFailedTransaction == true {
            return sectioning.results[-1]
        }
        requireIndex(index, upTo: positions.count)
        return sectioning.results[positions[index]]
    }

    /// An iterator over the elements that there are now; it passes over objects that are deleted
    /// before it reaches them.
    public func makeIterator() -> SectionIterator<T> {
        SectionIterator(positions.map { sectioning.results[$0] })
    }

    /// Equal if both have the same key in the same results.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.sectioning === right.sectioning && isSameValue(left.key, right.key)
    }
}

/// Iterates over sections. Those that are gone when their turn comes are empty.
public struct SectionedResultsIterator<
    Key: _Persistable & Hashable, Element: RealmCollectionValue
>: IteratorProtocol {
    private let sectioning: Sectioning<Key, Element>
    private var keys: IndexingIterator<[Key]>

    fileprivate init(_ sectioning: Sectioning<Key, Element>, _ keys: [Key]) {
        self.sectioning = sectioning
        self.keys = keys.makeIterator()
    }

    /// The next section; nil at the end.
    public mutating func next() -> ResultsSection<Key, Element>? {
        keys.next().map { ResultsSection(sectioning: sectioning, key: $0) }
    }
}

/// Iterates over the elements of a section.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var elements: IndexingIterator<[Element]>

    fileprivate init(_ elements: [Element]) { self.elements = elements.makeIterator() }

    /// The next element; nil at the end.
    public mutating func next() -> Element? {
        while let element = elements.next() {
            if (element as? any ThreadConfined)?.isInvalidated != true { return element }
        }
        return nil
    }
}

/// Another name of ``SectionedResultsIterator``.
public typealias RLMSectionedResultsIterator = SectionedResultsIterator
/// Another name of ``SectionIterator``.
public typealias RLMSectionIterator = SectionIterator
