import StorageEngine

/// The values that results of values have.
protocol AnySortedValues: AnyObject {
    var realm: RealmInstance { get }
    var isValid: Bool { get }
    var contents: CollectionContents { get }
    /// The collection that has the values; nil if there is none.
    var source: _CollectionBacking? { get }
    /// Returns the stored forms of the current values. Functions of the application, with which its
    /// types make values of them, are not called.
    func storedValues() -> [OwnedScalar]
    /// Returns the same results in another Realm of the file.
    func moved(to realm: RealmInstance) -> any AnySortedValues
}

/// The collection that has the values of ``SortedValues``, whatever its type.
struct ValueSource<Element: RealmCollectionValue> {
    enum Answer {
        /// The current elements.
        case elements([Element])
        /// Their stored forms.
        case contents(CollectionContents)
        /// The same collection in another Realm.
        case moved(ValueSource)
    }

    enum Question {
        case elements
        case contents
        case moved(to: RealmInstance)
    }

    let backing: _CollectionBacking?
    // One function for all, because it is all that the values keep of the collection.
    private let answer: (Question) -> Answer

    /// - Parameters:
    ///   - backing: What has the elements; nil for nothing.
    ///   - answer: A function that answers questions about the collection.
    init(_ backing: _CollectionBacking?, _ answer: @escaping (Question) -> Answer) {
        self.backing = backing
        self.answer = answer
    }

    /// The current elements; none if their owner was deleted.
    var elements: [Element] {
        guard isThere, case .elements(let elements) = answer(.elements) else { return [] }
        return elements
    }

    /// The stored forms of the current elements; nil if their owner was deleted.
    var contents: CollectionContents? {
        guard isThere, case .contents(let contents) = answer(.contents) else { return nil }
        return contents
    }

    private var isThere: Bool { backing.map { !$0.isInvalidated } ?? false }

    func moved(to realm: RealmInstance) -> ValueSource {
        guard backing != nil, case .moved(let source) = answer(.moved(to: realm)) else {
            return self
        }
        return source
    }
}

/// The values of a managed list, set or map, sorted or without duplicates. Copies of results of
/// values share this object.
final class SortedValues<Element: RealmCollectionValue>: AnySortedValues {
    enum Operation {
        case sort(isAscending: Bool)
        case distinct
        /// Keeps the values unchanged.
        case none
    }

    let realm: RealmInstance
    private let birth: UInt32
    private let origin: ValueSource<Element>
    private let operations: [Operation]
    /// The connection's change stamp for which `found` is valid.
    private var stamp: UInt64?
    private var found: [(element: Element, value: OwnedScalar)] = []
    let type: ValueType

    init(
        _ realm: RealmInstance, _ type: ValueType, operations: [Operation],
        source: ValueSource<Element>
    ) {
        self.realm = realm
        self.type = type
        self.operations = operations
        origin = source
        birth = realm.generation
        // Threads that use a frozen Realm share this object, so it is complete from the beginning.
        if realm.isFrozen { _ = values }
    }

    func adding(_ operation: Operation) -> SortedValues {
        SortedValues(realm, type, operations: operations + [operation], source: origin)
    }

    func moved(to realm: RealmInstance) -> any AnySortedValues {
        SortedValues(realm, type, operations: operations, source: origin.moved(to: realm))
    }

    var source: _CollectionBacking? { origin.backing }

    var isValid: Bool { realm.isValid(birth) }

    /// All values in their order.
    var values: [(element: Element, value: OwnedScalar)] {
        realm.checkThread()
        if !isValid { stop("Collection is no longer valid") }
        realm.resumeReading()
        if stamp != realm.connection.changeStamp {
            found = find()
            stamp = realm.connection.changeStamp
        }
        return found
    }

    /// The values as read by aggregates and key-value coding.
    var contents: CollectionContents {
        let values = values
        let visit: CollectionContents.ValueVisit = { body in
            for (_, value) in values {
                if try !value.withScalar(body) { return }
            }
        }
        return CollectionContents(
            .stored(type, visit, elements: { values.map { Element._eraseElement($0.element) } }),
            kindName: "Results", realm: realm)
    }

    func storedValues() -> [OwnedScalar] {
        realm.checkThread()
        let scalars = storedElements()
        return positions(in: scalars).map { scalars[$0] }
    }

    private func find() -> [(element: Element, value: OwnedScalar)] {
        let elements = origin.elements
        let scalars = Array(storedElements().prefix(elements.count))
        return positions(in: scalars).map { (elements[$0], scalars[$0]) }
    }

    /// The stored forms of the elements, in the order of the collection.
    private func storedElements() -> [OwnedScalar] {
        guard case .stored(_, let forEach, _)? = origin.contents?.source else { return [] }
        return realm.read(absent: []) {
            var scalars: [OwnedScalar] = []
            try forEach {
                scalars.append(OwnedScalar($0))
                return true
            }
            return scalars
        }
    }

    /// Returns the positions of the values that the operations keep, in their order.
    private func positions(in values: [OwnedScalar]) -> [Int] {
        operations.reduce(into: Array(values.indices)) { positions, operation in
            switch operation {
            case .sort(let isAscending):
                positions = sorted(positions, of: values) { isAscending ? $0 < 0 : $0 > 0 }
            case .distinct: positions = distinct(positions, of: values)
            case .none: break
            }
        }
    }

    /// Returns the positions of values in sorted order. Equal values keep their order.
    private func sorted(
        _ positions: [Int], of values: [OwnedScalar], _ isBefore: (Int) -> Bool
    ) -> [Int] {
        // Offsets are compared because the standard library does not guarantee a stable sort.
        positions.enumerated().sorted { first, second in
            let order = compare(values[first.element], values[second.element])
            return order != 0 ? isBefore(order) : first.offset < second.offset
        }.map(\.element)
    }

    private func distinct(_ positions: [Int], of values: [OwnedScalar]) -> [Int] {
        let ordered = positions.enumerated().sorted { first, second in
            let order = compare(values[first.element], values[second.element])
            return order != 0 ? order < 0 : first.offset < second.offset
        }
        var firsts: [Int] = []
        for (index, entry) in ordered.enumerated()
        where index == 0
            || compare(values[ordered[index - 1].element], values[entry.element]) != 0
        {
            firsts.append(entry.offset)
        }
        return firsts.sorted().map { positions[$0] }
    }

    /// Compares two values in the order of the engine. Null comes first.
    private func compare(_ first: OwnedScalar, _ second: OwnedScalar) -> Int {
        first.withScalar { first in
            second.withScalar { second in
                MixedValue.compare(
                    MixedValue(first, storedAs: type) ?? .null,
                    MixedValue(second, storedAs: type) ?? .null)
            }
        }
    }
}
