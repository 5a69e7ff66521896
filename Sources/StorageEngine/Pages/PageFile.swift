import Glibc

/// The data file as pages: mapped for reading (``MappedPages``), written with `pwritev` only, never
/// through the mapping.
///
/// Pages of a plain file are read where they are mapped. Those of an encrypted file are decrypted
/// into memory at the same offset from another address, and read there.
///
/// Several threads read at a time. One writer at a time (the holder of the write lock) grows and
/// writes the file.
// Unchecked because of the two words, which are accessed atomically.
package final class PageFile: @unchecked Sendable {
    let path: String
    let descriptor: Int32
    let header: FileHeader
    /// Nil for a plain file.
    let cipher: FileCipher?
    /// Memory files need no syncs and no space written beforehand.
    let isInMemory: Bool

    let pageSize: Int
    let pageShift: UInt64
    let firstPage: UInt64
    /// The slots for records that the file was made with.
    let ring: CommitRing
    let fileSeed: UInt64

    /// Where pages are read; nil as long as none are.
    private let current = Locked<MappedPages?>(nil)
    /// The stamp of `current`, 0 for none, and the pages mapped there: for whoever looks without
    /// the lock. Changed under it, the stamp first.
    private let mappedStamp: UnsafeMutablePointer<UInt64>
    private let mappedPageCount: UnsafeMutablePointer<UInt64>
    let decryptedMemory: DecryptedMemory
    private let smallestReservation: Int
    /// Why the contents of the file are not known any more, once a sync has failed. Held during a sync,
    /// for which at most one other thread waits.
    let syncFailure = Locked<StorageError?>(nil)
    /// Of an encrypted file: held by whoever seals and writes a commit.
    let sealingScratch = Locked(SealingScratch())
    /// What a connection has decrypted for itself is given back when it is more, and nobody has a
    /// pointer into it.
    let mostPrivateBytes: Int
    private static let mostPrivateBytes = 16 << 20

    /// Takes over the descriptor only when it succeeds.
    init(
        descriptor: Int32, path: String, header: FileHeader, cipher: FileCipher? = nil,
        mostDecryptedBytes: Int? = nil, smallestReservation: Int? = nil, isInMemory: Bool = false
    ) {
        self.path = path
        self.descriptor = descriptor
        self.header = header
        self.cipher = cipher
        self.isInMemory = isInMemory
        pageSize = header.pageSize
        pageShift = UInt64(header.pageSize.trailingZeroBitCount)
        firstPage = header.firstPage
        ring = header.ring
        fileSeed = header.fileSeed
        self.smallestReservation = smallestReservation ?? AddressRanges.smallestReservation
        decryptedMemory = DecryptedMemory(
            mostBytes: mostDecryptedBytes ?? DecryptedMemory.shareOfMemory)
        mostPrivateBytes = min(Self.mostPrivateBytes, mostDecryptedBytes ?? .max)
        mappedStamp = .allocate(capacity: 2)
        mappedStamp.initialize(repeating: 0, count: 2)
        mappedPageCount = mappedStamp + 1
    }

    deinit {
        sealingScratch.withLock { $0.tearDown() }
        mappedStamp.deallocate()
    }

    func offset(of page: UInt64) -> UInt64 { page << pageShift }
    func byteCount(_ pages: UInt64) -> Int { Int(pages) << Int(pageShift) }

    /// Pages that can be read.
    var mappedPages: UInt64 { mappedPageCount.loadAcquire() }

    func failure(_ failure: SystemFailure, _ operation: StorageError.Operation) -> StorageError {
        StorageError(failure, operation, path: path)
    }

    /// Bytes of the file now.
    func size() throws(StorageError) -> UInt64 {
        do { return try System.size(descriptor) } catch { throw failure(error, .read) }
    }

    /// Where pages are read from now on; nil as long as none are. A version that is read before
    /// this is asked has all its pages there.
    var pages: MappedPages? { current.withLock { $0 } }

    /// Whether ``pages`` is still the one with that stamp.
    @inline(__always)
    func isMapped(with stamp: UInt64) -> Bool { mappedStamp.loadAcquire() == stamp }

    /// Makes pages up to `pageCount` readable. The file must have them.
    func map(pageCount: UInt64) throws(StorageError) {
        guard pageCount > mappedPages else { return }
        try current.withLock { pages throws(StorageError) in
            let mapped = mappedPages
            guard pageCount > mapped else { return }
            try checkSize(pageCount: pageCount)
            do throws(SystemFailure) {
                if let pages, byteCount(pageCount) <= pages.ranges.byteCount {
                    try map(mapped..<pageCount, in: pages.ranges)
                } else {
                    pages = try mapAnew(pageCount, stamp: (pages?.stamp ?? 0) + 1)
                    mappedStamp.storeRelease(pages!.stamp)
                }
            } catch {
                throw failure(error, .map)
            }
            mappedPageCount.storeRelease(pageCount)
        }
    }

    private func mapAnew(
        _ pageCount: UInt64, stamp: UInt64
    ) throws(SystemFailure) -> MappedPages {
        let pages = MappedPages(
            try AddressRanges.reserve(
                atLeast: byteCount(pageCount), smallest: smallestReservation,
                pageShift: pageShift, isEncrypted: cipher != nil),
            pageShift: pageShift, stamp: stamp, memory: decryptedMemory)
        try map(0..<pageCount, in: pages.ranges)
        return pages
    }

    private func map(_ pages: Range<UInt64>, in ranges: AddressRanges) throws(SystemFailure) {
        let (start, length) = (byteCount(pages.lowerBound), byteCount(UInt64(pages.count)))
        try System.mapFile(
            descriptor, offset: offset(of: pages.lowerBound), length: length,
            at: ranges.file + start)
        if let decrypted = ranges.decrypted {
            try System.mapSecret(at: decrypted + start, length: length)
        }
    }

    /// Forgets the pages from `pageCount` on: none of them counts as checked any more, nothing is
    /// mapped there, and what was decrypted is gone. Where only readers of older versions look,
    /// all of that stays: nobody uses it, and what comes in its place has another birth.
    func unmap(from pageCount: UInt64) {
        current.withLock { pages in
            let mapped = mappedPages
            guard let pages, mapped > pageCount else { return }
            mappedPageCount.storeRelease(pageCount)
            let (start, length) = (byteCount(pageCount), byteCount(mapped - pageCount))
            leavePlaces(from: pageCount, to: mapped, in: pages) {
                for range in [pages.ranges.file, pages.ranges.decrypted].compactMap({ $0 }) {
                    // Where this fails, the old mapping stays until the file grows over it: nothing
                    // says that there is anything in it.
                    try? System.reserve(at: range + start, length: length)
                }
            }
        }
    }

    /// Throws if the file is smaller than a version says: someone else has cut it.
    func checkSize(pageCount: UInt64) throws(StorageError) {
        let size = try size()
        guard size >> pageShift >= pageCount || planted(.acceptsCutFiles) else {
            throw StorageError(
                .damaged, path: path,
                message: "Realm at path '\(path)' is damaged: the file has \(size) bytes and needs "
                    + "\(byteCount(pageCount)). It was truncated outside of this library; "
                    + "restore it from a backup.", page: size >> pageShift)
        }
    }
}

