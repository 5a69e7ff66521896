/// The runs that records since a durable version made, rebuilt from the changes that they carry.
///
/// A run that is in its place as it was written is taken from there. Otherwise it is made from its
/// base: a run that an earlier of the records made, or one of the durable version, which nothing
/// has written over. Bytes may be anything. Memory: each record makes 128 KiB at most.
struct RebuiltRuns {
    private struct Run {
        var pageCount: UInt64
        /// Nil where it could not be made: then nothing may need it.
        var contents: RunContents?
        var isInPlace = false
    }

    private let file: PageFile
    /// By their first pages.
    private var runs: [UInt64: Run] = [:]
    private var byteCount = 0

    init(_ file: PageFile) { self.file = file }

    /// The most bytes that may be made: those of all records that may follow a durable version.
    private static let largestBytes =
        PageChanges.largestRuns * Int(CommitRing.allSlots)

    /// Repeats the commit of the next record. Returns false where its changes make no sense.
    mutating func apply(_ record: CommitRecord) throws(StorageError) -> Bool {
        guard let changes = record.changes, let log = record.log else { return false }
        var next = runs
        var end: UInt64 = 0
        var position = 0
        while position < changes.count {
            guard let described = Described(changes, at: position, after: end, of: record, in: file)
            else { return false }
            let made = try make(described, from: changes)
            guard let made else { return false }
            byteCount += file.byteCount(described.pageCount)
            guard byteCount <= Self.largestBytes else { return false }
            remove(described.pages, from: &next)
            next[described.page] = made.run
            position = made.end
            end = described.pages.end
        }
        for freed in log.freed { remove(freed.extent, from: &next) }
        runs = next
        return true
    }

    /// Repeats a commit whose runs are in their places.
    mutating func pass(_ record: CommitRecord) {
        for freed in record.log?.freed ?? [] { remove(freed.extent, from: &runs) }
        for extent in record.pageList { remove(extent, from: &runs) }
    }

    /// The runs that are left, in the file; nil where one of them could not be made.
    var contents: (pages: [Recovery.Contents], areInPlace: Bool)? {
        var pages: [Recovery.Contents] = []
        for (page, run) in runs.sorted(by: { $0.key < $1.key }) {
            guard let contents = run.contents else { return nil }
            pages.append(
                Recovery.Contents(offset: file.offset(of: page), bytes: contents.stored))
        }
        return (pages, runs.values.allSatisfy(\.isInPlace))
    }

    private func remove(_ extent: Extent, from runs: inout [UInt64: Run]) {
        for (page, run) in runs where page < extent.end && extent.start < page + run.pageCount {
            runs[page] = nil
        }
    }

    // MARK: One run

    private func make(
        _ described: Described, from changes: [UInt8]
    ) throws(StorageError) -> (run: Run, end: Int)? {
        let base = described.base.isNone ? [] : try bytes(of: described.base)
        var bytes = [UInt8](repeating: 0, count: file.byteCount(described.pageCount))
        let end = changes.withUnsafeBytes { changes in
            var reader = VariableLengthIntegerReader(
                UnsafeRawBufferPointer(rebasing: changes[described.stretches...]))
            let isWhole = bytes.withUnsafeMutableBytes { run in
                (base ?? []).withUnsafeBytes {
                    PageChanges.apply(&reader, to: $0, making: run)
                }
            }
            return isWhole ? described.stretches + reader.position : nil
        }
        guard let end else { return nil }
        var run = Run(pageCount: described.pageCount)
        if let present = try intactRun(at: described.page, bytes.count),
            present.seal == described.seal, present.pageCount == described.pageCount
        {
            (run.contents, run.isInPlace) = (present, true)
        } else if base != nil, !planted(.trustsPlaces) {
            run.contents = file.contents(
                sealing: bytes, again: described.seal, at: described.page)
        }
        return (run, end)
    }

    /// Returns a base; nil where it is not there any more.
    private func bytes(of base: PageReference) throws(StorageError) -> [UInt8]? {
        if let contents = runs[base.page]?.contents, contents.birth == base.birth {
            return contents.bytes
        }
        guard let run = try intactRun(at: base.page, PageChanges.largestRuns),
            run.birth == base.birth
        else { return nil }
        return run.bytes
    }

    /// Returns a run of at most so many bytes.
    private func intactRun(
        at page: UInt64, _ mostBytes: Int
    ) throws(StorageError) -> RunContents? {
        file.contents(
            ofRunIn: try file.read(offset: file.offset(of: page), count: mostBytes), at: page)
    }
}

/// What a record says of a run in front of its stretches.
private struct Described {
    var page: UInt64
    var pageCount: UInt64
    var base: PageReference
    var seal: RunSeal
    /// Where the stretches begin.
    var stretches: Int

    var pages: Extent { Extent(start: page, count: pageCount) }

    init?(
        _ changes: [UInt8], at position: Int, after end: UInt64, of record: CommitRecord,
        in file: PageFile
    ) {
        let decoded = changes.withUnsafeBytes { changes -> Described? in
            var reader = VariableLengthIntegerReader(
                UnsafeRawBufferPointer(rebasing: changes[position...]))
            guard let gap = reader.next(), let pageCount = reader.next(),
                let basePage = reader.next(), gap < CommitRecord.maximumPageCount, pageCount >= 1,
                pageCount <= UInt64(PageChanges.largestRuns) >> file.pageShift,
                end + gap >= file.firstPage, end + gap + pageCount <= record.pageCount
            else { return nil }
            var base = PageReference.none
            if basePage != 0 {
                guard basePage >= file.firstPage, basePage < record.pageCount,
                    let age = reader.next(), age >= 1, age < record.version
                else { return nil }
                base = PageReference(page: basePage, birth: record.version - age)
            }
            guard let seal = RunSeal(&reader, in: file) else { return nil }
            return Described(
                page: end + gap, pageCount: pageCount, base: base, seal: seal,
                stretches: position + reader.position)
        }
        guard let decoded else { return nil }
        self = decoded
    }

    private init(
        page: UInt64, pageCount: UInt64, base: PageReference, seal: RunSeal, stretches: Int
    ) {
        self.page = page
        self.pageCount = pageCount
        self.base = base
        self.seal = seal
        self.stretches = stretches
    }
}
