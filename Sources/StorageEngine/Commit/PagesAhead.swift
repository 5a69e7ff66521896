/// What the open write transaction has written ahead of its commit (`docs/design.md`, "Pages
/// written ahead"). No record names these pages before the transaction's own does.
///
/// Used by the thread of its pager; what becomes a version is handed to its group.
final class PagesAhead {
    /// First pages of the runs that are in the file and not in memory.
    var pages = PageSet()
    /// Where they can be read; those before the last one are kept for who has pointers into them.
    private(set) var mappings: [MappedPages] = []
    /// Private copies that are in the file by now. Their memory stays as it is until the change
    /// ends at whose entry they were written: what that was given may lie in it.
    var retiredArena: PageArena?
    /// The same for decrypted pages.
    var retiredRuns: PrivateRuns?
    /// What writing cost.
    var cost = CommitStatistics(version: 0)

    deinit { retiredArena?.tearDown() }

    /// Where all pages written so far are read.
    var mapping: MappedPages { mappings.last! }

    /// Pages were written that may be outside of the mappings so far.
    func use(_ newest: MappedPages) {
        if mappings.last !== newest { mappings.append(newest) }
    }

    var isRetiring: Bool { retiredArena != nil || retiredRuns != nil }

    /// Memory that is still valid for the change under way only.
    var retiredBytes: Int { (retiredArena?.takenBytes ?? 0) + (retiredRuns?.byteCount ?? 0) }
}
