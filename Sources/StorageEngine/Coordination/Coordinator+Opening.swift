import CRealmSystem
import Glibc

/// The opening protocol: the locks on the data file and on `.lock`, and their order.
///
/// 1. Open `.lock`, creating it if it is missing. A process that may not do so, or may not write
///    the data file, can only read, and continues with step a.
/// 2. Wait for the opening lock on `.lock`. Its holder recovers the file, closes it, or replaces
///    it, and waits for no other lock except the growing lock, whose holder waits for none. Because
///    the file may have been replaced, check that the path still leads to it, and fail if not.
/// 3. If the lock of any process slot is held, the shared memory is alive. Check that it belongs to
///    this file, claim a process slot, and release the opening lock: joined.
/// 4. If no sharing lock is held on the data file, this is the sole opener. Clear `.lock`, claim a
///    process slot, and keep the opening lock until `finishRecovery`.
/// 5. Otherwise, other processes share memory through another `.lock`, or are just dying. Release
///    everything and start again. After a while, report that `.lock` is not the one that the file's
///    users have.
///
/// Claiming a process slot takes two locks. The lock of the slot on `.lock` tells that its user
/// lives. The sharing lock of the slot on the data file tells the same to processes that use
/// another `.lock`. A sole opener takes slot 0, so that of two sole openers with different `.lock`
/// files one fails and continues with step 5.
///
/// Removing the file (`Database.remove`) locks all of its bytes for the time that it takes. So
/// either the remover sees the sharing lock, or the process that has just taken that lock sees that
/// the path no longer leads to the file.
///
/// A reader without `.lock` has private memory and stays at one version:
///
/// a. Refuse to open if any sharing lock is held. Find the newest version.
/// b. Take a shared lock on the byte of that version on the data file.
/// c. Refuse to open if a sharing lock is held by now, or if the newest version has changed.
///
/// A sole opener takes its sharing lock and then looks for the bytes of readers. So either it sees
/// the byte of the reader and pins the version, or the reader sees the sharing lock in step c. A
/// writer that came and went between a and c shows in the newest version.
///
/// A process that is killed at any step leaves only bytes in `.lock`, which the next sole opener
/// clears.
extension Coordinator {
    /// The time for which step 5 waits for others to open or close. A failure is reported within a
    /// second.
    private static let patienceNanoseconds: UInt64 = 750_000_000

    /// Takes the locks that opening needs, and joins or creates the shared memory.
    ///
    /// The descriptor belongs to the caller, who must keep it open until `close`. It must be open
    /// for writing unless `readOnly`. As ``Role/soleOpener``, the caller alone recovers the file
    /// and then calls `finishRecovery`.
    ///
    /// - Throws: `.incompatibleLockFile` if `.lock` was removed or replaced while others use the
    ///   file, `.tooManyReaders` if all process slots are taken, and the errors of `open`.
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
                // The pause is random, so that two processes do not keep each other out again and
                // again.
                System.sleep(nanoseconds: .random(in: 200_000...3_000_000))
            }
        } catch {
            request.abandon()
            throw error
        }
    }

    /// Publishes the recovered version and the sequence number of its commit record, and lets other
    /// processes join. Must be called once, as ``Role/soleOpener``.
    ///
    /// For `recordPage`, see ``RecordPlace/page``. `isDurable` is false if a reader found a version
    /// that nothing in the file proves to be durable.
    package func finishRecovery(
        version: UInt64, sequence: UInt64, recordPage: UInt64 = 0, isDurable: Bool = true
    ) throws(StorageError) {
        try finishRecovery(
            version: version, sequence: sequence, recordPage: recordPage, ring: nil,
            isDurable: isDurable)
    }

    /// Does the same, and publishes `ring`, which is that of the record.
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
