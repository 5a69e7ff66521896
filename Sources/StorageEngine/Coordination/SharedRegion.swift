/// The memory that processes with one database open share: the contents of `.lock`, or private
/// memory of the same layout where there is no such file. docs/design.md draws the layout.
///
/// It is made of blocks, see ``blockCount``. It carries no data: whoever finds itself alone clears
/// it.
struct SharedRegion {
    /// "RLMLOCK" and the version of the layout.
    static let magic: UInt64 = 0x524C_4D4C_4F43_4B00 | 7
    /// Whether a file that begins with this word is this library's, of whatever layout.
    static func isMagic(_ word: UInt64) -> Bool { word >> 8 == magic >> 8 }

    /// The owner of pins that stand for readers without `.lock`.
    static let unsharedReaders = UInt32.max

    let base: UnsafeMutableRawPointer

    private func word64(_ offset: Int) -> UnsafeMutablePointer<UInt64> {
        (base + offset).assumingMemoryBound(to: UInt64.self)
    }

    private func word32(_ offset: Int) -> UnsafeMutablePointer<UInt32> {
        (base + offset).assumingMemoryBound(to: UInt32.self)
    }

    /// Says whose file it is and in which layout; the first thing to be written, so that a file is
    /// empty, all zeros, or known to be this library's.
    var magic: UnsafeMutablePointer<UInt64> { word64(0) }
    /// The inode of the data file that the region belongs to.
    var inode: UnsafeMutablePointer<UInt64> { word64(8) }
    var bootIDHigh: UnsafeMutablePointer<UInt64> { word64(16) }
    var bootIDLow: UnsafeMutablePointer<UInt64> { word64(24) }
    var visibleVersion: UnsafeMutablePointer<UInt64> { word64(32) }
    var durableVersion: UnsafeMutablePointer<UInt64> { word64(40) }
    /// The low bits of the visible version, to sleep on.
    var wakeUpWord: UnsafeMutablePointer<UInt32> { word32(48) }
    var poisoned: UnsafeMutablePointer<UInt32> { word32(52) }
    /// 1 while a process holds the write lock.
    var writerActive: UnsafeMutablePointer<UInt32> { word32(56) }
    /// No pin slot from this index on was ever used. Raised before the slot is taken.
    var pinSlotLimit: UnsafeMutablePointer<UInt32> { word32(60) }
    /// How many threads may be asleep on the wake-up word.
    var sleeperCount: UnsafeMutablePointer<UInt32> { word32(64) }
    /// How many processes wait for the write lock.
    var waitingProcessCount: UnsafeMutablePointer<UInt32> { word32(68) }

    /// The sequence number of the visible version's record; stored before the version.
    var visibleSequence: UnsafeMutablePointer<UInt64> { word64(72) }

    /// That of the durable version's record, or of an older one.
    var durableSequence: UnsafeMutablePointer<UInt64> { word64(80) }
    /// See ``SyncTurn``.
    var syncTurn: UnsafeMutablePointer<UInt64> { word64(96) }
    /// How often a turn was taken away since a sync succeeded.
    var syncTakeovers: UnsafeMutablePointer<UInt32> { word32(112) }
    /// 1 if whoever recovered the file could only read it: the visible version must be made durable
    /// before anything is written.
    var needsRecovery: UnsafeMutablePointer<UInt32> { word32(88) }

    /// How often a pin was set to the same version as another one.
    var pinCopyCount: UnsafeMutablePointer<UInt32> { word32(92) }

    /// The sequence number of the record that recovery found.
    var openedSequence: UnsafeMutablePointer<UInt64> { word64(104) }

    /// The page of a commit record, 0 where it is in its slot; of the newest ones, by their numbers.
    func recordPage(of sequence: UInt64) -> UnsafeMutablePointer<UInt64> {
        word64(128 + Int(sequence % CommitRing.allSlots) * 8)
    }

