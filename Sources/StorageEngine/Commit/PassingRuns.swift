/// Leaves and long values of an encrypted file that a copy reads once and needs no more.
///
/// Other decrypted pages stay in memory as long as the file is open, and the first touch of that
/// memory can take several times as long as the cipher. The memory of passing runs is used again as
/// soon as the copy is done with them. Runs that this process has decrypted before are read where
/// they are, and branches stay in memory.
///
/// Used by the thread of its pager.
final class PassingRuns {
    private let pager: Pager
    private var arena: PageArena
    private var runs: [(memory: UnsafeMutableRawPointer, pages: Int)] = []
    /// How many of `runs` were read before the newest leaf or value.
    private var olderRuns = 0

    init(_ pager: Pager) {
        self.pager = pager
        arena = PageArena(pageSize: pager.pageSize, isSecret: true)
    }

    deinit { arena.tearDown() }

    /// Reads the next leaf or value. Pages that `body` reads are valid until ``keepNewest()`` is
    /// called when there is a newer leaf or value.
    func readNext<Result, E>(_ body: () throws(E) -> Result) throws(E) -> Result {
        olderRuns = runs.count
        return try readMore(body)
    }

    /// Reads pages that belong to the newest leaf: its spilled columns.
    func readMore<Result, E>(_ body: () throws(E) -> Result) throws(E) -> Result {
        precondition(pager.passingRuns == nil)
        pager.passingRuns = self
        defer { pager.passingRuns = nil }
        return try body()
    }

    /// Frees everything that was read before the newest leaf or value.
    func keepNewest() {
        for run in runs[..<olderRuns] { arena.giveBack(run.memory, pages: run.pages) }
        runs.removeFirst(olderRuns)
        olderRuns = 0
    }

    /// Where the pager puts a run that has just been decrypted; nil if the run is to stay.
    func memory(for run: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        let header = PageHeader(run.baseAddress!)
        guard header.isLeafOrValue else { return nil }
        let memory = arena.take(pages: header.pageCount)
        runs.append((memory, header.pageCount))
        return memory
    }
}
