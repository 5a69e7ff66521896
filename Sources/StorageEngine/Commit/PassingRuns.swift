/// Leaves and long values of an encrypted file on their way through a copy, which reads each once.
///
/// Decrypted pages otherwise stay in memory as long as the file is open, and the first touch of
/// that memory can take several times as long as the cipher. Here they are in memory that is used
/// again as soon as they are done with. Runs that this process has decrypted before are read where
/// they are; branches stay as ever.
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

    /// Reads the next leaf or value. What `body` finds is valid until ``keepNewest()`` is called
    /// when there is a newer one.
    func readNext<Result>(_ body: () throws -> Result) rethrows -> Result {
        olderRuns = runs.count
        return try readMore(body)
    }

    /// Reads what belongs to the newest leaf: its spilled columns.
    func readMore<Result>(_ body: () throws -> Result) rethrows -> Result {
        precondition(pager.passingRuns == nil)
        pager.passingRuns = self
        defer { pager.passingRuns = nil }
        return try body()
    }

    /// Says that nothing is needed any more of what was read before the newest leaf or value.
    func keepNewest() {
        for run in runs[..<olderRuns] { arena.giveBack(run.memory, pages: run.pages) }
        runs.removeFirst(olderRuns)
        olderRuns = 0
    }

    /// For the pager: where to put a run that has just been decrypted; nil if it is to stay.
    func memory(for run: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        let header = PageHeader(run.baseAddress!)
        guard header.isLeafOrValue else { return nil }
        let memory = arena.take(pages: header.pageCount)
        runs.append((memory, header.pageCount))
        return memory
    }
}
