/// The positions in collections at which objects deleted one by one were last found.
///
/// Programs usually delete the objects that a collection holds in its order, or in reverse. So the
/// search for an object begins where the one before was found, and proceeds outwards. A position
/// that is out of date only makes a search longer.
final class LastPlaces {
    /// A collection: the value of a column, or the nested one with this identity.
    struct Collection: Equatable {
        let owner: ObjectKey
        let table: Int
        let column: Int
        let identity: CollectionIdentity?
    }

    /// The number of collections remembered. In others, a search begins at position 0.
    private static let capacity = 64

    /// The most recently used ones come first.
    private var places: [(collection: Collection, position: Int)] = []
    /// The matching rows of a leaf. Kept here so that it is allocated only once.
    fileprivate var rows = RowMask()
    /// The number of leaves that all searches have read so far, which measures their cost.
    fileprivate(set) var visitedLeaves = 0

    init() { places.reserveCapacity(Self.capacity) }

    fileprivate func position(in collection: Collection) -> Int {
        places.first { $0.collection == collection }?.position ?? 0
    }

    fileprivate func note(_ position: Int, in collection: Collection) {
        if places.first?.collection == collection {
            places[0].position = position
            return
        }
        if let old = places.firstIndex(where: { $0.collection == collection }) {
            places.remove(at: old)
        } else if places.count == Self.capacity {
            places.removeLast()
        }
        places.insert((collection, position), at: 0)
    }
}

/// A search for all references to one object in a list or map and the collections nested in it. It
/// reads whole leaves, outwards from where the last reference was found. The object's backlinks
/// give the number of references, so the search ends with the last of them.
struct ReferenceSearch {
    /// A reference: the collection that contains it, and its position there.
    struct Finding {
        let collection: CollectionHandle
        let position: Int
    }

    private let handle: CollectionHandle
    private let target: TypedLink
    /// The target as a mixed value.
    private let image: [UInt8]
    private var remaining: Int
    private var budget: RowBudget
    /// The path from the handle's collection to the one being searched, and whether each step
    /// begins in a collection stored as a tree. Positions are only remembered in those.
    private var inner: [(step: CollectionStep, isInTree: Bool)] = []
    private(set) var findings: [Finding] = []

    init(_ handle: CollectionHandle, _ target: TypedLink, count: Int) {
        self.handle = handle
        self.target = target
        image =
            handle.format.type == .mixed
            ? MixedValue.link(target).withScalar { scalar in
                if case .bytes(let bytes) = scalar { Array(bytes) } else { [] }
            } : []
        remaining = count
        budget = RowBudget(handle.pager)
    }

    mutating func run() throws(StorageError) { try visit(try handle.stored()) }

    private mutating func visit(_ collection: StoredCollection) throws(StorageError) {
        try budget.spend(on: collection)
        guard let root = collection.root else { return try visitInline(collection) }
        let last = handle.table.connection.lastPlaces
        let here = place(inner.count)
        var leaves = try OutwardLeaves(
            handle.pager, root, from: last.position(in: here), format: collection.tree.format)
        while remaining > 0, try leaves.next() {
            last.visitedLeaves += 1
            try visit(leaves, collection, near: last)
        }
    }

    private mutating func visit(
        _ leaves: OutwardLeaves, _ collection: StoredCollection, near last: LastPlaces
    ) throws(StorageError) {
        let (leaf, column) = (leaves.leaf, collection.tree.valueColumn)
        switch collection.format.type.traits.reference {
        case .key, .ownedKey:
            let key = target.key.rawValue
            let isKey = NumberRange(.equal, NumberEdges(key))
            guard PackedColumn(leaf, column).count(isKey) > 0 else { return }
            var row = leaf.indexOfInteger(column, key, from: 0)
            while row >= 0, remaining > 0 {
                add(leaves.firstPosition + row, last)
                row = leaf.indexOfInteger(column, key, from: row + 1)
            }
        case .typedLink:
            guard case .fixed16(let low, let high) = target.scalar else { return }
            Fixed16Column(leaf, column).match(low, high, isEqual: true, into: &last.rows)
            addRows(from: leaves.firstPosition, last)
        case .mixed:
            let values = BytesColumn(leaf, column)
            image.withUnsafeBytes { _ = values.match(.equal, $0, into: &last.rows) }
            addRows(from: leaves.firstPosition, last)
            if remaining > 0,
                Self.has(.list, values, from: last) || Self.has(.map, values, from: last)
            {
                try visitNested(leaves, column)
            }
        case .none: break
        }
    }

