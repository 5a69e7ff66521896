/// Moving live pages away from the end of the file: what the layers that know the contents of pages
/// need to know.
extension Pager {
    /// How far the walk over the version has come, if the open transaction should go on with it: it
    /// changes something, and opens a group of transactions, so that each group pays for it once.
    var tailWalk: TailWalk? {
        guard let walk = writer.tailRelease.walk, writing.mayMovePages,
            !writer.commits.hasOpenGroup
        else { return nil }
        return walk
    }

    /// Keeps how far the walk has come, for the transactions to come.
    func keep(_ walk: TailWalk) { writer.tailRelease.walk = walk }

    /// The walk has come to its end.
    func finish(_ walk: TailWalk) { writer.tailRelease.finish(walk) }

    /// Nothing is moved any more, because a page on the way cannot be read.
    func giveUpTailWalk() { writer.tailRelease.giveUp() }

    /// Whether a run is one to move.
    func isToMove(_ reference: PageReference, pages: Int) -> Bool {
        writing.isToMove(reference, pages: pages)
    }

    /// Bytes of the file that the version uses, headers included.
    var usedBytes: UInt64 { file.offset(of: file.firstPage + (record?.livePages ?? 0)) }

    /// Pages that the version reaches, and those of its free map.
    var reachedPages: UInt64 {
        // A malicious file may say that it has fewer live pages than commit records.
        record.map { $0.livePages - min($0.recordPages(), $0.livePages) } ?? 0
    }

    /// Pages that the open transaction has taken so far.
    var takenPages: UInt64 { writing.map.space.allocatedPages }
}

extension WriteTransaction {
    /// Whether it changes something, and pages are to be moved at all.
    fileprivate var mayMovePages: Bool {
        map.space.ceiling != nil && failure == nil && !map.space.isTransactionEmpty
    }

    /// Whether a run is one to move: it lies above the ceiling, there is room for it below, or at
    /// least below itself, and the transaction has not just written it.
    mutating func isToMove(_ reference: PageReference, pages: Int) -> Bool {
        let count = UInt64(pages)
        guard reference.birth != version, let ceiling = map.space.ceiling,
            reference.page + count > ceiling, let place = map.space.lowPlace(for: count)
        else { return false }
        return place + count <= reference.page
    }
}
