/// Decrypted runs of one connection, for which there was no room in the memory that all connections
/// of an encrypted file share (``DecryptedPlaces``).
///
/// They stay here, so that reading the same page again costs a lookup and not the cipher, until
/// the connection is between two uses and has many of them, or stops reading. A scan frees what it
/// read for a leaf when it is done with the leaf.
///
/// Used by the thread of its pager, or, if several threads read with that, by the holder of `lock`.
final class PrivateRuns {
    private struct Run {
        var birth: UInt64
        var memory: UnsafeMutableRawPointer
        var pageCount: Int
    }

    /// Nil if a single thread uses the pager.
    let lock: Locked<Void>?
    private let pageSize: Int
    private var arena: PageArena
    /// The runs by their first pages.
    private var runs: [UInt64: Run] = [:]
    /// First pages of leaves and long values, in the order in which they were read.
    private var passing: [UInt64] = []
    private(set) var byteCount = 0

    init(pageSize: Int, lock: Locked<Void>? = nil) {
        self.lock = lock
        self.pageSize = pageSize
        arena = PageArena(pageSize: pageSize, isSecret: true)
    }

    deinit { arena.tearDown() }

    /// Returns the run that `reference` names, if it is here.
    func run(_ reference: PageReference) -> UnsafeRawPointer? {
        guard let run = runs[reference.page],
            run.birth == reference.birth || planted(.servesStalePages)
        else { return nil }
        return UnsafeRawPointer(run.memory)
    }

    /// Returns memory for a run that has just been decrypted. A run of another birth at this place
    /// is freed: no version that this connection can still read has it.
    func take(
        _ run: UnsafeRawBufferPointer, at reference: PageReference
    ) -> UnsafeMutableRawPointer {
        remove(reference.page)
        let header = PageHeader(run.baseAddress!)
        let memory = arena.take(pages: header.pageCount)
        runs[reference.page] = Run(
            birth: reference.birth, memory: memory, pageCount: header.pageCount)
        byteCount += run.count
        if header.isLeafOrValue { passing.append(reference.page) }
        return memory
    }

    /// Returns memory for a run that has just been decrypted and is not to be found before it is
    /// there as a whole, because several threads look for it.
    func reserve(_ run: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        arena.take(pages: PageHeader(run.baseAddress!).pageCount)
    }

    /// Makes a run in memory that was reserved for it be found, and returns it. If another thread
    /// was first, its run is returned.
    func keep(
        _ memory: UnsafeMutableRawPointer, at reference: PageReference
    ) -> UnsafeRawPointer {
        let pageCount = PageHeader(memory).pageCount
        if let known = run(reference) {
            arena.giveBack(memory, pages: pageCount)
            return known
        }
        runs[reference.page] = Run(birth: reference.birth, memory: memory, pageCount: pageCount)
        byteCount += pageCount * pageSize
        return UnsafeRawPointer(memory)
    }

    /// Makes the run of a page not be found any more. Its memory stays until all memory is freed.
    func forget(_ page: UInt64) { runs[page] = nil }

    private func remove(_ page: UInt64) {
        guard let run = runs.removeValue(forKey: page) else { return }
        assert(overwrite(run))
        arena.giveBack(run.memory, pages: run.pageCount)
        byteCount -= run.pageCount * pageSize
    }

    // MARK: Scans

    /// How many leaves and long values are here. A scan remembers it when it comes to a leaf.
    var passingCount: Int { passing.count }

    /// Frees the leaves and long values that were read after there were `first` of them, and before
    /// there were `end`. Pointers into them are invalid. `kept`: a leaf to which the scan has come
    /// since, which may be one of them if another scan has read it.
    func remove(from first: Int, to end: Int, but kept: UnsafeRawPointer?) {
        let end = min(end, passing.count)
        guard first < end else { return }
        var keptPages: [UInt64] = []
        for page in passing[first..<end] {
            if let kept, runs[page]?.memory == UnsafeMutableRawPointer(mutating: kept) {
                keptPages.append(page)
            } else {
                remove(page)
            }
        }
        passing.replaceSubrange(first..<end, with: keptPages)
    }

    /// Frees all runs. Pointers into them are invalid.
    func removeAll() {
        assert(runs.values.allSatisfy(overwrite))
        runs.removeAll()
        passing.removeAll()
        byteCount = 0
        arena.reset()
    }

    /// Overwrites a run, so that tests notice a pointer that was kept too long.
    private func overwrite(_ run: Run) -> Bool {
        run.memory.fill(run.pageCount * pageSize, with: 0xA5)
        return true
    }
}
