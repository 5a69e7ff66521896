import CColumnKernels

/// Finds the rows of objects that are about to be visited, in an order unrelated to that of their
/// keys, and prefetches their memory.
///
/// Such objects may lie anywhere in the file, so that each visit waits for memory several times in
/// a row: for the head of its leaf, for its values, and for the bytes of its strings. The lookahead
/// overlaps these waits for different objects: it prefetches the leaf of an object far ahead, the
/// values of a nearer one, and the bytes of the next few.
///
/// Used by the connection's thread, outside of write transactions. Locations are valid as long as
/// the connection's layout stamp stays the same. The caller compares the stamp and, after a change,
/// makes a new lookahead or continues without one.
public final class RowLookahead {
    /// The number of objects ahead of the one being visited that should have been added.
    public static let distance = 24
    /// The distance at which values are prefetched. The leaf, prefetched at ``distance``, has
    /// arrived by then.
    private static let distanceOfValues = 14
    /// The distance at which bytes are prefetched. The values have arrived by then.
    private static let distanceOfBytes = 6
    /// The size of the ring of places, which are indexed by position: a power of two.
    private static let capacity = 32
    /// The number of columns whose values are prefetched. Each takes a few nanoseconds, whether or
    /// not it is read later.
    private static let maximumColumns = 8

    private struct Place {
        let key: ObjectKey
        /// The leaf that covers the key; none if it could not be found, or has been read before.
        var reference = PageReference.none
        /// The position of the leaf in the map; -1 if a descent found it.
        var position = -1
        /// The leaf, once it has been read.
        var leaf: Node?
        /// The object's row; -1 until it is found, if there is no such object, or if its leaf
        /// cannot be read. The error is reported when the caller looks the object up itself.
        var row = -1
    }

    private let table: Table
    /// The table's pager, which lives as long as the table. Unmanaged, so that it is not counted
    /// for each object.
    private let pager: Unmanaged<Pager>
    private let root: Node
    /// How the leaves store the columns whose values are prefetched.
    private let tags: UnsafeMutableBufferPointer<ColumnTag>
    /// Those of them whose values are bytes.
    private let bytesColumns: UnsafeMutableBufferPointer<Int>
    /// The length of the leaf's header and the directory of the columns.
    private let headLength: Int
    private let places: UnsafeMutablePointer<Place>
    /// The positions up to which objects are known, found, and have had their bytes prefetched.
    @exclusivity(unchecked) private var known: Int
    @exclusivity(unchecked) private var found: Int
    @exclusivity(unchecked) private var asked: Int
    /// The leaves by their keys; nil as long as descents find them.
    @exclusivity(unchecked) private var map: LeafMap?
    /// The number of objects that are found by descents before the map is made, which takes as long
    /// as reading a few words for each leaf. Nil until the first descent has estimated the number
    /// of leaves.
    @exclusivity(unchecked) private var descentsLeft: Int?
    /// The map is made once a descent has found an object for every so many leaves.
    private static let leavesForDescent = 4

