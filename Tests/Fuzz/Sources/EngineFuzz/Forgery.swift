@testable import StorageEngine

/// Applies an input's changes to a seed and corrects all checksums. With wrong checksums, nothing
/// would get past the first check of a page.
struct Forgery {
    private let seed: SeedFile
    private let input: FuzzInput
    private var image: [UInt8]
    /// Runs that were changed.
    private var touched: [SeedFile.Run] = []

    static func apply(_ input: FuzzInput, to seed: SeedFile) -> [UInt8] {
        var forgery = Forgery(seed: seed, input: input, image: seed.bytes)
        forgery.apply()
        return forgery.image
    }

    private var pageSize: Int { seed.header.pageSize }

    private mutating func apply() {
        let blocks: Set<FuzzInput.Change.Kind> = [.record, .marker, .header]
        for change in input.changes where !blocks.contains(change.kind) { changeRun(change) }
        let seals = !input.options.contains(.keepsSeals) && seed.header.encryption == nil
        if seals {
            for run in touched { seal(run) }
            listSeals()
        }
        if input.options.contains(.isCrashed) {
            overwrite(Int(FileHeader.markerOffset), with: 0, width: CleanCloseMarker.size)
        }
        for change in input.changes where blocks.contains(change.kind) {
            changeBlock(change, seals: seals)
        }
    }

    // MARK: Runs

    private mutating func changeRun(_ change: FuzzInput.Change) {
        let isOfNode = change.kind != .bytes && change.kind != .contents
        let runs = isOfNode ? seed.nodes : seed.nodes + seed.others
        guard !runs.isEmpty else {
            let page = Int(change.run) % (image.count / 4096)
            let offset = page * 4096 + Int(change.place) % 4096
            return overwrite(offset, with: change.value, width: change.width)
        }
        let run = runs[Int(change.run) % runs.count]
        touched.append(run)
        let length = run.pageCount * pageSize
        switch change.kind {
        case .bytes:
            let offset = PageHeader.sealSize + Int(change.place) % (length - PageHeader.sealSize)
            overwrite(run.start + offset, with: change.value, width: change.width)
        case .directory:
            let columns = image.withUnsafeBytes {
                PageHeader($0.baseAddress! + run.start).columnCount
            }
            let end = ColumnEntry.directoryOffset + columns * ColumnEntry.size
            let offset = PageHeader.sealSize + Int(change.place) % max(1, end - PageHeader.sealSize)
            overwrite(run.start + min(offset, length - 1), with: change.value, width: change.width)
        case .integer: setInteger(change, run)
        case .reference: setReference(change, run)
        case .contents: copyContents(from: Int(change.value % UInt64(runs.count)), runs, to: run)
        case .record, .marker, .header: break
        }
    }

    /// Whether the run is still a valid node. Other changes may have broken it.
    private func isValid(_ run: SeedFile.Run) -> Bool {
        image.withUnsafeBytes {
            Node.problem(
                in: UnsafeRawBufferPointer(
                    rebasing: $0[run.start..<run.start + run.pageCount * pageSize])) == nil
        }
    }

    private mutating func withNode(_ run: SeedFile.Run, _ body: (MutableNode) -> Void) {
        let length = run.pageCount * pageSize
        guard isValid(run) else { return }
        image.withUnsafeMutableBytes {
            body(MutableNode($0.baseAddress! + run.start, byteCount: length))
        }
    }

    private mutating func setInteger(_ change: FuzzInput.Change, _ run: SeedFile.Run) {
        withNode(run) { node in
            guard node.columnCount > 0, node.rowCount > 0 else { return }
            let column = Int(change.place) % node.columnCount
            let row = Int(change.place >> 8) % node.rowCount
            Self.setInteger(change.value, node, column, row)
        }
    }

    /// Sets an integer, or does nothing if the column has no integers of its own. Other changes may
    /// have replaced a node by one of another tree.
    private static func setInteger(_ value: UInt64, _ node: MutableNode, _ column: Int, _ row: Int)
    {
        let view = node.reading
        guard !view.isSpilled(column), view.kind(column).isPacked else { return }
        _ = node.setInteger(column, row, to: Int64(bitPattern: value))
    }