// MARK: Checked pages

extension PageFile {
    /// The run that `reference` names, checked: once per process for each page and birth. For those
    /// who have no connection.
    ///
    /// Nothing that a snapshot reaches is younger (invariant I3), and no page behind its end is
    /// touched, whatever a damaged page says: the file may end there.
    func page(
        _ reference: PageReference, of snapshot: SnapshotBounds
    ) throws(StorageError) -> UnsafeRawPointer {
        guard let pages else { throw damage(reference.page, "a reference leads outside the file") }
        return try page(reference, of: snapshot, in: pages)
    }

    func page(
        _ reference: PageReference, of snapshot: SnapshotBounds, in pages: MappedPages
    ) throws(StorageError) -> UnsafeRawPointer {
        if let page = pages.table.checkedPage(reference, of: snapshot) { return page }
        return try check(reference, of: snapshot, in: pages)
    }

    /// Checks a run for which ``PageTable/checkedPage(_:of:)`` has looked in vain. `apart`: see
    /// ``decrypt(_:within:with:in:apart:)``; not asked where the file is not encrypted.
    @inline(never)
    func check(
        _ reference: PageReference, of snapshot: SnapshotBounds, in pages: MappedPages,
        apart: (UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? = { _ in nil }
    ) throws(StorageError) -> UnsafeRawPointer {
        let page = reference.page
        guard reference.birth >= 1, reference.birth <= snapshot.version else {
            throw damage(
                page,
                "a reference to it is from version \(reference.birth), and the "
                    + "snapshot is version \(snapshot.version)")
        }
        guard page >= firstPage, page < snapshot.pageCount else {
            throw damage(page, "a reference leads outside the file")
        }
        if planted(.servesStalePages), cipher != nil,
            pages.checkedBirths[Int(page)] != 0
        {
            return pages.table.address(of: page)
        }
        let limit = snapshot.pageCount - page
        if let cipher {
            return try decrypt(reference, within: limit, with: cipher, in: pages, apart: apart)
        }
        let start = pages.table.address(of: page)
        let runHeader = PageHeader(start)
        guard let kind = runHeader.kind, runHeader.pageCount >= 1,
            UInt64(runHeader.pageCount) <= limit
        else { throw damage(page, "its header is not valid") }
        let run = UnsafeRawBufferPointer(
            start: start, count: byteCount(UInt64(runHeader.pageCount)))
        guard
            PageHeader.isSealed(run, pageNumber: page, fileSeed: fileSeed)
                || planted(.skipsChecksums)
        else {
            throw damage(page, "its checksum does not match")
        }
        guard runHeader.birth == reference.birth || planted(.ignoresBirths) else {
            throw damage(
                page,
                "it is of version \(runHeader.birth), and version "
                    + "\(reference.birth) was expected")
        }
        if kind == .node, let problem = Node.problem(ofStored: run) { throw damage(page, problem) }
        pages.markChecked(reference)
        return start
    }

    func damage(_ page: UInt64, _ reason: String) -> StorageError {
        StorageError(
            .damaged, path: path,
            message: "Realm at path '\(path)' is damaged: page \(page): \(reason). Restore the "
                + "file from a backup.", page: page)
    }
}

extension PageFile {
    /// The contents of a run that is not a node, or nil where it is of another kind or its length
    /// is not possible.
    func contents(at start: UnsafeRawPointer, kind: PageKind) -> UnsafeRawBufferPointer? {
        let header = PageHeader(start)
        guard header.kind == kind, header.lowKey >= 0,
            header.lowKey <= Int64(byteCount(UInt64(header.pageCount)) - PageHeader.size)
        else { return nil }
        return UnsafeRawBufferPointer(
            start: start + PageHeader.size, count: Int(header.lowKey))
    }
}