    /// Changes before a version is published that nobody has synced.
    var unsyncedSignal: UnsafeMutablePointer<UInt32> { word32(640) }
    /// How many processes may have a thread that sleeps until it changes.
    var sleepingWatches: UnsafeMutablePointer<UInt32> { word32(644) }
    /// How many processes have the database open, or had it when they died.
    var processCount: UnsafeMutablePointer<UInt32> { word32(648) }

    /// How many blocks may be touched. Stored after the file has become longer, and never lowered
    /// as long as anybody uses the file.
    var blockCount: UnsafeMutablePointer<UInt32> { word32(652) }
    /// No process slot from this index on was ever used. Raised before the slot is in use.
    var processSlotLimit: UnsafeMutablePointer<UInt32> { word32(656) }

    /// The first page of the ring's extension, and the number of the record that it came with; 0
    /// without one. Stored before that number is visible.
    var extensionPage: UnsafeMutablePointer<UInt64> { word64(664) }
    var extensionSequence: UnsafeMutablePointer<UInt64> { word64(672) }

    /// Says where the slots are that the next visible record, or those after it, may be in.
    func note(_ ring: CommitRing) {
        if extensionPage.loadRelaxed() == ring.extensionPage { return }
        extensionPage.storeSequential(ring.extensionPage)
        extensionSequence.storeSequential(ring.extensionSequence)
    }

    /// Storing to a page of a file costs a fault, and writing it to the disk later: what holds nothing,
    /// as nearly all pages do after a few connections, is only read. The magic number stays.
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

    /// Clears everything and makes the region valid for a data file. Only for the sole user.
    /// `blocks`: how many are there.
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

    /// One process that has the database open. Whether the process lives is told by its byte-range
    /// lock alone; what it says here of a dead one is taken back by ``clearTraces(ofProcessSlot:)``.
    struct ProcessSlot {
        let base: UnsafeMutableRawPointer

        var processID: UnsafeMutablePointer<UInt32> { base.assumingMemoryBound(to: UInt32.self) }
        var isInUse: UnsafeMutablePointer<UInt32> {
            (base + 4).assumingMemoryBound(to: UInt32.self)
        }
        /// When the process opened the database, in nanoseconds of the monotonic clock.
        var startTime: UnsafeMutablePointer<UInt64> {
            (base + 8).assumingMemoryBound(to: UInt64.self)
        }
        /// 1 while the process waits for the write lock that another one holds.
        var isWaitingToWrite: UnsafeMutablePointer<UInt32> {
            (base + 16).assumingMemoryBound(to: UInt32.self)
        }
        /// How many of its threads may be asleep on the wake-up word.
        var sleeperCount: UnsafeMutablePointer<UInt32> {
            (base + 20).assumingMemoryBound(to: UInt32.self)
        }
        /// The version that its sync is going to make durable, and the sequence number of its
        /// record. Of interest while the turn is this process's, see ``SyncTurn``.
        var syncingVersion: UnsafeMutablePointer<UInt64> {
            (base + 24).assumingMemoryBound(to: UInt64.self)
        }
        var syncingSequence: UnsafeMutablePointer<UInt64> {
            (base + 32).assumingMemoryBound(to: UInt64.self)
        }
        /// 1 while the thread that looks after the commits of others may be asleep.
        var isWatchAsleep: UnsafeMutablePointer<UInt32> {
            (base + 40).assumingMemoryBound(to: UInt32.self)
        }
    }

    /// One reader and the version that it pins.
    struct PinSlot {
        let base: UnsafeMutableRawPointer

        /// 0 when nothing is pinned.
        var version: UnsafeMutablePointer<UInt64> { base.assumingMemoryBound(to: UInt64.self) }
        /// The index of the owner's process slot plus one; 0 when the slot is free.
        var owner: UnsafeMutablePointer<UInt32> {
            (base + 8).assumingMemoryBound(to: UInt32.self)
        }
        /// When the version was pinned, in nanoseconds of the monotonic clock.
        var time: UnsafeMutablePointer<UInt64> {
            (base + 16).assumingMemoryBound(to: UInt64.self)
        }
    }
}
