/// The order of a sorter for single objects of one version, which finds places in sequences that
/// are sorted already. It is the order of ``QuerySorter/sorted(_:)`` for objects that ascend before
/// they are sorted: those that are equal in all properties are ordered by their keys.
///
/// Used by the connection's thread. Nothing may be written, and the connection must not move, as
/// long as the order and what it has returned are in use.
public struct ObjectOrder {
    private let keys: [QuerySortKey]
    private var readers: [PathReader]

    public init(_ sorter: QuerySorter) {
        keys = sorter.keys
        readers = keys.map { PathReader($0) }
    }

    /// An object with the values that give its place.
    public struct Entry {
        public let key: ObjectKey
        fileprivate let values: [OrderValue]

        /// Whether none of the first properties lacks a value because a link on the path to it is
        /// null.
        public func isComplete(inFirst count: Int) -> Bool {
            values[..<count].allSatisfy { !$0.isMissing }
        }
    }

    /// - Throws: `.damaged`; `.invalidArgument` if the object does not exist.
    public mutating func entry(_ key: ObjectKey) throws(StorageError) -> Entry {
        var values: [OrderValue] = []
        for index in keys.indices { values.append(try value(index, of: key)) }
        return Entry(key: key, values: values)
    }

    private mutating func value(_ index: Int, of key: ObjectKey) throws(StorageError) -> OrderValue
    {
        OrderValue(try readers[index].value(of: key), keys[index])
    }

    /// Whether an object comes before that of an entry.
    public mutating func precedes(_ key: ObjectKey, _ entry: Entry) throws(StorageError) -> Bool {
        let order = try compare(key, entry, properties: keys.count)
        return order != 0 ? order < 0 : key.rawValue < entry.key.rawValue
    }

    public func precedes(_ first: Entry, _ second: Entry) -> Bool {
        for (index, key) in keys.enumerated() {
            let order = first.values[index].compare(second.values[index], key)
            if order != 0 { return order < 0 }
        }
        return first.key.rawValue < second.key.rawValue
    }

    /// Compares an object with an entry, which may be of another version, by the first properties
    /// only: a negative number, 0 or a positive number if the object comes before the entry, is
    /// equal to it, or comes after it.
    public mutating func compare(
        _ key: ObjectKey, _ entry: Entry, properties: Int
    ) throws(StorageError) -> Int {
        for index in 0..<properties {
            let order = try value(index, of: key).compare(entry.values[index], keys[index])
            if order != 0 { return order }
        }
        return 0
    }
}

/// A value in the order of a property.
private struct OrderValue {
    /// Nulls, values and objects without a value follow each other in ascending order.
    private let group: UInt8
    private let rank: UInt64
    /// Bytes stay valid, because nothing is written meanwhile.
    private let value: Scalar

    private static let null: UInt8 = 0, present: UInt8 = 1, missing: UInt8 = 2

    /// - Parameter value: nil for an object without a value.
    init(_ value: Scalar?, _ key: QuerySortKey) {
        self.value = value ?? .null
        let isNull = self.value.isNull
        group = value == nil ? Self.missing : isNull ? Self.null : Self.present
        rank = isNull ? 0 : key.type.rank(self.value)
    }

    var isMissing: Bool { group == Self.missing }

    func compare(_ other: OrderValue, _ key: QuerySortKey) -> Int {
        let order = compareAscending(other, key.type)
        return key.isAscending ? order : -order
    }

    private func compareAscending(_ other: OrderValue, _ type: ValueType) -> Int {
        if group != other.group { return group < other.group ? -1 : 1 }
        if rank != other.rank { return rank < other.rank ? -1 : 1 }
        if group != Self.present || type.ranksDecide { return 0 }
        return ValueOrder(type: type).compare(value, other.value)
    }
}
