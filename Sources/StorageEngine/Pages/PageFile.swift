import Glibc

/// The data file as pages: mapped for reading at an address that never changes, written with
/// `pwritev` only, never through the mapping.
///
/// Pages of a plain file are read where they are mapped. Those of an encrypted file are decrypted
/// into memory at the same offset from another address, and read there.
///
/// Several threads read at a time. One writer at a time (the holder of the write lock) grows and
/// writes the file.
// Unchecked because of the raw pointers: they are set once, the mapped file is only read, the
// page words and `mappedPageCount` are accessed atomically, and decrypted pages are written under
// `installing`, before the page word says that they are there.
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
    let fileSeed: UInt64

    /// Where page 0 is read, once checked.
    let base: UnsafeRawPointer
    let ranges: AddressRanges
    /// For each page the birth with which it was checked in this process; 0, or a number that is no
    /// birth, where it was not.
    let checkedBirths: UnsafeMutablePointer<UInt64>
    /// Pages that are mapped at `base`.
    let mappedPageCount: UnsafeMutablePointer<UInt64>
    let mappingLock = Locked<Void>(())
    /// Of an encrypted file: held by whoever seals and writes a commit.
    let sealingScratch = Locked(SealingScratch())
    /// Held while decrypted pages are put in their place.
    let installing: Locked<DecryptedPlaces>
    /// What a connection has decrypted for itself is given back when it is more, and nobody has a
    /// pointer into it.
    let mostPrivateBytes: Int
    private static let mostPrivateBytes = 16 << 20

    /// Takes over the descriptor only when it succeeds.
    init(
        descriptor: Int32, path: String, header: FileHeader, cipher: FileCipher? = nil,
        mostDecryptedBytes: Int? = nil, isInMemory: Bool = false,
        reservation: Int = AddressRanges.preferredByteCount
    ) throws(StorageError) {
        self.path = path
        self.descriptor = descriptor
        self.header = header
        self.cipher = cipher
        self.isInMemory = isInMemory
        pageSize = header.pageSize
        pageShift = UInt64(header.pageSize.trailingZeroBitCount)
        firstPage = header.firstPage
        fileSeed = header.fileSeed
        do {
            ranges = try AddressRanges.reserve(
                reservation, pageShift: pageShift, isEncrypted: cipher != nil)
        } catch {
            throw StorageError(error, .map, path: path)
        }
        base = UnsafeRawPointer(ranges.decrypted ?? ranges.file)
        checkedBirths = ranges.pageWords
        installing = Locked(
            DecryptedPlaces(
                base: base, mostBytes: mostDecryptedBytes ?? DecryptedPlaces.shareOfMemory))
        mostPrivateBytes = min(Self.mostPrivateBytes, mostDecryptedBytes ?? .max)
        mappedPageCount = .allocate(capacity: 1)
        mappedPageCount.initialize(to: 0)
    }

    deinit {
        ranges.release()
        sealingScratch.withLock { $0.tearDown() }
        mappedPageCount.deallocate()
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

    /// Makes pages up to `pageCount` readable. The file must have them.
    func map(pageCount: UInt64) throws(StorageError) {
        guard pageCount > mappedPages else { return }
        guard pageCount <= UInt64(ranges.byteCount >> Int(pageShift)) else {
            throw StorageError(
                .addressSpaceExhausted, path: path,
                message: "Realm file at path '\(path)' needs \(byteCount(pageCount)) bytes of "
                    + "address space, and the process was granted \(ranges.byteCount). Raise the "
                    + "limit for address space (ulimit -v).")
        }
        try mappingLock.withLock { (_) throws(StorageError) in
            let mapped = mappedPages
            guard pageCount > mapped else { return }
            try checkSize(pageCount: pageCount)
            let (start, length) = (byteCount(mapped), byteCount(pageCount - mapped))
            do throws(SystemFailure) {
                try System.mapFile(
                    descriptor, offset: offset(of: mapped), length: length,
                    at: ranges.file + start)
                if let decrypted = ranges.decrypted {
                    try System.mapSecret(at: decrypted + start, length: length)
                }
            } catch {
                throw failure(error, .map)
            }
            mappedPageCount.storeRelease(pageCount)
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
    /// The run that `reference` names, checked: once per process for each page and birth.
    ///
    /// Nothing that a snapshot reaches is younger (invariant I3), and no page behind its end is
    /// touched, whatever a damaged page says: the file may end there.
    @inline(__always)
    func page(
        _ reference: PageReference, of snapshot: SnapshotBounds
    ) throws(StorageError) -> UnsafeRawPointer {
        if let page = checkedPage(reference, of: snapshot) { return page }
        return try check(reference, of: snapshot)
    }

    /// The run if it has been checked, or was written by this process.
    @inline(__always)
    func checkedPage(
        _ reference: PageReference, of snapshot: SnapshotBounds
    ) -> UnsafeRawPointer? {
        // Birth 0 wraps around and fails; so does anything younger than the snapshot.
        guard reference.birth &- 1 < snapshot.version, reference.page < snapshot.pageCount,
            (checkedBirths + Int(truncatingIfNeeded: reference.page)).loadAcquire()
                == reference.birth
        else { return nil }
        return base + Int(truncatingIfNeeded: reference.page &<< pageShift)
    }

    /// Checks a run for which ``checkedPage(_:of:)`` has looked in vain. `apart`: see
    /// ``decrypt(_:within:with:apart:)``; not asked where the file is not encrypted.
    @inline(never)
    func check(
        _ reference: PageReference, of snapshot: SnapshotBounds,
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
        if planted(.servesStalePages), cipher != nil, checkedBirths[Int(page)] != 0 {
            return base + byteCount(page)
        }
        let limit = snapshot.pageCount - page
        if let cipher {
            return try decrypt(reference, within: limit, with: cipher, apart: apart)
        }
        let start = base + byteCount(page)
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
        markChecked(reference)
        return start
    }

    /// Says that this process has checked, or itself written, the run, and that it is to be read at
    /// its place.
    func markChecked(_ reference: PageReference) {
        (checkedBirths + Int(reference.page)).storeRelease(reference.birth)
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
