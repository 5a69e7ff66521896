/// The memory shared by all processes that have one database open: the contents of `.lock`, or
/// private memory of the same layout if there is no such file. docs/design.md describes the layout.
///
/// The region consists of blocks, see ``blockCount``. It holds no data of the database: a process
/// that is its only user clears it.
struct SharedRegion {
    /// "RLMLOCK" and the version of the layout.
    static let magic: UInt64 = 0x524C_4D4C_4F43_4B00 | 15
    /// Whether a file that begins with this word is a lock file of this library, of any layout.
    static func isMagic(_ word: UInt64) -> Bool { word >> 8 == magic >> 8 }

    /// The owner of the pins that represent readers without `.lock`.
    static let unsharedReaders = UInt32.max

    let base: UnsafeMutableRawPointer

    private func word64(_ offset: Int) -> UnsafeMutablePointer<UInt64> {
        (base + offset).assumingMemoryBound(to: UInt64.self)
    }

    private func word32(_ offset: Int) -> UnsafeMutablePointer<UInt32> {
        (base + offset).assumingMemoryBound(to: UInt32.self)
    }

    /// The identification of the file and its layout. It is written first, so that a file is empty,
    /// all zeros, or recognizable as this library's.
    var magic: UnsafeMutablePointer<UInt64> { word64(0) }
    /// The inode of the data file that the region belongs to.
    var inode: UnsafeMutablePointer<UInt64> { word64(8) }
    var bootIDHigh: UnsafeMutablePointer<UInt64> { word64(16) }
    var bootIDLow: UnsafeMutablePointer<UInt64> { word64(24) }
    var visibleVersion: UnsafeMutablePointer<UInt64> { word64(32) }
    var durableVersion: UnsafeMutablePointer<UInt64> { word64(40) }
    /// A futex word that every publication changes; see ``Coordinator/publishVisible``. Odd while
    /// one is under way.
    var wakeUpWord: UnsafeMutablePointer<UInt32> { word32(48) }
    var poisoned: UnsafeMutablePointer<UInt32> { word32(52) }
    /// 1 while a process holds the write lock.
    var writerActive: UnsafeMutablePointer<UInt32> { word32(56) }
    /// An upper bound on the indices of pin slots that were ever used. It is raised before a slot
    /// is taken.
    var pinSlotLimit: UnsafeMutablePointer<UInt32> { word32(60) }
    /// The number of threads that may be asleep on the wake-up word.
    var sleeperCount: UnsafeMutablePointer<UInt32> { word32(64) }
    /// The number of processes that wait for the write lock.
    var waitingProcessCount: UnsafeMutablePointer<UInt32> { word32(68) }

    /// The sequence number of the visible version's record. It is stored before the version.
    var visibleSequence: UnsafeMutablePointer<UInt64> { word64(72) }

    /// The sequence number of the durable version's record, or of an older one.
    var durableSequence: UnsafeMutablePointer<UInt64> { word64(80) }
    /// The current turn to sync, see ``SyncTurn``.
    var syncTurn: UnsafeMutablePointer<UInt64> { word64(96) }
    /// The number of turns that were taken over since a sync last succeeded.
    var syncTakeovers: UnsafeMutablePointer<UInt32> { word32(112) }
    /// The number of times that a process took the write lock; it wraps around.
    var lockCount: UnsafeMutablePointer<UInt32> { word32(116) }
    /// The process slot plus one of the process that took the write lock last.
    var lastWriter: UnsafeMutablePointer<UInt32> { word32(120) }
    /// The number of tickets that processes drew to wait for the write lock; it wraps around.
    var drawnTickets: UnsafeMutablePointer<UInt32> { word32(124) }
    /// 1 if the file was recovered by a process that could only read it. The visible version must
    /// then be made durable before anything is written.
    var needsRecovery: UnsafeMutablePointer<UInt32> { word32(88) }

    /// The number of times that a pin was set to the version of another pin.
    var pinCopyCount: UnsafeMutablePointer<UInt32> { word32(92) }

    /// The sequence number of the record that recovery found.
    var openedSequence: UnsafeMutablePointer<UInt64> { word64(104) }

    /// Returns the word with the page of a commit record, which is 0 if the record is in its slot.
    /// There are words for the newest records only.
    func recordPage(of sequence: UInt64) -> UnsafeMutablePointer<UInt64> {
        word64(128 + Int(sequence % CommitRing.allSlots) * 8)
    }

    /// A futex word that changes before a version is published that is not synced.
    var unsyncedSignal: UnsafeMutablePointer<UInt32> { word32(640) }
    /// The number of processes that may have a thread sleeping on `unsyncedSignal`.
    var sleepingWatches: UnsafeMutablePointer<UInt32> { word32(644) }
    /// The number of processes that have the database open, or had it open when they died.
    var processCount: UnsafeMutablePointer<UInt32> { word32(648) }

    /// The number of blocks that may be accessed. It is stored after the file was extended, and
    /// never decreases while any process uses the file.
    var blockCount: UnsafeMutablePointer<UInt32> { word32(652) }
    /// An upper bound on the indices of process slots that were ever used. It is raised before a
    /// slot is in use.
    var processSlotLimit: UnsafeMutablePointer<UInt32> { word32(656) }