    /// Redirects a reference of a node. Branches, spilled columns, long values and collections
    /// refer to pages in four ways.
    private mutating func setReference(_ change: FuzzInput.Change, _ run: SeedFile.Run) {
        let runs = seed.nodes + seed.others
        let target = runs[Int(change.value % UInt64(runs.count))]
        let birth = image.withUnsafeBytes { PageHeader($0.baseAddress! + target.start).birth }
        // Some references have the birth of another version: the next or the previous one.
        let reference = PageReference(
            page: UInt64(target.start / pageSize),
            birth: birth &+ [0, 0, 0, 0, 0, 0, 1, .max][Int(change.value >> 32 & 7)])
        withNode(run) { node in
            let view = node.reading
            guard view.columnCount > 0, view.rowCount > 0 else { return }
            let row = Int(change.place >> 8) % view.rowCount
            if view.level > 0, view.columnCount > 2 {
                Self.setInteger(reference.page, node, 0, row)
                Self.setInteger(reference.birth, node, 1, row)
                return
            }
            let column = Int(change.place) % view.columnCount
            if view.isSpilled(column) {
                node.setSpillReference(column, reference)
            } else if view.kind(column) == .bytes {
                if change.value >> 40 & 1 == 0 {
                    _ = node.setOverflow(column, row, to: reference, length: 5000)
                } else {
                    let count = max(1, node.rowCount)
                    let level = Int(change.value >> 48 & 3)
                    let root = TreeRoot(reference: reference, level: level, count: count)
                    let image = InlineRows.image(of: root)
                    _ = image.withUnsafeBytes {
                        node.setBytes(column, row, to: $0, isOverflow: false)
                    }
                }
            } else if view.columnCount >= 5 {
                // An entry of the forest, with the root of a tree.
                Self.setInteger(reference.page, node, 2, row)
                Self.setInteger(reference.birth, node, 3, row)
            }
        }
    }

    /// Gives a run the contents of another, which may belong to another tree or be of another kind.
    /// The run keeps its birth, which the reference to it expects.
    private mutating func copyContents(
        from other: Int, _ runs: [SeedFile.Run], to run: SeedFile.Run
    ) {
        let source = runs[other]
        guard source.pageCount == run.pageCount else { return }
        let birth = image.withUnsafeBytes { PageHeader($0.baseAddress! + run.start).birth }
        let length = run.pageCount * pageSize
        let contents = Array(image[source.start..<source.start + length])
        image.replaceSubrange(run.start..<run.start + length, with: contents)
        image.withUnsafeMutableBytes {
            MutablePageHeader($0.baseAddress! + run.start).birth = birth
        }
    }

    // MARK: Seals

    /// Seals a run with the length that its header now gives, if that lies in the file, else with
    /// its original length.
    private mutating func seal(_ run: SeedFile.Run) {
        let (pageSize, header) = (pageSize, seed.header)
        image.withUnsafeMutableBytes { bytes in
            var count = PageHeader(bytes.baseAddress! + run.start).pageCount
            if count < 1 || run.start + count * pageSize > bytes.count { count = run.pageCount }
            _ = PageHeader.seal(
                UnsafeMutableRawBufferPointer(
                    rebasing: bytes[run.start..<run.start + count * pageSize]),
                pageNumber: UInt64(run.start / pageSize), fileSeed: header.fileSeed)
        }
    }

    /// Updates the hash in the newest record, so that it vouches for the current contents of the
    /// pages it lists.
    private mutating func listSeals() {
        guard var record = record else { return }
        var hash = PageListHash()
        for extent in record.pageList {
            var page = extent.start
            while page < extent.end {
                let header = image.withUnsafeBytes {
                    PageHeader($0.baseAddress! + Int(page) * pageSize)
                }
                hash.combine(header.checksum)
                page += UInt64(max(1, min(header.pageCount, Int(extent.end - page))))
            }
        }
        record.pageListHash = hash.value
        image.replaceSubrange(
            seed.recordOffset..<seed.recordOffset + CommitRecord.size,
            with: record.encode(fileSeed: seed.header.fileSeed))
    }

    private var record: CommitRecord? {
        image.withUnsafeBytes { SeedFile.record(at: seed.recordOffset, $0, seed.header) }
    }

    // MARK: Blocks

    private mutating func changeBlock(_ change: FuzzInput.Change, seals: Bool) {
        let start: Int
        let checksum: (covered: Range<Int>, place: Int, seed: UInt64)
        switch change.kind {
        case .record:
            start = seed.recordOffset
            checksum = (8..<CommitRecord.size, 0, seed.header.fileSeed)
        case .marker:
            start = Int(FileHeader.markerOffset)
            checksum = (0..<56, 56, seed.header.fileSeed)
        default:
            start = 0
            checksum = (0..<504, 504, 0)
        }
        // Only the fields, roots and the beginning of the lists of a record are changed, because
        // most of its rest is empty.
        let reach = change.kind == .record ? 240 : checksum.covered.upperBound
        let first = checksum.covered.lowerBound
        let offset = first + Int(change.place) % (reach - first)
        overwrite(start + offset, with: change.value, width: change.width)
        guard seals else { return }
        let sum = image.withUnsafeBytes {
            Checksum.hash(
                UnsafeRawBufferPointer(
                    rebasing: $0[
                        start + checksum.covered.lowerBound..<start + checksum.covered.upperBound]),
                seed: checksum.seed)
        }
        overwrite(start + checksum.place, with: sum, width: 8)
    }

    private mutating func overwrite(_ offset: Int, with value: UInt64, width: Int) {
        for index in 0..<width where offset + index < image.count {
            // Bytes after the eighth are zero.
            image[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
        }
    }
}