    /// Begins in front of the object that is visited at `position`. Nil for a table of one leaf,
    /// and inside a write transaction.
    ///
    /// - Throws: `.damaged`.
    public init?(_ table: Table, from position: Int) throws(StorageError) {
        if table.pager.isInWriteTransaction { return nil }
        let tree = try table.root
        if tree.level == 0 { return nil }
        self.table = table
        pager = .passUnretained(table.pager)
        root = try table.pager.root(of: tree, ClusterShape())
        // One allocation for all, because every query makes a lookahead.
        let tagCount = min(table.propertyCount, Self.maximumColumns)
        let placesBytes = Self.capacity * MemoryLayout<Place>.stride
        let tagsBytes = tagCount * MemoryLayout<ColumnTag>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: placesBytes + tagsBytes + tagCount * MemoryLayout<Int>.stride,
            alignment: MemoryLayout<Place>.alignment)
        places = memory.bindMemory(to: Place.self, capacity: Self.capacity)
        tags = UnsafeMutableBufferPointer(
            start: (memory + placesBytes).bindMemory(to: ColumnTag.self, capacity: tagCount),
            count: tagCount)
        let columns = (memory + placesBytes + tagsBytes).bindMemory(
            to: Int.self, capacity: tagCount)
        var bytesCount = 0
        for column in tags.indices {
            tags.initializeElement(at: column, to: table.columnTag(column))
            if table.cluster.columns[column].format.kind == .bytes {
                (columns + bytesCount).initialize(to: column)
                bytesCount += 1
            }
        }
        bytesColumns = UnsafeMutableBufferPointer(start: columns, count: bytesCount)
        headLength = ColumnEntry.directoryOffset + tagCount * ColumnEntry.size
        known = position
        found = position
        asked = position
    }

    deinit {
        UnsafeMutableRawPointer(places).deallocate()
        map?.deallocate()
    }

    /// The position of the object that is to be added next.
    public var end: Int { known }

    /// Continues at a position. The objects in between were found in another way.
    public func skip(to position: Int) { known = max(known, position) }

    /// Adds the object that is visited at position ``end``, which is at most ``distance`` ahead of
    /// the one being visited.
    public func add(_ key: ObjectKey) {
        let place = places + known & (Self.capacity - 1)
        known += 1
        let reference: PageReference
        if let map {
            let position = map.position(of: key)
            if let leaf = map.leaf(position) {
                place.initialize(to: Place(key: key, position: position, leaf: leaf))
                var address = leaf.base
                let end = address + headLength
                while address < end {
                    realm_prefetch(address)
                    address += 64
                }
                return
            }
            reference = map.reference(position)
            place.initialize(to: Place(key: key, reference: reference, position: position))
        } else {
            reference = self.reference(of: key)
            place.initialize(to: Place(key: key, reference: reference))
        }
        pager._withUnsafeGuaranteedRef {
            $0.prefetch(page: reference.page, offset: 0, byteCount: headLength)
        }
    }

    /// The location of the object at a position; nil if it was not found. The position must be
    /// before ``end`` and must not decrease from call to call.
    public func location(at position: Int) -> RowLocation? {
        found = max(found, position)
        let lastFound = min(known, position + Self.distanceOfValues)
        while found < lastFound {
            find(places + found & (Self.capacity - 1))
            found += 1
        }
        asked = max(asked, position)
        let lastAsked = min(found, position + Self.distanceOfBytes)
        while asked < lastAsked {
            askForBytes(places + asked & (Self.capacity - 1))
            asked += 1
        }
        let place = places + position & (Self.capacity - 1)
        guard place.pointee.row >= 0, let leaf = place.pointee.leaf else { return nil }
        return RowLocation(leaf: leaf, row: place.pointee.row)
    }

    /// Finds the leaf that covers a key by a descent; none if a branch cannot be read. Makes the
    /// map after many descents.
    @inline(never)
    private func reference(of key: ObjectKey) -> PageReference {
        var node = root
        var leaves = root.rowCount
        while node.level > 1 {
            let child = ClusterTree.childRow(node, key)
            guard let next = try? self.child(of: node, child) else { return .none }
            node = next
            leaves &*= node.rowCount
        }
        let left = (descentsLeft ?? leaves / Self.leavesForDescent) - 1
        descentsLeft = left
        if left == 0 { map = pager._withUnsafeGuaranteedRef { LeafMap($0, root: root) } }
        return node.child(ClusterTree.childRow(node, key))
    }

    @inline(__always)
    private func child(of branch: Node, _ row: Int) throws(StorageError) -> Node {
        try pager.withReference { pager throws(StorageError) in
            try pager.child(of: branch, row, shape: ClusterShape())
        }
    }

    @inline(__always)
    private func find(_ place: UnsafeMutablePointer<Place>) {
        guard let leaf = place.pointee.leaf ?? read(place),
            let row = leaf.row(of: place.pointee.key)
        else { return }
        place.pointee.row = row
        for column in tags.indices where leaf.hasInline(column, tags[column]) {
            let entry = leaf.entry(column)
            realm_prefetch(leaf.base + entry.dataOffset + (row &* entry.width) &>> 3)
        }
    }

    /// Reads the leaf of a place; nil if that fails.
    @inline(never)
    private func read(_ place: UnsafeMutablePointer<Place>) -> Node? {
        let reference = place.pointee.reference
        if reference.isNone { return nil }
        let leaf = try? pager.withReference { pager throws(StorageError) in
            try pager.node(reference, level: 0, shape: ClusterShape())
        }
        guard let leaf else { return nil }
        place.pointee.leaf = leaf
        if place.pointee.position >= 0 { map?.setLeaf(place.pointee.position, leaf) }
        return leaf
    }

    private func askForBytes(_ place: UnsafeMutablePointer<Place>) {
        guard place.pointee.row >= 0, let leaf = place.pointee.leaf else { return }
        for column in bytesColumns where leaf.hasInline(column, tags[column]) {
            let entry = leaf.entry(column)
            let bytes =
                leaf.base + entry.heapOffset + leaf.startOffset(entry, place.pointee.row)
            realm_prefetch(bytes)
        }
    }
}

extension Table {
    /// Visits objects in the order given, until `body` returns false. Keys without an object are
    /// skipped. Nothing may be written meanwhile.
    ///
    /// - Throws: `.damaged`, and what `body` throws.
    public func forEachRow(
        of keys: [ObjectKey], _ body: (ObjectKey, RowLocation) throws(StorageError) -> Bool
    ) throws(StorageError) {
        // `body` may read tables as a whole.
        try connection.removeDeletedRows()
        guard let lookahead = try RowLookahead(self, from: 0) else {
            for key in keys {
                if let location = try location(of: key), try !body(key, location) { return }
            }
            return
        }
        for position in keys.indices {
            let key = keys[position]
            let end = min(position + RowLookahead.distance, keys.count)
            while lookahead.end < end { lookahead.add(keys[lookahead.end]) }
            var found = lookahead.location(at: position)
            if found == nil { found = try location(of: key) }
            if let found, try !body(key, found) { return }
        }
    }
}
