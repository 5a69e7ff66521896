import CColumnKernels

/// Finds the rows of objects that are about to be visited, in an order that has little to do with that
/// of their keys, and asks for their memory.
///
/// Such objects lie anywhere in the file, so that each visit waits for memory several times, one wait
/// after the other: for the head of its leaf, for its values, for the bytes of its strings. Here the
/// steps are those of different objects: the leaf of one far ahead is asked for, the values of a
/// nearer one, the bytes of the next few.
///
/// Used by the connection's thread, outside of write transactions. What was found is good for as long
/// as the connection's layout stamp stays the same: whoever uses it compares the stamp, and makes a
/// new lookahead, or goes on without one, after a change.
public final class RowLookahead {
    /// How many objects behind the one that is visited should be known.
    public static let distance = 24
    /// Objects whose leaf is near by then.
    private static let distanceOfValues = 14
    /// Objects whose values are near by then.
    private static let distanceOfBytes = 6
    /// Places of objects that are known, by their positions: a power of two.
    private static let capacity = 32
    /// Columns whose values are asked for. Each takes a few nanoseconds, read or not.
    private static let maximumColumns = 8

    private struct Place {
        /// The branch above the leaf, and the row of it that leads there.
        var branch: Node
        var child: Int
        /// Nil if there is no such object, or if its leaf cannot be read: who asks for it by itself is
        /// told why.
        var leaf: Node?
        var row: Int
    }

    private let table: Table
    /// The table's, which lives as long as it does: not counted with each object.
    private let pager: Unmanaged<Pager>
    private let root: Node
    /// How the leaf stores the columns whose values are asked for.
    private let tags: UnsafeMutableBufferPointer<ColumnTag>
    private let places: UnsafeMutablePointer<Place>
    /// Up to which position objects are known, found, and had their bytes asked for.
    @exclusivity(unchecked) private var known: Int
    @exclusivity(unchecked) private var found: Int
    @exclusivity(unchecked) private var asked: Int

    /// Begins in front of the object that is visited at `position`. Nil for a table of one leaf, and
    /// inside of write transactions.
    ///
    /// - Throws: `.damaged`.
    public init?(_ table: Table, from position: Int) throws {
        let tree = try table.root
        guard !table.pager.isInWriteTransaction, tree.level > 0 else { return nil }
        self.table = table
        pager = .passUnretained(table.pager)
        root = try table.pager.root(of: tree, ClusterShape())
        // One piece of memory for both: `lookup-in` makes a lookahead for each query.
        let tagCount = min(table.propertyCount, Self.maximumColumns)
        let placesBytes = Self.capacity * MemoryLayout<Place>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: placesBytes + tagCount * MemoryLayout<ColumnTag>.stride,
            alignment: MemoryLayout<Place>.alignment)
        places = memory.bindMemory(to: Place.self, capacity: Self.capacity)
        tags = UnsafeMutableBufferPointer(
            start: (memory + placesBytes).bindMemory(to: ColumnTag.self, capacity: tagCount),
            count: tagCount)
        for column in tags.indices {
            tags.initializeElement(at: column, to: table.columnTag(column))
        }
        known = position
        found = position
        asked = position
    }

    deinit { UnsafeMutableRawPointer(places).deallocate() }

    /// The position of the object that is to be added next.
    public var end: Int { known }

    /// Goes on at a position, whatever lies between: other objects were found otherwise.
    public func skip(to position: Int) { known = max(known, position) }

    /// Adds the object that is visited at position ``end``, at most ``distance`` behind the one that is
    /// visited now.
    public func add(_ key: ObjectKey) {
        let place = places + known & (Self.capacity - 1)
        known += 1
        guard let (branch, child) = try? parent(of: key) else {
            place.initialize(to: Place(branch: root, child: -1, leaf: nil, row: 0))
            return
        }
        let page = branch.child(child).page
        // The head, and the directory as far as it reaches into the next lines.
        let head = ColumnEntry.directoryOffset + tags.count * ColumnEntry.size
        pager._withUnsafeGuaranteedRef { $0.prefetch(page: page, offset: 0, byteCount: head) }
        place.initialize(to: Place(branch: branch, child: child, leaf: nil, row: Int(key.rawValue)))
    }

    /// Where the object at a position lies, which must be in front of ``end`` and not in front of one
    /// that was asked for before; nil if that was not found.
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
        guard let leaf = place.pointee.leaf else { return nil }
        return RowLocation(leaf: leaf, row: place.pointee.row)
    }

    private func parent(of key: ObjectKey) throws -> (Node, Int) {
        var node = root
        while true {
            let child = ClusterTree.childRow(node, key)
            if node.level == 1 { return (node, child) }
            node = try self.child(of: node, child)
        }
    }

    @inline(__always)
    private func child(of branch: Node, _ row: Int) throws -> Node {
        try pager._withUnsafeGuaranteedRef { try $0.child(of: branch, row, ClusterShape()) }
    }

    private func find(_ place: UnsafeMutablePointer<Place>) {
        let child = place.pointee.child
        guard child >= 0,
            let leaf = try? self.child(of: place.pointee.branch, child),
            let row = leaf.row(of: ObjectKey(rawValue: Int64(place.pointee.row)))
        else { return }
        place.pointee.leaf = leaf
        place.pointee.row = row
        for column in tags.indices where leaf.hasInline(column, tags[column]) {
            let entry = leaf.entry(column)
            realm_prefetch(leaf.base + entry.dataOffset + (row &* entry.width) &>> 3)
        }
    }

    private func askForBytes(_ place: UnsafeMutablePointer<Place>) {
        guard let leaf = place.pointee.leaf else { return }
        for column in tags.indices
        where leaf.hasInline(column, tags[column]) && leaf.kind(column) == .bytes {
            let entry = leaf.entry(column)
            let bytes =
                leaf.base + entry.heapOffset + leaf.startOffset(entry, place.pointee.row)
            realm_prefetch(bytes)
        }
    }
}

extension Table {
    /// Visits objects in the order given, those that do not exist left out, until `body` returns
    /// false. Nothing may be written meanwhile.
    ///
    /// - Throws: `.damaged`, and what `body` throws.
    public func forEachRow(
        of keys: [ObjectKey], _ body: (ObjectKey, RowLocation) throws -> Bool
    ) throws {
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
            guard let location = try lookahead.location(at: position) ?? location(of: key) else {
                continue
            }
            if try !body(key, location) { return }
        }
    }
}