    /// The first page of the ring's extension, and the sequence number of the record that it came
    /// with; 0 without an extension. Both are stored before that sequence number becomes visible.
    var extensionPage: UnsafeMutablePointer<UInt64> { word64(664) }
    var extensionSequence: UnsafeMutablePointer<UInt64> { word64(672) }

    /// The version of the newest transaction that was to change the layout of tables; 0 if there
    /// was none. Stored before the version is visible, and not taken back if the transaction fails.
    var layoutVersion: UnsafeMutablePointer<UInt64> { word64(680) }

    /// The newest version whose record carries its changes, and is on the disk. Its pages need not
    /// be.
    var recordedVersion: UnsafeMutablePointer<UInt64> { word64(688) }

    /// Stores the slots that may hold the next visible record or a later one.
    func note(_ ring: CommitRing) {
        if extensionPage.loadRelaxed() == ring.extensionPage { return }
        // A reader between the two stores sees one number without the other, which it takes for no
        // extension (`CommitRing.extended(at:since:)`).
        extensionPage.storeSequential(ring.extensionPage)
        extensionSequence.storeSequential(ring.extensionSequence)
    }

    /// Clears the first `blocks` blocks, except for the magic number. A page that is all zeros, as
    /// nearly all are after few connections, is only read: storing to a page of a file costs a
    /// fault, and a write to the disk later.
    private func clear(blocks: Int) {
        for page in stride(from: 0, to: blocks * Self.blockSize, by: Self.pageSize) {
            let start = page == 0 ? MemoryLayout<UInt64>.size : page
            let count = page + Self.pageSize - start
            let words = UnsafeRawBufferPointer(start: base + start, count: count)
                .bindMemory(to: UInt64.self)
            if words.reduce(0, |) == 0 { continue }
            (base + start).initializeMemory(as: UInt8.self, repeating: 0, count: count)
        }
    }

    /// Clears everything, and makes the region valid for a data file. Only for the sole user.
    /// `blocks` is the number of allocated blocks.
    func initialize(dataFileInode: UInt64, blocks: Int) {
        magic.storeRelease(Self.magic)
        clear(blocks: blocks)
        blockCount.storeRelaxed(UInt32(blocks))
        inode.storeRelaxed(dataFileInode)
        if let bootID = System.bootID {
            bootIDHigh.storeRelaxed(bootID.0)
            bootIDLow.storeRelaxed(bootID.1)
        }
    }

    /// A process that has the database open.
    ///
    /// Only its byte-range lock tells whether the process lives. ``clearTraces(ofProcessSlot:)``
    /// undoes what the slot of a dead process still says.
    struct ProcessSlot {
        let base: UnsafeMutableRawPointer

        var processID: UnsafeMutablePointer<UInt32> { base.assumingMemoryBound(to: UInt32.self) }
        var isInUse: UnsafeMutablePointer<UInt32> {
            (base + 4).assumingMemoryBound(to: UInt32.self)
        }
        /// The time at which the process opened the database, in nanoseconds of the monotonic
        /// clock.
        var startTime: UnsafeMutablePointer<UInt64> {
            (base + 8).assumingMemoryBound(to: UInt64.self)
        }
        /// A ``WaitingTicket`` while the process waits for the write lock of another one; 0 if it
        /// does not.
        var waitingTicket: UnsafeMutablePointer<UInt32> {
            (base + 16).assumingMemoryBound(to: UInt32.self)
        }
        /// The number of threads of this process that may be asleep on the wake-up word.
        var sleeperCount: UnsafeMutablePointer<UInt32> {
            (base + 20).assumingMemoryBound(to: UInt32.self)
        }
        /// The version that the process's sync will make durable, and the sequence number of its
        /// record. They are valid only during a turn of this process, see ``SyncTurn``.
        var syncingVersion: UnsafeMutablePointer<UInt64> {
            (base + 24).assumingMemoryBound(to: UInt64.self)
        }
        var syncingSequence: UnsafeMutablePointer<UInt64> {
            (base + 32).assumingMemoryBound(to: UInt64.self)
        }
        /// 1 while the thread that monitors the commits of other processes may be asleep.
        var isWatchAsleep: UnsafeMutablePointer<UInt32> {
            (base + 40).assumingMemoryBound(to: UInt32.self)
        }
    }

    /// A reader and the version that it pins.
    struct PinSlot {
        let base: UnsafeMutableRawPointer

        /// 0 if nothing is pinned.
        var version: UnsafeMutablePointer<UInt64> { base.assumingMemoryBound(to: UInt64.self) }
        /// The index of the owner's process slot plus one; 0 when the slot is free.
        var owner: UnsafeMutablePointer<UInt32> {
            (base + 8).assumingMemoryBound(to: UInt32.self)
        }
        /// 1 if the version is pinned for a frozen Realm, which does not move to newer ones.
        var isFrozen: UnsafeMutablePointer<UInt32> {
            (base + 12).assumingMemoryBound(to: UInt32.self)
        }
        /// The time at which the version was pinned, in nanoseconds of the monotonic clock.
        var time: UnsafeMutablePointer<UInt64> {
            (base + 16).assumingMemoryBound(to: UInt64.self)
        }
        /// A second version that stays pinned while the first one moves; 0 if none does. Stored
        /// before the first one moves, and cleared after it: look at the first one before this.
        var former: UnsafeMutablePointer<UInt64> {
            (base + 24).assumingMemoryBound(to: UInt64.self)
        }
    }
}
