import Dispatch
import Foundation

/// The common interface of ``SectionedResults`` and ``ResultsSection``.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined
where Index == Int {
    /// The number of sections or elements.
    var count: Int { get }

    /// Calls a function when the sections, or the elements of this one, change.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
    /// Returns the changes as a sequence.
    func changes(keyPaths: [String]) -> ChangeSequence<SectionedResultsChange<Self>>
}

extension RealmSectionedResult {
    /// The first position, which is always 0.
    public var startIndex: Int { 0 }
    /// The number of sections or elements.
    public var endIndex: Int { count }
    /// Returns the next position.
    public func index(after i: Int) -> Int { i + 1 }
    /// Returns the previous position.
    public func index(before i: Int) -> Int { i - 1 }
}

/// The elements of a Realm collection divided into sections: a collection of ``ResultsSection``.
///
/// ```swift
/// let people = realm.objects(Person.self).sectioned(by: { $0.name.first.map(String.init) ?? "" },
///     sortDescriptors: [SortDescriptor(keyPath: "name")])
/// for section in people {
///     print(section.key)
///     for person in section { print("  ", person.name) }
/// }
/// ```
/// A section contains all elements with one key. Sections are in the order of their first elements,
/// and elements are in sorted order. Both are live, like ``Results``, and can be used only on the
/// thread of their Realm. The sections are computed on first access: this visits all elements, and
/// the keys are cached until the next change.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult
{
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>

    let sectioning: Sectioning<Key, SectionElement>

    /// The Realm of the elements; never nil.
    public var realm: Realm? { sectioning.results.realm }

    /// A Boolean value that indicates whether the Realm was invalidated.
    public var isInvalidated: Bool { sectioning.results.isInvalidated }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { sectioning.sections.keys }

    /// The number of sections.
    public var count: Int { sectioning.sections.keys.count }

    /// Returns the section at a position.
    ///
    /// - Precondition: The position is valid.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        let keys = sectioning.sections.keys
        if !keys.indices.contains(index), realm?.instance.isInFailedTransaction == true {
            return ResultsSection(sectioning: sectioning, key: Key._makeDefault())
        }
        requireIndex(index, upTo: keys.count)
        return ResultsSection(sectioning: sectioning, key: keys[index])
    }

    /// Returns the element at a position in a section.
    ///
    /// - Precondition: Both positions are valid.
    public subscript(indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    /// A Boolean value that indicates whether the sections are frozen.
    public var isFrozen: Bool { sectioning.results.isFrozen }

    /// Returns a frozen copy of the sections, for all threads. All elements are visited at once.
    /// See ``ThreadConfined/freeze()``.
    public func freeze() -> SectionedResults { SectionedResults(sectioning: sectioning.frozen()) }

    /// Returns the live sections that these frozen ones are a copy of; nil if the file was moved or
    /// removed. See ``ThreadConfined/thaw()``.
    public func thaw() -> SectionedResults? {
        sectioning.thawed().map { SectionedResults(sectioning: $0) }
    }

    /// Returns the same sections in another Realm of the file.
    public func _counterpart(in realm: Realm) -> SectionedResults? {
        SectionedResults(sectioning: sectioning.moved(to: realm))
    }

    /// Returns an iterator over the current sections.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(sectioning, allKeys)
    }

    /// Returns a Boolean value that indicates whether one is a copy of the other.
    public static func == (left: SectionedResults, right: SectionedResults) -> Bool {
        left.sectioning === right.sectioning
    }
}

/// The elements with one key.
///
/// A section keeps its key when its position changes. It is empty when its last element is gone,
/// and has elements again when there are new ones with its key.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>:
    RealmSectionedResult, Identifiable
{
    /// An object or value.
    public typealias Element = T

    let sectioning: Sectioning<Key, T>
    /// The key of all elements.
    public let key: Key

    /// The key, which identifies the section.
    public var id: Key { key }

    /// The Realm of the elements; never nil.
    public var realm: Realm? { sectioning.results.realm }

    /// A Boolean value that indicates whether the Realm was invalidated.
    public var isInvalidated: Bool { sectioning.results.isInvalidated }

    private var positions: [Int] { sectioning.sections.positions[StoredIdentity(key)] ?? [] }

    /// The number of elements.
    public var count: Int { positions.count }

    /// Returns the element at a position.
    ///
    /// - Precondition: The position is valid.
    public subscript(index: Int) -> T {
        let positions = positions
        if !positions.indices.contains(index), realm?.instance.isInFailedTransaction == true {
            return sectioning.results[-1]
        }
        requireIndex(index, upTo: positions.count)
        return sectioning.results[positions[index]]
    }

    /// A Boolean value that indicates whether the section is frozen.
    public var isFrozen: Bool { sectioning.results.isFrozen }

    /// Returns a frozen copy of the section, for all threads. All elements of the results are
    /// visited at once. See ``ThreadConfined/freeze()``.
    public func freeze() -> ResultsSection {
        ResultsSection(sectioning: sectioning.frozen(), key: key)
    }

    /// Returns the live section that this frozen one is a copy of; nil if the file was moved or
    /// removed. See ``ThreadConfined/thaw()``.
    public func thaw() -> ResultsSection? {
        sectioning.thawed().map { ResultsSection(sectioning: $0, key: key) }
    }

    /// Returns the section with the same key in another Realm of the file.
    public func _counterpart(in realm: Realm) -> ResultsSection? {
        ResultsSection(sectioning: sectioning.moved(to: realm), key: key)
    }

    /// Returns an iterator over the current elements. It skips objects that are deleted before it
    /// reaches them.
    public func makeIterator() -> SectionIterator<T> {
        SectionIterator(positions.map { sectioning.results[$0] })
    }

    /// Returns a Boolean value that indicates whether both have the same key in the same sectioned
    /// results.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.sectioning === right.sectioning && isSameValue(left.key, right.key)
    }
}

/// An iterator over sections. A section that no longer exists when the iterator reaches it is
/// empty.
public struct SectionedResultsIterator<
    Key: _Persistable & Hashable, Element: RealmCollectionValue
>: IteratorProtocol {
    private let sectioning: Sectioning<Key, Element>
    private var keys: IndexingIterator<[Key]>

    fileprivate init(_ sectioning: Sectioning<Key, Element>, _ keys: [Key]) {
        self.sectioning = sectioning
        self.keys = keys.makeIterator()
    }

    /// Returns the next section; nil at the end.
    public mutating func next() -> ResultsSection<Key, Element>? {
        keys.next().map { ResultsSection(sectioning: sectioning, key: $0) }
    }
}

/// An iterator over the elements of a section.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var elements: IndexingIterator<[Element]>

    fileprivate init(_ elements: [Element]) { self.elements = elements.makeIterator() }

    /// Returns the next element; nil at the end.
    public mutating func next() -> Element? {
        while let element = elements.next() {
            if (element as? any ThreadConfined)?.isInvalidated != true { return element }
        }
        return nil
    }
}

/// An alternative name of ``SectionedResultsIterator``.
public typealias RLMSectionedResultsIterator = SectionedResultsIterator
/// An alternative name of ``SectionIterator``.
public typealias RLMSectionIterator = SectionIterator

// Sections are confined as their Realm is; see NotSendable.swift.

@available(*, unavailable)
extension SectionedResults: @unchecked Sendable {}

@available(*, unavailable)
extension ResultsSection: @unchecked Sendable {}
