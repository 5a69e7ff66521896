/// Cutting the file where the newest version ends.
///
/// Let `s` be the version since which page counts do not go down (``FreeSpace/uncutSince``), so
/// that the newest version's is the highest of them. The file is cut to it when
///
/// 1. `s` is at most the reusable version: recovery then never looks at a record before that of
///    `s`, one of which may have more pages than the file has afterwards;
/// 2. no version before `s` is pinned. The pins were collected after `s` was known to be visible,
///    so no such version will be pinned later either (see ``FreeSpace/reclaim(through:pinned:)``).
///
/// So at any time the file has at least as many pages as each pinned version's record says. A
/// reader of a version touches nothing behind that (``PageFile/page(_:of:)``). Mappings that go
/// further exist in this process until it cuts the file, and in others until they write; they are
/// not used there. When the file grows again they are valid as they are, because they are mappings
/// of the file. A page that was checked or decrypted before the cut is not taken for the new one,
/// which has another birth.
extension FreeMap {
    /// Cuts the file. Only with the write lock, so that no other process makes the file longer;
    /// the versions on their way to the disk end before `pageCount` as well. `limit`: visible and
    /// reusable; the pins were collected after that was known.
    mutating func cutFile(to pageCount: UInt64, ifSince limit: UInt64, in file: PageFile) {
        guard let since = space.uncutSince, since <= limit,
            pinned.versions.first ?? .max >= since
        else { return }
        space.uncutSince = nil
        // The caller has asked for something else, so a failure is no error: the end of the file
        // stays, unused, until the file grows or is opened again.
        try? file.cut(to: pageCount)
    }

    /// Forgets pages behind the end of the file. A transaction that made the file longer and was
    /// rolled back leaves free pages behind the end of the newest version; another process, which
    /// does not know of them, may have cut them off.
    mutating func forgetLostGrowth(
        since record: CommitRecord, in file: PageFile
    ) throws(StorageError) {
        guard space.pageCount > record.pageCount else { return }
        let present = max(try file.size() >> file.pageShift, record.pageCount)
        if present < space.pageCount { space.shrink(to: present) }
    }
}
