/// A version that a connection reads although it may not be in the file yet: one that it has
/// committed without waiting, or that such a transaction was based on.
///
/// Pages of the groups that are on their way to the disk are read from memory, all others from the
/// file. The connection keeps a version pinned that was visible when the transaction began: it
/// protects all pages in the file that this version reaches, because these are older than the
/// groups.
///
/// Immutable, and safe to share between threads.
// Unchecked because of the pointers: the group owns the memory, which never changes, but for the
// seals that are filled in while the group is written and that no reader looks at.
package final class UnpublishedVersion: @unchecked Sendable {
    let record: CommitRecord
    /// Where pages that are in the file are read.
    let pages: MappedPages?
    /// Bounds of these pages.
    let bounds: SnapshotBounds
    /// The group that publishes the version.
    let group: CommitGroup
    /// Groups before it that were not known to be on disk when the transaction began, the newest
    /// first. None of them takes a transaction any more.
    private let older: [CommitGroup]
    /// The private copies of `group` when the version was the newest one. Later transactions may
    /// join the group and take copies out of its table that they have replaced.
    private let runs: [DirtyPages.Run]

    /// A version that consists of a transaction's base, or of the transaction itself after it has
    /// joined `group`. Requires the write lock.
    init(
        _ record: CommitRecord, in group: CommitGroup, of transaction: borrowing WriteTransaction
    ) {
        self.record = record
        self.group = group
        pages = transaction.pages
        bounds = transaction.boundsInFile
        older = transaction.head.groups.filter { $0 !== group }
        runs = group.runs()
    }

    package var version: UInt64 { record.version }

    /// Returns a run that is not read in the file, or nil if the version has none there.
    func page(_ reference: PageReference) -> UnsafeMutableRawPointer? {
        if reference.birth >= group.firstVersion { return run(at: reference.page) }
        for group in older where group.firstVersion <= reference.birth {
            return group.page(reference.page)
        }
        return nil
    }

    private func run(at page: UInt64) -> UnsafeMutableRawPointer? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].page < page { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].page == page ? runs[low].buffer : nil
    }

    /// Why the version will never be published; nil if it is, or may still be.
    var failure: StorageError? {
        guard group.isFinished, case .failure(let error) = group.outcome else { return nil }
        return error
    }

    /// Whether it may still be published. `newest`: the newest version that is.
    func isPending(_ newest: UInt64) -> Bool { newest < version && failure == nil }
}

extension DirtyPages {
    /// A private copy of a run.
    struct Run {
        var page: UInt64
        var buffer: UnsafeMutableRawPointer
    }
}
