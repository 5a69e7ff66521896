import CRealmSystem
import Glibc

/// Opening protocol. Locks on the data file, in `.lock`, and the order between them:
///
/// 1. Open `.lock`, creating it where it is missing.
/// 2. Try the data file's lock exclusively; otherwise wait for it shared. A sole opener holds it
///    exclusively until recovery is finished, so this waits for the end of a recovery.
///    Whoever compacts the file holds it exclusively until another file is in its place; so look
///    whether the path still leads to this one, and open anew if not.
/// 3. Wait for the opening lock on `.lock`. Whoever holds it never waits for another lock.
/// 4. Exclusive in step 2 and no process slot's lock held: this is the sole opener. Clear `.lock`,
///    claim a process slot, and keep both locks until `finishRecovery`. With a slot's lock held,
///    `.lock` is in use for a data file that was replaced, or by a process that is just being
///    killed: go on as in 6.
/// 5. Not exclusive and any process slot's lock held: the shared memory is alive. Check that it is
///    this file's, claim a process slot, release the opening lock: joined.
/// 6. Otherwise the other holders of the data file's lock are on their way in or out, or use
///    another `.lock`: try to make the lock exclusive (4), else let go of everything and start
///    again; after a while, report that `.lock` does not belong to the file's users.
///
/// A reader may have no right to lock the data file exclusively. It is the sole opener in step 6
/// when nobody else is there who shares memory, and the opening lock alone keeps others out.
///
/// Killed at any step, a process leaves only bytes in `.lock` that the next sole opener clears.
extension Coordinator {
    /// How long step 6 waits for others to come in or go out: what cannot be had is reported within
    /// a second.
    private static let patienceNanoseconds: UInt64 = 750_000_000

    /// Takes the locks that opening needs and joins, or creates, the shared memory.
    ///
    /// The descriptor stays the caller's and must stay open until `close`. It must be open for
    /// writing unless `readOnly`. As ``Role/soleOpener`` the caller recovers the file alone and
    /// then calls `finishRecovery`.
    ///
    /// - Throws: `.incompatibleLockFile` when `.lock` was removed or replaced while others use the
    ///   file, `.tooManyReaders` when all process slots are taken, and what `open` may fail with.
    package static func open(
        path: String, dataFile: Int32, readOnly: Bool
    ) throws(StorageError) -> (Coordinator, Role) {
        realm_watch_forks()
        let request = try OpenRequest(path: path, dataFile: dataFile, readOnly: readOnly)
        do throws(StorageError) {
            let deadline = System.monotonicNanoseconds + patienceNanoseconds
            while true {
                if let opened = try request.attempt() { return opened }
                if System.monotonicNanoseconds > deadline { throw request.strangersError }
                // Different for each process, so that two of them do not keep each other out.
                System.sleep(nanoseconds: .random(in: 200_000...3_000_000))
            }
        } catch {
            request.abandon()
            throw error
        }
    }

    /// Publishes the recovered version and the sequence number of its commit record, and lets others
    /// join. Only as ``Role/soleOpener``, once. `recordPage`: see ``RecordPlace/page``. `isDurable`: false where a reader found a version that
    /// nothing in the file vouches for.
    package func finishRecovery(
        version: UInt64, sequence: UInt64, recordPage: UInt64 = 0, isDurable: Bool = true
    ) throws(StorageError) {
        try checkNotForked()
        region.recordPage(of: sequence).storeSequential(recordPage)
        region.openedSequence.storeSequential(sequence)
        region.durableSequence.storeSequential(isDurable ? sequence : 0)
        region.durableVersion.storeSequential(isDurable ? version : 0)
        region.needsRecovery.storeSequential(isDurable ? 0 : 1)
        region.visibleSequence.storeSequential(sequence)
        region.visibleVersion.storeSequential(version)
        region.wakeUpWord.storeSequential(UInt32(truncatingIfNeeded: version))
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            if dataLock >= 0 {
                try System.lock(
                    dataLock, .shared, isShared ? LockRanges.usingAndSharing : LockRanges.using)
            }
            if isShared { try System.unlock(lockFile, LockRanges.opening) }
        }
        phaseLock.withLock {
            precondition(phase == .recovering, "recovery is finished once")
            phase = .open
        }
    }
}
