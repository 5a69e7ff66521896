import Dispatch

/// Checks leaves of a plain file on a thread of its own, so that a walk finds them already checked.
///
/// The first access to a mapped page, and its checksum, take a third of the processor time of a
/// packed copy. Prefetching is only a hint: damage is not reported, because the walk comes to the
/// same page.
///
/// The owner keeps the version pinned until ``finish()`` has returned. Used by one thread.
final class LeafPrefetcher {
    private let pager: Pager
    private let queue = DispatchQueue(label: "realm.prefetch")

    /// Nil for an encrypted file, whose leaves are decrypted into memory of their reader, and in a
    /// forked child, where dispatch queues do not run.
    init?(_ pager: Pager) {
        if pager.file.cipher != nil || System.isForkedChild { return nil }
        self.pager = pager
    }

    /// Starts checking `leaves`, and their spilled columns, after those requested before.
    func prefetch(_ leaves: [PageReference]) {
        // Pages of later versions are in memory, not yet in the file.
        let (file, bounds) = (pager.file, pager.bounds)
        guard let pages = pager.pages else { return }
        let stored = leaves.filter { $0.birth <= bounds.version }
        queue.async {
            for leaf in stored { Self.check(leaf, file, within: bounds, in: pages) }
        }
    }

    /// Returns when no page is being read any more.
    func finish() { queue.sync {} }

    private static func check(
        _ leaf: PageReference, _ file: PageFile, within bounds: SnapshotBounds,
        in pages: MappedPages
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
