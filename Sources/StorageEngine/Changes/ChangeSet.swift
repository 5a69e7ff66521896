/// What happened between two versions of a database, object by object.
///
/// Objects are named by their keys, which are never reused; columns by their ids
/// (``Table/columnID(_:)``). Hidden columns of backlinks are left out: that an object is linked to
/// from elsewhere does not modify it.
///
/// It comes from records of transactions, or from comparing the two versions. Records also name
/// what was set to the value that it had; a comparison cannot see that, and finds the operations
/// that could have led from one list to the other.
public struct ChangeSet: Equatable, Sendable {
    /// By the number of the table (``Table/number``); only tables with changes.
    public private(set) var tables: [Int: TableChanges] = [:]

    public init() {}

    /// Whether no object was inserted, deleted or modified.
    public var isEmpty: Bool { tables.isEmpty }

    /// The changes of a table; nil if there are none.
    public subscript(table number: Int) -> TableChanges? { tables[number] }

    mutating func set(_ changes: TableChanges, ofTable number: Int) {
        tables[number] = changes.isEmpty ? nil : changes
    }

    /// Adds what happened next. Objects that were inserted and deleted since drop out.
    public mutating func append(_ next: ChangeSet) {
        for (number, changes) in next.tables {
            var combined = tables[number] ?? TableChanges()
            combined.append(changes)
            set(combined, ofTable: number)
        }
    }

    /// A measure of the memory that it takes: the number of its parts.
    var size: Int { tables.values.reduce(0) { $0 + $1.size } }
}

/// What happened to the objects of one table.
public struct TableChanges: Equatable, Sendable {
    public internal(set) var insertions = KeySet()
    /// Objects of the old version that are gone.
    public internal(set) var deletions = KeySet()
    /// Objects of both versions, and which of their columns were set, collections included.
    public internal(set) var modifications = Modifications()
    /// How the collections among the modified columns changed.
    public internal(set) var collections: [CollectionPlace: CollectionChange] = [:]

    public init() {}

    public var isEmpty: Bool {
        insertions.isEmpty && deletions.isEmpty && modifications.isEmpty
    }

    mutating func append(_ next: TableChanges) {
        for (place, change) in next.collections where !insertions.contains(place.owner) {
            collections[place] = collections[place].map { $0.followed(by: change) } ?? change
        }
        modifications.merge(next.modifications)
        modifications.remove(insertions)
        remove(next.deletions)
        insertions.formUnion(next.insertions)
    }

    /// Deletes objects, of which some may have been inserted before.
    mutating func remove(_ keys: KeySet) {
        if keys.isEmpty { return }
        modifications.remove(keys)
        collections = collections.filter { !keys.contains($0.key.owner) }
        var old = keys
        old.subtract(insertions)
        deletions.formUnion(old)
        insertions.subtract(keys)
    }

    var size: Int {
        insertions.ranges.count + deletions.ranges.count + modifications.runs.count
            + collections.values.reduce(0) { $0 + 1 + $1.segments.count }
    }
}

/// A list, set or map of one object.
public struct CollectionPlace: Hashable, Sendable {
    public var owner: ObjectKey
    /// The id of the column.
    public var column: UInt16

    public init(owner: ObjectKey, column: UInt16) {
        self.owner = owner
        self.column = column
    }
}
