import Dispatch

/// Checks leaves of a plain file on a thread of its own, so that a walk finds them checked.
///
/// The first touch of a mapped page, and its checksum, are a third of the processor time that a
/// packed copy takes. This is a hint only: damage is not told, because the walk meets the same page.
///
/// Whoever makes one keeps the version pinned until ``finish()`` has returned. Used by one thread.
final class LeafPrefetcher {
    private let pager: Pager
    private let queue = DispatchQueue(label: "realm.prefetch")

    /// Nil for an encrypted file, whose leaves pass through memory of whoever reads them, and in a
    /// forked child, where queues do nothing.
    init?(_ pager: Pager) {
        if pager.file.cipher != nil || System.isForkedChild { return nil }
        self.pager = pager
    }

    /// Begins with `leaves`, and what they have in nodes of their own, once those asked for before
    /// are done.
    func prefetch(_ leaves: [PageReference]) {
        // Later ones are in memory, and not yet in the file.
        let (file, bounds) = (pager.file, pager.bounds)
        guard let pages = pager.pages else { return }
        let stored = leaves.filter { $0.birth < pager.firstVersionInMemory }
        queue.async {
            for leaf in stored { Self.check(leaf, file, bounds, pages) }
        }
    }

    /// Returns when nothing is read any more.
    func finish() { queue.sync {} }

    private static func check(
        _ leaf: PageReference, _ file: PageFile, _ bounds: SnapshotBounds, _ pages: MappedPages
    ) {
        guard let start = try? file.page(leaf, of: bounds, in: pages),
            PageHeader(start).kind == .node
        else { return }
        let node = Node(start)
        for column in 0..<node.columnCount where node.isSpilled(column) {
            _ = try? file.page(node.spillReference(column), of: bounds, in: pages)
        }
    }
}
