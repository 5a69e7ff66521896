/// The difference between two versions of a database, object by object.
///
/// Objects are identified by their keys, which are never reused; columns by their ids
/// (``Table/columnID(_:)``). Hidden columns of backlinks are left out: an object is not modified by
/// a link to it.
///
/// A change set comes either from recorded transactions or from a comparison of the two versions.
/// Recorded transactions also include values that were set without being changed. A comparison
/// cannot see these, and finds operations that could have led from one list to the other.
public struct ChangeSet: Equatable, Sendable {
    /// The changes by the number of the table (``Table/number``). Tables without changes are left
    /// out.
    public private(set) var tables: [Int: TableChanges] = [:]

    public init() {}

    /// Whether no object was inserted, deleted or modified.
    public var isEmpty: Bool { tables.isEmpty }

    /// The changes of a table; nil if there are none.
    public subscript(table number: Int) -> TableChanges? { tables[number] }

    mutating func set(_ changes: TableChanges, ofTable number: Int) {
        tables[number] = changes.isEmpty ? nil : changes
    }

    /// Adds the changes that follow these. Objects that were first inserted and then deleted are
    /// dropped.
    public mutating func append(_ next: ChangeSet) {
        for (number, changes) in next.tables {
            var combined = tables[number] ?? TableChanges()
            combined.append(changes)
            set(combined, ofTable: number)
        }
    }

    /// The number of parts, as a measure of the memory in use.
    var size: Int { tables.values.reduce(0) { $0 + $1.size } }
}

/// The changes to the objects of one table.
public struct TableChanges: Equatable, Sendable {
    public internal(set) var insertions = KeySet()
    /// Objects of the old version that were deleted.
    public internal(set) var deletions = KeySet()
    /// Objects of both versions whose columns were set, with these columns, including those of
    /// collections.
    public internal(set) var modifications = Modifications()
    /// The changes of the collections in the modified columns.
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

    /// Deletes objects, some of which may have been inserted by these changes.
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

/// The place of a list, set or map: an object and a column.
public struct CollectionPlace: Hashable, Sendable {
    public var owner: ObjectKey
    /// The id of the column.
    public var column: UInt16

    public init(owner: ObjectKey, column: UInt16) {
        self.owner = owner
        self.column = column
    }
}
