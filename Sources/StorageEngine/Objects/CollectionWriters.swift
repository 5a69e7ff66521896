/// The writers of a table's collections that are stored in trees.
///
/// Each keeps the path to the leaf that it changed last. Programs append to lists, and remove from
/// their beginning, often to and from several lists in turn. So the writers of one list's two ends
/// are two, and those of lists of several owners others. They are made when they are first needed.
struct CollectionWriters: ~Copyable {
    /// The number of owners, with consecutive keys, whose writers differ. A writer takes 0.8 KiB.
    private static let owners = 8

    private let writers = OwnedBuffer<Unmanaged<TreeWriter>?>(count: 2 * owners) { _ in nil }
    private let pager: Pager
    private let moves: UnsafeMutablePointer<UInt64>

    /// `moves` is the stamp of all of a table's writers of trees that contain no objects.
    init(pager: Pager, moves: UnsafeMutablePointer<UInt64>) {
        self.pager = pager
        self.moves = moves
    }

    deinit {
        for place in 0..<2 * Self.owners { writers[place]?.release() }
    }

    /// The writer for changes at a position of a collection of `owner` with this root.
    @inline(__always)
    func writer(of owner: ObjectKey, at position: Int, in root: TreeRoot) -> TreeWriter {
        let place = place(of: owner, at: position, in: root)
        if let writer = writers[place] { return writer.takeUnretainedValue() }
        return makeWriter(at: place)
    }

    /// The writer that last changed the collection at this position, if there is one.
    @inline(__always)
    func existingWriter(of owner: ObjectKey, at position: Int, in root: TreeRoot) -> TreeWriter? {
        writers[place(of: owner, at: position, in: root)]?.takeUnretainedValue()
    }

    @inline(__always)
    private func place(of owner: ObjectKey, at position: Int, in root: TreeRoot) -> Int {
        let isInSecondHalf = position &* 2 >= root.count
        return Int(truncatingIfNeeded: owner.rawValue) & (Self.owners - 1)
            | (isInSecondHalf ? Self.owners : 0)
    }

    @inline(never)
    private func makeWriter(at place: Int) -> TreeWriter {
        let writer = TreeWriter(pager: pager, layoutStamp: moves)
        writers[place] = .passRetained(writer)
        return writer
    }
}
