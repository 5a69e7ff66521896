/// Cutting the file where the newest version ends.
///
/// Let `s` be the version since which page counts do not go down (``FreeSpace/uncutSince``), so
/// that the newest version's is the highest of them. The file is cut to it when
///
/// 1. `s` is at most the reusable version: recovery then never looks at a record before that of
///    `s`, one of which may have more pages than the file has afterwards;
/// 2. no version before `s` is pinned. The pins were collected after `s` was known to be visible,
///    so none will be either (see ``FreeSpace/reclaim(through:pinned:)``).
///
/// So at any time the file has at least as many pages as each pinned version's record says. Whoever
/// reads a version touches nothing behind that: ``PageFile/page(_:of:)`` sees to it. Mappings that
/// go further, in this process until it cuts the file, in others until they write, are not used
/// there. When the file grows again they are valid as they are, because they are mappings of the
/// file; and a page that was checked, or decrypted, before the cut is not taken for the new one,
/// because that has another birth.
extension WriterState {
    /// Only with the write lock, so that nobody makes the file longer; the versions on their way to
    /// the disk end before `pageCount` as well. `limit`: visible and reusable; the pins were
    /// collected after that was known.
    mutating func cutFile(to pageCount: UInt64, ifSince limit: UInt64, in file: PageFile) {
        guard let since = freeSpace!.uncutSince, since <= limit,
            pinned.versions.first ?? .max >= since
        else { return }
        freeSpace!.uncutSince = nil
        // Whoever writes has asked for something else. If the system does not cut the file, its
        // end stays, unused, until the file grows or is opened again.
        try? file.cut(to: pageCount)
    }

    /// Gives up free pages at the end of the map, and begins to move what lies there, if it is time
    /// to. `version`, `record`: what a transaction that is about to begin is based on.
    mutating func releaseTail(version: UInt64, record: CommitRecord?) {
        tailRelease.look(at: &freeSpace!, version: version, record: record)
    }

    /// A transaction that made the file longer and was rolled back leaves free pages behind the end
    /// of the newest version. Another process, which does not know of them, may have cut them off.
    mutating func forgetLostGrowth(
        since record: CommitRecord, in file: PageFile
    ) throws(StorageError) {
        guard freeSpace!.pageCount > record.pageCount else { return }
        let present = max(try file.size() >> file.pageShift, record.pageCount)
        if present < freeSpace!.pageCount { freeSpace!.shrink(to: present) }
    }
}
