/// Moving live pages away from the end of the file: what the layers that know what lies on them
/// need to know.
extension Pager {
    /// How far that has come, if the open transaction is one that should go on with it: it changes
    /// something, and opens a group of transactions, so that each group pays for it once.
    var tailWalk: TailWalk? {
        precondition(isInWriteTransaction)
        guard let walk = database.writerState.tailRelease.walk,
            database.writerState.freeSpace!.ceiling != nil, transactionFailure == nil,
            !database.writerState.freeSpace!.isTransactionEmpty, !database.commits.hasOpenGroup
        else { return nil }
        return walk
    }

    /// Keeps how far it has come, for the transactions to come.
    func keep(_ walk: TailWalk) { database.writerState.tailRelease.walk = walk }

    /// Everything was looked at.
    func finish(_ walk: TailWalk) { database.writerState.tailRelease.finish(walk) }

    /// Nothing is moved any more, because something that lies there cannot be read.
    func giveUpTailWalk() { database.writerState.tailRelease.giveUp() }

    /// Whether a run is one to move: it lies above the ceiling, there is room for it below, or at
    /// least below itself, and the open transaction has not just written it.
    func isToMove(_ reference: PageReference, pages: Int) -> Bool {
        let count = UInt64(pages)
        guard reference.birth != writeVersion,
            let ceiling = database.writerState.freeSpace!.ceiling,
            reference.page + count > ceiling,
            let place = database.writerState.freeSpace!.lowPlace(for: count)
        else { return false }
        return place + count <= reference.page
    }

    /// Bytes of the file that the version uses, headers included.
    var usedBytes: UInt64 { file.offset(of: file.firstPage + (record?.livePages ?? 0)) }

    /// Pages that the version reaches, and its free map's.
    var reachedPages: UInt64 {
        // At least none, in a file made to harm.
        record.map { $0.livePages - min($0.recordPages(), $0.livePages) } ?? 0
    }

    /// Pages that the open transaction has taken so far.
    var takenPages: UInt64 { database.writerState.freeSpace!.allocatedPages }
}
