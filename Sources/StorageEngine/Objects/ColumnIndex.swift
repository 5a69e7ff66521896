/// The index of one property: its objects in the order of their values.
///
/// Made by ``Connection/setIndexed(_:_:of:)`` or with the table, and kept up by whatever changes
/// objects. Two ordered maps hold it: (value, object) for objects that have a value, (0, object)
/// for the others. Long strings are cut, and told apart by their objects.
///
/// Changes of a transaction are gathered in memory and made together: when the index is read, when
/// the transaction ends, and by the change after they took `maximumPendingBytes`. So a transaction
/// visits each leaf of an index once for all of its objects, and a bulk insert is no random access.
///
/// Used by the connection's thread, and no longer than the property is indexed.
public final class ColumnIndex {
    /// A quarter of a million numbers, or some ten thousand strings of a few hundred bytes.
    static let maximumPendingBytes = 4 << 20
    /// A new index is filled in parts of so many bytes: a million numbers.
    static let maximumBuildBytes = 16 << 20

    static let nullMap = OrderedMap(firstKeyKind: .integer, valueCount: 0)

    unowned let table: Table
    /// The position of the property among those of the table.
    public let column: Int
    let trees: StoredColumn.Index
    let map: OrderedMap
    @exclusivity(unchecked) private var values: MapChanges
    @exclusivity(unchecked) private var nulls = MapChanges(firstKeyKind: .integer)
    /// Whether the index lacks changes of the open transaction.
    @exclusivity(unchecked) private(set) var isBehind = false

    init(_ table: Table, _ column: Int, _ trees: StoredColumn.Index) {
        self.table = table
        self.column = column
        self.trees = trees
        let kind = table.definition.columns[column].type.indexKeyKind!
        map = OrderedMap(firstKeyKind: kind, valueCount: 0)
        values = MapChanges(firstKeyKind: kind)
    }

    // MARK: Changing

    /// An object gets or loses a value.
    @inline(__always)
    func note(_ value: Scalar, _ key: ObjectKey, isRemoval: Bool) throws {
        if !isBehind { fallBehind() }
        switch value {
        case .null: nulls.append(.integer(0), key.rawValue, isRemoval: isRemoval)
        case .integer(let number):
            values.append(.integer(number), key.rawValue, isRemoval: isRemoval)
        default:
            try table.withFirstKey(value) { first, _ in
                values.append(first, key.rawValue, isRemoval: isRemoval)
            }
        }
        if pendingBytes >= Self.maximumPendingBytes { table.pager.needsAttention = true }
    }

    private var pendingBytes: Int { values.byteCount &+ nulls.byteCount }

    /// Whether the next change, or the next step of one that changes many objects, is to have the index
    /// catch up: whoever notes a change may need what it was given for more than that.
    var isFarBehind: Bool { pendingBytes >= Self.maximumPendingBytes }

    @inline(never)
    private func fallBehind() {
        isBehind = true
        table.connection.indexFellBehind(self)
    }

    /// Makes the changes that were gathered. After an error the transaction can only be rolled
    /// back; from then on the index is that of the version before, which lacks nothing.
    ///
    /// `limitingMemory`: in between nobody has a pointer into a page (``Pager/limitMemory()``).
    func catchUp(limitingMemory: Bool = false) throws {
        guard isBehind, table.pager.transactionFailure == nil else { return }
        do {
            try make(&values, map, trees.values, limitingMemory)
            try make(&nulls, Self.nullMap, trees.nulls, limitingMemory)
        } catch let error as StorageError {
            table.pager.failTransaction(error)
            throw error
        }
        forgetChanges()
    }

    private func make(
        _ changes: inout MapChanges, _ map: OrderedMap, _ tree: UInt32, _ limitsMemory: Bool
    ) throws {
        if changes.isEmpty { return }
        let state = try table.forest.state(tree)
        state.pointee.isDirty = true
        try map.make(
            &changes, table.quietWriter, &state.pointee.root, treeID: tree,
            limitingMemory: limitsMemory)
        changes.removeAll()
    }

    /// Drops the changes of a transaction that is rolled back, or of objects that all go.
    func forgetChanges() {
        values.removeAll()
        nulls.removeAll()
        isBehind = false
    }

    /// Enters all objects of the table into an index without entries, many at a time in the order of
    /// their values.
    func build() throws {
        let count = try table.count()
        var position = 0
        while position < count {
            try gather(from: &position)
            isBehind = true
            try catchUp(limitingMemory: true)
        }
    }

    /// Gathers the entries of the leaves from that on whose first row is at `position`, as many as are
    /// made at once.
    private func gather(from position: inout Int) throws {
        try table.forEachLeaf(from: position, keepsLeaves: false) { leaf, _ in
            for row in 0..<leaf.rowCount {
                let value = try table.value(column, at: RowLocation(leaf: leaf, row: row))
                let key = leaf.objectKey(row)
                if value.isNull {
                    nulls.append(.integer(0), key.rawValue, isRemoval: false)
                } else {
                    try table.withFirstKey(value) { first, _ in
                        values.append(first, key.rawValue, isRemoval: false)
                    }
                }
            }
            position += leaf.rowCount
            return pendingBytes < Self.maximumBuildBytes
        }
    }

    // MARK: Trees

    /// The maps of the index with their trees: of values, and of objects without one.
    var maps: [(map: OrderedMap, tree: UInt32)] {
        trees.nulls == 0
            ? [(map, trees.values)] : [(map, trees.values), (Self.nullMap, trees.nulls)]
    }

    func root(_ tree: UInt32) throws -> TreeRoot {
        tree == 0 ? .empty : try table.forest.state(tree).pointee.root
    }
}

extension ValueType {
    /// How an index keeps values of the type: as integers or bytes that are ordered as they are;
    /// nil for a type that cannot be indexed.
    var indexKeyKind: ColumnKind? {
        switch self {
        case .bool, .int, .date: .integer
        case .string, .uuid, .objectID: .bytes
        case .float, .double, .data, .decimal128, .mixed, .link, .typedLink, .embedded: nil
        }
    }
}
