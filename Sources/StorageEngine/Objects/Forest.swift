/// The roots of all trees. A few roots are in the commit record itself; more are in a tree of their
/// own, which maps tree ids to roots.
///
/// A connection works on the roots in memory. `flush` writes the changed ones before a commit.
final class Forest {
    struct State {
        var root = TreeRoot.empty
        /// In cluster trees, the next object key. In primary-key maps, 1 more than the key of the
        /// object whose primary key is null, or 0.
        var extra: Int64 = 0
        /// `extra` as it was loaded: inside a write transaction, its value in the base version.
        var loadedExtra: Int64 = 0
        var isLoaded = false
        var isDirty = false
    }

    /// The id of the schema's entry, whose root is the reference of an overflow value.
    static let schemaID: UInt32 = 1

    static let map = OrderedMap(firstKeyKind: .integer, valueCount: 5)

    let pager: Pager
    private let writer: TreeWriter
    private let moves: UnsafeMutablePointer<UInt64>
    /// Indexed by tree id. A raw buffer, because every lookup of an object passes through it.
    @exclusivity(unchecked) private(set) var states: UnsafeMutablePointer<State>
    @exclusivity(unchecked) private var capacity: Int
    /// An upper bound of the ids of loaded trees.
    private(set) var loadedEnd = 0
    /// Whether the roots in the commit record have been loaded, which happens for all of them at
    /// once.
    var hasLoadedInlineRoots = false

    init(pager: Pager) {
        self.pager = pager
        moves = .allocate(capacity: 1)
        moves.initialize(to: 0)
        writer = TreeWriter(pager: pager, layoutStamp: moves)
        capacity = 32
        states = .allocate(capacity: capacity)
        states.initialize(repeating: State(), count: capacity)
    }

    deinit {
        states.deallocate()
        moves.deallocate()
    }

    /// The state of a tree, loaded if necessary. The pointer is valid until the next call with a
    /// larger id.
    @inline(__always)
    func state(_ id: UInt32) throws(StorageError) -> UnsafeMutablePointer<State> {
        if Int(id) >= capacity { grow(to: Int(id) + 1) }
        // Loading may enlarge the buffer, so the pointer is formed afterwards.
        if !states[Int(id)].isLoaded { try load(id) }
        return states + Int(id)
    }

    /// The state of a tree if it is loaded.
    func loadedState(_ id: UInt32) -> State? {
        Int(id) < capacity && states[Int(id)].isLoaded ? states[Int(id)] : nil
    }

    private func grow(to needed: Int) {
        let larger = max(needed, capacity * 2)
        let new = UnsafeMutablePointer<State>.allocate(capacity: larger)
        new.moveInitialize(from: states, count: capacity)
        (new + capacity).initialize(repeating: State(), count: larger - capacity)
        states.deallocate()
        states = new
        capacity = larger
    }

    /// Frees all nodes of a tree, whose paths in `writer` become invalid. `extra` stays the same.
    func drop(_ id: UInt32, _ format: TreeFormat, with writer: TreeWriter) throws(StorageError) {
        let state = try state(id)
        state.pointee.isDirty = true
        try forEachNode(pager, state.pointee.root, format: format) {
            reference, node throws(StorageError) in
            if node.level == 0 {
                for column in 0..<node.columnCount where node.isSpilled(column) {
                    try pager.free(node.spillReference(column))
                }
            }
            try pager.free(reference)
        }
        state.pointee.root = .empty
        writer.dropPath()
        writer.rowsMoved()
    }

    /// The root of the tree of roots.
    func forestRoot() throws(StorageError) -> TreeRoot {
        if pager.root.isNone { return .empty }
        let node = try pager.node(pager.root)
        let root = TreeRoot(reference: pager.root, level: node.level, count: node.rowsBelow)
        guard root.level < TreeWriter.maximumDepth, root.count <= pager.maximumRowCount else {
            throw pager.misplaced(pager.root)
        }
        return root
    }

    private func load(_ id: UInt32) throws(StorageError) {
        if pager.root.isNone {
            try loadInlineRoots()
            var loaded = states[Int(id)]
            loaded.isLoaded = true
            setLoaded(id, loaded)
            return
        }
        var loaded = State()
        loaded.isLoaded = true
        if let (node, row) = try Self.map.find(
            pager, try forestRoot(), first: .integer(Int64(id)), second: 0)
        {
            let reference = PageReference(
                page: UInt64(bitPattern: node.integer(2, row)),
                birth: UInt64(bitPattern: node.integer(3, row)))
            loaded = try stored(
                id, reference, level: node.integer(4, row), count: node.integer(5, row),
                extra: node.integer(6, row), newestBirth: node.birth)
        }
        setLoaded(id, loaded)
    }

    func setLoaded(_ id: UInt32, _ state: State) {
        if Int(id) >= capacity { grow(to: Int(id) + 1) }
        states[Int(id)] = state
        loadedEnd = max(loadedEnd, Int(id) + 1)
    }

    /// Checks and returns the stored state of a tree. The root must not be younger than the page or
    /// record that names it, and only an empty tree has none.
    func stored(
        _ id: UInt32, _ reference: PageReference, level: Int64, count: Int64, extra: Int64,
        newestBirth: UInt64
    ) throws(StorageError) -> State {
        guard level >= 0, level < TreeWriter.maximumDepth, count >= 0,
            count <= pager.maximumRowCount, extra >= 0, extra < Node.maximumKey,
            reference.birth <= newestBirth,
            id == Self.schemaID || reference.isNone == (count == 0)
        else { throw pager.damaged(pager.root.page, "the root of tree \(id) makes no sense") }
        return State(
            root: TreeRoot(reference: reference, level: Int(level), count: Int(count)),
            extra: extra, loadedExtra: extra, isLoaded: true)
    }

    /// Drops the states in memory, because the connection has moved to another version or has
    /// rolled back.
    func reset() {
        for id in 0..<loadedEnd { states[id] = State() }
        loadedEnd = 0
        hasLoadedInlineRoots = false
    }

    /// Writes the roots that changed. Afterwards the pager has the root that reaches everything.
    func flush() throws(StorageError) {
        if pager.root.isNone, try flushInlineRoots() { return }
        var forest = try forestRoot()
        for id in 0..<loadedEnd where states[id].isDirty {
            let state = states[id]
            try Self.map.set(
                writer, &forest, treeID: 0, first: .integer(Int64(id)), second: 0,
                values: (
                    Int64(bitPattern: state.root.reference.page),
                    Int64(bitPattern: state.root.reference.birth), Int64(state.root.level),
                    Int64(state.root.count), state.extra
                ))
            states[id].isDirty = false
        }
        pager.root = forest.reference
    }

    /// Calls `body` to change the tree of roots itself, in a way that leaves its entries as they
    /// are.
    func withTree<R>(_ body: (inout TreeRoot, TreeWriter) throws(StorageError) -> R)
        throws(StorageError) -> R
    {
        var root = try forestRoot()
        let result = try body(&root, writer)
        // Not in a `defer`: after an error the pager must keep the root of the base version.
        pager.root = root.reference
        return result
    }
}
