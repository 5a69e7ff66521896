import StorageEngine

/// The values that results of values have.
protocol AnySortedValues: AnyObject {
    var realm: RealmInstance { get }
    var isValid: Bool { get }
    var contents: CollectionContents { get }
    /// Returns the current values.
    func ownedValues() -> [OwnedScalar]
    /// Returns the same results in another Realm of the file.
    func moved(to realm: RealmInstance) -> any AnySortedValues
}

/// The collection that has the values of ``SortedValues``, whatever its type.
struct ValueSource<Element: RealmCollectionValue> {
    enum Answer {
        /// The current elements and their stored forms; nil if their owner was deleted.
        case values((elements: [Element], contents: CollectionContents)?)
        /// The same collection in another Realm.
        case moved(ValueSource)
    }

    // One function for both, because it is all that the values keep of the collection.
    private let answer: (_ realm: RealmInstance?) -> Answer

    /// - Parameter answer: A function that returns the values, or moves to a Realm if it is given
    ///   one.
    init(_ answer: @escaping (RealmInstance?) -> Answer) { self.answer = answer }

    func read() -> (elements: [Element], contents: CollectionContents)? {
        guard case .values(let values) = answer(nil) else { return nil }
        return values
    }

    func moved(to realm: RealmInstance) -> ValueSource {
        guard case .moved(let source) = answer(realm) else { return self }
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
    private let source: ValueSource<Element>
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
        self.source = source
        birth = realm.generation
        // Threads that use a frozen Realm share this object, so it is complete from the beginning.
        if realm.isFrozen { _ = values }
    }

    func adding(_ operation: Operation) -> SortedValues {
        SortedValues(realm, type, operations: operations + [operation], source: source)
    }

    func moved(to realm: RealmInstance) -> any AnySortedValues {
        SortedValues(realm, type, operations: operations, source: source.moved(to: realm))
    }

    func ownedValues() -> [OwnedScalar] { values.map(\.value) }

    var isValid: Bool { birth >= realm.firstValidGeneration }

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

    private func find() -> [(element: Element, value: OwnedScalar)] {
        guard let (elements, contents) = source.read(),
            case .stored(_, let forEach, _) = contents.source
        else { return [] }
        let scalars: [OwnedScalar] = realm.read(absent: []) {
            var scalars: [OwnedScalar] = []
            try forEach {
                scalars.append(OwnedScalar($0))
                return true
            }
            return scalars
        }
        var values = Array(zip(elements, scalars).map { (element: $0, value: $1) })
        for operation in operations {
            switch operation {
            case .sort(let isAscending):
                values = sorted(values) { isAscending ? $0 < 0 : $0 > 0 }
            case .distinct: values = distinct(values)
            case .none: break
            }
        }
        return values
    }

    /// Returns the values in sorted order. Equal values keep their order.
    private func sorted(
        _ values: [(element: Element, value: OwnedScalar)], _ isBefore: (Int) -> Bool
    ) -> [(element: Element, value: OwnedScalar)] {
        // Offsets are compared because the standard library does not guarantee a stable sort.
        values.enumerated().sorted { first, second in
            let order = compare(first.element.value, second.element.value)
            return order != 0 ? isBefore(order) : first.offset < second.offset
        }.map(\.element)
    }

    private func distinct(
        _ values: [(element: Element, value: OwnedScalar)]
    ) -> [(element: Element, value: OwnedScalar)] {
        let ordered = values.enumerated().sorted { first, second in
            let order = compare(first.element.value, second.element.value)
            return order != 0 ? order < 0 : first.offset < second.offset
        }
        var firsts: [Int] = []
        for (index, entry) in ordered.enumerated()
        where index == 0
            || compare(ordered[index - 1].element.value, entry.element.value) != 0
        {
            firsts.append(entry.offset)
        }
        return firsts.sorted().map { values[$0] }
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
