import CRealmSystem
import Glibc

/// Opening protocol. Locks on the data file, in `.lock`, and the order between them:
///
/// 1. Open `.lock`, creating it where it is missing. Who may not, or may not write the data file,
///    can only read, and goes on as below.
/// 2. Wait for the opening lock on `.lock`. Whoever holds it waits for no other lock but that
///    of growing, whose holder waits for none: it recovers the file, closes it, or puts another one
///    in its place. So look whether the path
///    still leads to this one, and open anew if not.
/// 3. Any process slot's lock held: the shared memory is alive. Check that it is this file's, claim
///    a process slot, release the opening lock: joined.
/// 4. Nobody's sharing lock held on the data file: this is the sole opener. Clear `.lock`, claim a
///    process slot, and keep the opening lock until `finishRecovery`.
/// 5. Otherwise others share memory by another `.lock`, or just die: let go of everything and start
///    again; after a while, report that `.lock` does not belong to the file's users.
///
/// Claiming a process slot takes two locks: that of the slot on `.lock`, which says that its user
/// lives, and the sharing lock of the slot on the data file, which says so to those who use another
/// `.lock`. A sole opener takes slot 0, so that of two with different `.lock`s one fails and goes
/// to 5.
///
/// Who removes the file (`Database.remove`) locks all of its bytes meanwhile. So it sees the
/// sharing lock, or whoever has taken that lock sees that the path leads to the file no more.
///
/// A reader without `.lock` has memory of its own and stays at one version:
///
/// a. Nobody's sharing lock is held, or it is refused. Find the newest version.
/// b. Lock the byte of that version on the data file, shared.
/// c. Still nobody's sharing lock is held, and the newest version is still that one, or it is
///    refused.
///
/// A sole opener takes its sharing lock and then looks for such bytes: it sees that of the
/// reader, and pins the version, or the reader sees the lock in c. Versions that were written and
/// left between a and c show in the newest version.
///
/// Killed at any step, a process leaves only bytes in `.lock` that the next sole opener clears.
extension Coordinator {
    /// How long step 5 waits for others to come in or go out: what cannot be had is reported within
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
    /// join. Only as ``Role/soleOpener``, once. `recordPage`: see ``RecordPlace/page``. `ring`: of the record. `isDurable`: false where a reader found a version that
    /// nothing in the file vouches for.
    package func finishRecovery(
        version: UInt64, sequence: UInt64, recordPage: UInt64 = 0, isDurable: Bool = true
    ) throws(StorageError) {
        try finishRecovery(
            version: version, sequence: sequence, recordPage: recordPage, ring: nil,
            isDurable: isDurable)
    }

    func finishRecovery(
        version: UInt64, sequence: UInt64, recordPage: UInt64, ring: CommitRing?, isDurable: Bool
    ) throws(StorageError) {
        try checkNotForked()
        if let ring { region.note(ring) }
        region.recordPage(of: sequence).storeSequential(recordPage)
        region.openedSequence.storeSequential(sequence)
        region.durableSequence.storeSequential(isDurable ? sequence : 0)
        region.durableVersion.storeSequential(isDurable ? version : 0)
        region.needsRecovery.storeSequential(isDurable ? 0 : 1)
        region.visibleSequence.storeSequential(sequence)
        region.visibleVersion.storeSequential(version)
        region.wakeUpWord.storeSequential(UInt32(truncatingIfNeeded: version))
        if readsUnshared {
            try pinByLock(version)
        } else if isShared {
            try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
                try pinVersionsOfUnsharedReaders()
                try System.unlock(lockFile, LockRanges.opening)
            }
        }
        phaseLock.withLock {
            precondition(phase == .recovering, "recovery is finished once")
            phase = .open
        }
    }
}
