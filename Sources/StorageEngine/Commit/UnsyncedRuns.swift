/// Runs that the versions since a durable one wrote and the newest still reaches. A power loss may
/// take any of them, so the next record vouches for them, beside the runs of its own commit.
struct UnsyncedRuns {
    struct Run {
        var page: UInt64
        var pageCount: UInt64
        /// The version of the record that the run came with, or of a transaction of that record's
        /// group.
        var version: UInt64
        /// The first word of its seal.
        var seal: UInt64
    }

    /// The number of the record that vouches for the runs.
    private(set) var sequence: UInt64 = 0
    /// In ascending order of pages.
    private(set) var runs: [Run] = []

    init() {}

    init(sequence: UInt64, runs: [Run]) {
        self.sequence = sequence
        self.runs = runs
    }

    /// Returns the runs after the commit of the record with this number, which wrote `written` and
    /// freed `freed` of older versions; both ascend. Runs that version `durable` reaches are left
    /// out.
    func after(
        _ sequence: UInt64, writing written: [Run], freeing freed: [FreedExtent],
        durable: UInt64
    ) -> UnsyncedRuns {
        var merged: [Run] = []
        merged.reserveCapacity(runs.count + written.count)
        var nextFreed = freed[...]
        var nextWritten = written[...]
        for run in runs where run.version > durable {
            while let first = nextFreed.first, first.extent.end <= run.page {
                nextFreed.removeFirst()
            }
            if let first = nextFreed.first, first.extent.start <= run.page { continue }
            while let first = nextWritten.first, first.page < run.page {
                merged.append(first)
                nextWritten.removeFirst()
            }
            merged.append(run)
        }
        merged += nextWritten
        return UnsyncedRuns(sequence: sequence, runs: merged)
    }

    /// The pages of all runs, contiguous ones united.
    var extents: [Extent] {
        var extents: [Extent] = []
        for run in runs {
            if let last = extents.last, last.end == run.page {
                extents[extents.count - 1].count += run.pageCount
            } else {
                extents.append(Extent(start: run.page, count: run.pageCount))
            }
        }
        return extents
    }

    var pageCount: UInt64 { runs.reduce(0) { $0 + $1.pageCount } }

    var hash: PageListHash {
        var hash = PageListHash()
        for run in runs { hash.combine(run.seal) }
        return hash
    }
}
