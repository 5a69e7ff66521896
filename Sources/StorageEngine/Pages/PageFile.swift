import Glibc

/// The data file as pages: mapped for reading (``MappedPages``), and written only with `pwritev`,
/// never through the mapping.
///
/// Pages of a plain file are read where they are mapped. Those of an encrypted file are decrypted
/// to the same offset in another range of memory, and read there.
///
/// Several threads read concurrently. One writer at a time, the holder of the write lock, grows and
/// writes the file.
// Unchecked because of the two words, which are accessed atomically.
package final class PageFile: @unchecked Sendable {
    let path: String
    let descriptor: Int32
    let header: FileHeader
    /// The cipher; nil for a plain file.
    let cipher: FileCipher?
    /// Whether the file is in memory. Such files need no syncs and no prewritten space.
    let isInMemory: Bool

    let pageSize: Int
    let pageShift: UInt64
    let firstPage: UInt64
    /// The commit slots with which the file was created.
    let ring: CommitRing
    let fileSeed: UInt64
    /// Says what is wrong with a run of the kind `node`, or nil: the layout of nodes is not known
    /// here.
    let problemOfNode: @Sendable (UnsafeRawBufferPointer) -> String?

    /// The address space in which pages are read; nil before any are mapped.
    private let current = Locked<MappedPages?>(nil)
    /// The stamp of `current` (0 for none) and the number of pages mapped there, for readers
    /// without the lock. They are changed under the lock, the stamp first.
    private let mappedStamp: UnsafeMutablePointer<UInt64>
    private let mappedPageCount: UnsafeMutablePointer<UInt64>
    /// Whether commit records may carry changes: 1 or 0, see ``mayCarryChanges``.
    private let carriesChanges: UnsafeMutablePointer<UInt32>
    let decryptedMemory: DecryptedMemory
    private let smallestReservation: Int
    /// The error of the first sync that failed. The contents of the file are unknown from then on.
    /// Held during a sync, for which at most one other thread waits.
    let syncFailure = Locked<StorageError?>(nil)
    /// Encrypted files: held by the thread that seals and writes a commit.
    let sealingScratch = Locked(SealingScratch())
    /// The most bytes that a connection keeps of what it has decrypted for itself. Beyond this it
    /// frees the memory as soon as nobody has a pointer into it.
    let mostPrivateBytes: Int
    private static let mostPrivateBytes = 16 << 20

    /// Creates a page file on an open descriptor, which it never closes.
    init(
        descriptor: Int32, path: String, header: FileHeader, cipher: FileCipher? = nil,
        problemOfNode: @escaping @Sendable (UnsafeRawBufferPointer) -> String?,
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
        self.problemOfNode = problemOfNode
        self.smallestReservation = smallestReservation ?? AddressRanges.smallestReservation
        decryptedMemory = DecryptedMemory(
            mostBytes: mostDecryptedBytes ?? DecryptedMemory.shareOfMemory)
        mostPrivateBytes = min(Self.mostPrivateBytes, mostDecryptedBytes ?? .max)
        carriesChanges = .allocate(capacity: 1)
        carriesChanges.initialize(to: header.mayCarryChanges && !isInMemory ? 1 : 0)
        mappedStamp = .allocate(capacity: 2)
        mappedStamp.initialize(repeating: 0, count: 2)
        mappedPageCount = mappedStamp + 1
    }

    /// Whether commit records may carry changes: in a file of a format that has such records, on a
    /// file system that can make a single write durable.
    var mayCarryChanges: Bool { carriesChanges.loadRelaxed() != 0 }

    /// The file system cannot make a single write durable.
    func forbidChanges() { carriesChanges.storeRelaxed(0) }

    deinit {
        carriesChanges.deallocate()
        sealingScratch.withLock { $0.tearDown() }
        mappedStamp.deallocate()
    }

    func offset(of page: UInt64) -> UInt64 { page << pageShift }
    func byteCount(_ pages: UInt64) -> Int { Int(pages) << Int(pageShift) }

    /// The number of pages that can be read.
    var mappedPages: UInt64 { mappedPageCount.loadAcquire() }

    func failure(_ failure: SystemFailure, _ operation: StorageError.Operation) -> StorageError {
        StorageError(failure, operation, path: path)
    }

    /// Returns the current length of the file.
    func size() throws(StorageError) -> UInt64 {
        do { return try System.size(descriptor) } catch { throw failure(error, .read) }
    }

    /// The address space in which pages are read from now on; nil before any are mapped. It holds
    /// all pages of a version that was read before this property.
    var pages: MappedPages? { current.withLock { $0 } }

    /// Whether ``pages`` still is the address space with this stamp.
    @inline(__always)
    func isMapped(with stamp: UInt64) -> Bool { mappedStamp.loadAcquire() == stamp }

    /// Makes pages up to `pageCount` readable. The file must contain them.
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
            // Stored last, because it announces to threads without the lock that the pages are
            // mapped.
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

    /// Unmaps the pages from `pageCount` on: none of them counts as checked any more, nothing is
    /// mapped there, and their decrypted contents are gone. Older address spaces, which only
    /// readers of older versions use, keep all of that: nobody reads these pages there, and new
    /// pages in their place have other births.
    func unmap(from pageCount: UInt64) {
        current.withLock { pages in
            let mapped = mappedPages
            guard let pages, mapped > pageCount else { return }
            // First, so that no thread takes the pages for mapped while they are unmapped.
            mappedPageCount.storeRelease(pageCount)
            let (start, length) = (byteCount(pageCount), byteCount(mapped - pageCount))
            leavePlaces(from: pageCount, to: mapped, in: pages) {
                for range in [pages.ranges.file, pages.ranges.decrypted].compactMap({ $0 }) {
                    // If this fails, the old mapping stays until the file grows over it. It does no
                    // harm, because no page word refers to it.
                    try? System.reserve(at: range + start, length: length)
                }
            }
        }
    }

    /// Throws if the file is shorter than a version says, because it was truncated by someone else.
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
    /// Returns the run that `reference` names, checked once per process for each page and birth.
    /// For callers without a connection.
    ///
    /// Nothing that a snapshot reaches is younger than it (invariant I3). No page behind the
    /// snapshot's end is touched, whatever a damaged page says, because the file may end there.
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

    /// Checks a run that ``PageTable/checkedPage(_:of:)`` did not return. `apart` is as in
    /// ``decrypt(_:within:with:in:apart:)``, and is only called for encrypted files.
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
        if kind == .node, let problem = problemOfNode(run) { throw damage(page, problem) }
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
    /// Returns the contents of a run that is not a node, or nil if it is of another kind or its
    /// length is not possible.
    func contents(at start: UnsafeRawPointer, kind: PageKind) -> UnsafeRawBufferPointer? {
        let header = PageHeader(start)
        guard header.kind == kind, header.lowKey >= 0,
            header.lowKey <= Int64(byteCount(UInt64(header.pageCount)) - PageHeader.size)
        else { return nil }
        return UnsafeRawBufferPointer(
            start: start + PageHeader.size, count: Int(header.lowKey))
    }
}