    /// Adds the rows that were found in a leaf.
    private mutating func addRows(from first: Int, _ last: LastPlaces) {
        if last.rows.isEmpty { return }
        for row in 0..<last.rows.rowCount where remaining > 0 && last.rows.contains(row) {
            add(first + row, last)
        }
    }

    private static func has(_ kind: CollectionKind, _ values: BytesColumn, from last: LastPlaces)
        -> Bool
    {
        withUnsafeBytes(of: NestedCollection.tag | kind.rawValue) {
            _ = values.match(.prefix, $0, into: &last.rows)
        }
        return !last.rows.isEmpty
    }

    /// Searches the collections nested in a leaf, outwards like the leaves.
    private mutating func visitNested(_ leaves: OutwardLeaves, _ column: Int) throws(StorageError) {
        let leaf = leaves.leaf
        var (next, previous) = (leaves.nearestRow, leaves.nearestRow - 1)
        while remaining > 0, next < leaf.rowCount || previous >= 0 {
            if next < leaf.rowCount {
                try visitNested(leaf, column, row: next, from: leaves.firstPosition)
            }
            if remaining > 0, previous >= 0 {
                try visitNested(leaf, column, row: previous, from: leaves.firstPosition)
            }
            next += 1
            previous -= 1
        }
    }

    private mutating func visitNested(_ leaf: Node, _ column: Int, row: Int, from first: Int)
        throws(StorageError)
    {
        // A value on overflow pages is never a collection.
        if leaf.isNull(column, row) || leaf.isOverflow(column, row) { return }
        try visitNested(leaf.bytes(column, row), at: first + row, isInTree: true)
    }

    private mutating func visitNested(
        _ value: UnsafeRawBufferPointer, at position: Int, isInTree: Bool
    ) throws(StorageError) {
        guard let nested = NestedCollection(value) else { return }
        guard handle.path.count + inner.count < NestedCollection.maximumDepth else {
            throw tooDeep(handle.pager)
        }
        inner.append((nested.step(at: position), isInTree))
        try visit(
            StoredCollection(
                pager: handle.pager, bytes: nested.rows, format: .nested(nested.kind)))
        inner.removeLast()
    }

    private mutating func visitInline(_ collection: StoredCollection) throws(StorageError) {
        var position = 0
        // swift-format-ignore: ReplaceForEachWithForLoop
        try collection.forEach { row throws(StorageError) in
            if handle.table.target(handle.column, row.value) == target {
                add(position, nil)
            } else if collection.format.type == .mixed, case .bytes(let bytes) = row.value {
                try visitNested(bytes, at: position, isInTree: false)
            }
            position += 1
            return remaining > 0
        }
    }

    /// - Parameter last: nil in a collection without a tree, whose positions are not remembered.
    private mutating func add(_ position: Int, _ last: LastPlaces?) {
        remaining -= 1
        let collection = CollectionHandle(
            table: handle.table, column: handle.column, owner: handle.owner,
            format: inner.last.map { .nested($0.step.kind) } ?? handle.format,
            path: inner.isEmpty ? handle.path : handle.path + inner.map(\.step))
        findings.append(Finding(collection: collection, position: position))
        last?.note(position, in: place(inner.count))
        for (depth, (step, isInTree)) in inner.enumerated() where isInTree {
            handle.table.connection.lastPlaces.note(step.position, in: place(depth))
        }
    }

    /// The collection at the end of the first `depth` inner steps.
    private func place(_ depth: Int) -> LastPlaces.Collection {
        LastPlaces.Collection(
            owner: handle.owner, table: handle.table.index, column: handle.column,
            identity: depth > 0 ? inner[depth - 1].step.identity : handle.path.last?.identity)
    }
}
