/// Pages that the open write transaction has written ahead of its commit (`docs/design.md`, "Pages
/// written ahead"). No record names them before the transaction's own does.
///
/// Used by the thread of its pager; when the transaction becomes a version, `pages` goes to its
/// group.
final class PagesAhead {
    /// First pages of the runs that are in the file and not in memory.
    var pages = PageSet()
    /// Mappings in which they are read; those before the last one are kept because pointers into
    /// them may be in use.
    private(set) var mappings: [MappedPages] = []
    /// Memory of private copies that are in the file by now. It stays as it is until the end of the
    /// change at whose entry they were written, because values that the change was given may lie in
    /// it.
    var retiredArena: PageArena?
    /// Decrypted pages that stay for the same reason.
    var retiredRuns: PrivateRuns?
    /// The cost of writing them.
    var cost = CommitStatistics(version: 0)

    deinit { retiredArena?.tearDown() }

    /// The mapping in which all pages written so far are read.
    var mapping: MappedPages { mappings.last! }

    /// Pages were written that may be outside of the mappings so far.
    func use(_ newest: MappedPages) {
        if mappings.last !== newest { mappings.append(newest) }
    }

    var isRetiring: Bool { retiredArena != nil || retiredRuns != nil }

    /// Memory that is still valid for the change under way only.
    var retiredBytes: Int { (retiredArena?.takenBytes ?? 0) + (retiredRuns?.byteCount ?? 0) }
}
