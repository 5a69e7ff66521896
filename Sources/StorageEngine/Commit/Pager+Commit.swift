import Dispatch

/// How durable a write transaction is when its commit returns.
public enum CommitDurability: String, Sendable {
    /// It survives a power loss.
    case full
    /// It survives the end of this process, and all readers see it. Within 100 ms it survives a
    /// power loss; one before that undoes the newest commits, in reverse order, and never damages
    /// the file.
    case relaxed
}

/// The commit protocol.
///
/// 1. Join the open group, or open one (``CommitQueue``): draft the group's commit record, with its
///    page list and with free-space log or checkpoint (``WriteTransaction``). Hand the write lock
///    on.
/// 2. When no other group is being written, one of the waiting threads takes the group; it does
///    the rest (``GroupWriter``).
/// 3. Seal: fill in the checksums, or encrypt.
/// 4. Write the runs, each contiguous stretch with one call, to pages that neither the visible nor
///    the durable version uses, nor the one that a sync under way makes durable (invariant I1).
/// 5. If they are more than a record can vouch for, sync: the record then says so.
/// 6. Write the commit record into slot `sequence mod 64`, or, of a small commit, with 4 behind its
///    pages, in a window that a record before has named (``RecordWindow``).
/// 7. Sync.
/// 8. Publish the version, wake the others.
///
/// Interrupted before 6: the record of the group before is the newest, and nothing points at what
/// was written. Between 6 and 8 without a power loss: no caller was told of the commit; the next
/// writer clears the slot before it writes anything. Power loss between 6 and 7: record or pages
/// may be torn; recovery checks both and takes the group before.
///
/// A failure in 1 rolls the transaction back. One in 3 to 6 fails the group and all that was built
/// on it; the record's slot is cleared. After a failed sync it is unknown what is on disk: the file
/// is poisoned for all writers of all processes.
extension Pager {
    /// Makes the transaction a version, durable when this returns; the connection then reads it, or
    /// a newer one. A transaction without changes becomes no version. After an error it is rolled
    /// back.
    ///
    /// With relaxed durability it is written and visible when this returns, and durable soon.
    ///
    /// `keepingVersion`: whether the connection goes on to read exactly this version, unless the
    /// transaction was so large that it was written ahead.
    ///
    /// - Throws: `.outOfDiskSpace`, `.fileAccess`, `.damaged` when the file was cut outside of this
    ///   library; `.outcomeUnknown` when a sync failed; what ``transactionFailure`` says;
    ///   `.committedUnread`, and then it is a version, and nothing is read.
    package func commit(
        _ durability: CommitDurability = .full, keepingVersion: Bool = false
    ) throws(StorageError) -> CommitStatistics {
        precondition(isInWriteTransaction)
        mayWait = true
        let keepsVersion = keepingVersion && ahead == nil
        let base = version
        var statistics = CommitStatistics(version: writing.version)
        let costAhead = ahead?.cost
        guard let group = try finish(durability, showingIt: keepsVersion) else {
            return CommitStatistics(version: base)
        }
        do throws(StorageError) {
            let commits = writer.commits
            // A sync is worth waiting for company; what is not synced takes no longer alone.
            let cost =
                durability == .full
                ? try commits.waitUntilDurableWithOthers(group)
                : try commits.waitUntilDurable(group)
            if let cost {
                let version = statistics.version
                statistics = cost
                statistics.version = version
                statistics.add(costAhead)
            }
        } catch {
            if keepsVersion { leaveUnpublished() }
            throw error
        }
        if !keepsVersion {
            do { try moveToNewest() } catch { throw .committedUnread(error) }
        }
        return statistics
    }

    /// Writes the transaction, or has `queue` write it, and begins the next one on it. For a file
    /// that no other process knows of yet: it becomes durable with the next `commit` that is
    /// full and changes something, and a power loss before that may leave a damaged file. If it
    /// cannot be written, this throws, or the end of the next transaction does, which fails with
    /// what it was built on.
    ///
    /// - Throws: what `commit` and ``beginWrite()`` throw; there is no transaction then.
    func commitBehind(on queue: DispatchQueue?) throws(StorageError) {
        let version = writing.version
        // The one before was written while this one was made.
        queue?.sync {}
        guard let group = try finish(nil) else { return try beginWrite() }
        let commits = writer.commits
        if let queue {
            // Taken here: otherwise this thread would write it itself, before the queue comes to
            // it, because nothing joins a group as large as this.
            let isTaken = commits.take(group)
            precondition(isTaken, "a file that no other process knows of has another writer")
            // The queue of commits keeps the failure.
            queue.async { _ = try? commits.write(group) }
        } else {
            _ = try commits.waitUntilDurable(group)
        }
        try beginWrite()
        // It may have failed already: then the next one is based on the version before.
        guard self.version != version else { return }
        rollback()
        _ = try commits.waitUntilDurable(group)
        preconditionFailure("a transaction was written, and the next one is not based on it")
    }

    /// Ends the transaction as a part of the group that is returned, which is still to be written;
    /// nil if it changed nothing: the connection then reads the version that it was based on, or a
    /// newer one. After an error it is rolled back. `durability` is nil for what becomes durable
    /// with a later commit only. `showingIt`: whether the connection reads it from now on, as one
    /// that does not wait does in any case.
    func finish(
        _ durability: CommitDurability?, showingIt: Bool = false
    ) throws(StorageError) -> CommitGroup? {
        precondition(isInWriteTransaction)
        do throws(StorageError) {
            try writing.checkNotFailed()
            try database.checkNotForked()
            guard writing.hasChanges else {
                precondition(root == record?.root ?? .none, "a new root without a new page")
                rollback()
                return nil
            }
            notePeak()
            // Only what belongs to the connection: the transaction is being changed meanwhile.
            let pages = pages
            // What takes long to compare is not prepared, because committing might wait for that.
            let isAwaited =
                durability == .full && !writing.isLarge && database.changeLog.isObserved
            let group = try writing.join(durability) { run, reference in
                pages.flatMap { memory(for: run, reference, in: $0) }
            }
            let isShown = !mayWait || showingIt
            let coming =
                isShown || isAwaited
                ? UnpublishedVersion(group.record, in: group, of: writing) : nil
            takeTransaction().handOver()
            if let coming, isShown { show(coming) }
            if let coming, isAwaited {
                VersionWatch.ofProcess.value.announce(coming, of: database.coordinator)
            }
            return group
        } catch {
            rollback()
            throw error
        }
    }

    /// Keeps what the open transaction did if it becomes a version. `writer`: who did it.
    func record(_ changes: ChangeSet, by writer: UInt64) {
        writing.recordedChanges = (writer, changes)
    }

    /// The version that the open transaction becomes is to have no free pages at the end of the
    /// file.
    func leaveNoTail() { writing.leavesNoTail = true }
}
