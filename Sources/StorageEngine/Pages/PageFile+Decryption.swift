/// Pages of an encrypted file. They are decrypted and authenticated when they are first used, and
/// kept in their places as long as there is room, except those that are read only once.
///
/// A decrypted run belongs to a page and a birth. It stays in its place until the page is needed
/// with another birth. By then the old contents had been free before the new ones were written, so
/// no pinned version reaches them (invariant I1) and nobody reads what is replaced. A reference
/// cannot name a page that is not in its version: it comes from an authenticated page, and both its
/// birth and that of the run are authenticated. All pages of a run are replaced at once, for the
/// same reason.
extension PageFile {
    /// An upper bound on the length of a run. Values have at most 16 MiB, and a checkpoint of this
    /// size describes a free map of some ten million extents. Bounds the cost of a manipulated
    /// length.
    private static let largestRunBytes = 256 << 20

    /// Decrypts the run that `reference` names, which has at most `pageLimit` pages and has not
    /// been found decrypted.
    ///
    /// Once the run is authenticated, `apart` decides where it is copied: to memory of its length,
    /// for a caller that reads the run once or wants a copy, or, if it returns nil, to the place
    /// where the run stays. The first touch of that place costs several times as much as the
    /// cipher.
    func decrypt(
        _ reference: PageReference, within pageLimit: UInt64, with cipher: FileCipher,
        in pages: MappedPages, apart: (UnsafeRawBufferPointer) -> UnsafeMutableRawPointer?
    ) throws(StorageError) -> UnsafeRawPointer {
        // Checked before any lock is taken, because another thread may have held it when this
        // process was forked.
        if cipher.isForked {
            throw StorageError(
                .usedAfterFork, path: path,
                message: "The database at path '\(path)' was opened before this process was "
                    + "forked; open it again in the child process")
        }
        let page = reference.page
        let sealed = UnsafeRawBufferPointer(
            start: pages.ranges.file + byteCount(page), count: byteCount(pageLimit))
        return try withOpenedRun(sealed, at: page, with: cipher) { run throws(StorageError) in
            guard let run else {
                throw damage(
                    page,
                    "it cannot be authenticated: it was changed, or is not the one that was "
                        + "written there")
            }
            let header = PageHeader(run.baseAddress!)
            guard let kind = header.kind else { throw damage(page, "its header is not valid") }
            guard header.birth == reference.birth else {
                throw damage(
                    page,
                    "it is of version \(header.birth), and version "
                        + "\(reference.birth) was expected")
            }
            if kind == .node, let problem = problemOfNode(run) {
                throw damage(page, problem)
            }
            if let memory = apart(run) {
                memory.copyMemory(from: run.baseAddress!, byteCount: run.count)
                return UnsafeRawPointer(memory)
            }
            install(run, at: reference, in: pages)
            return pages.table.address(of: page)
        }
    }

    /// Calls `body` with the decrypted run, including the seal, or with nil if it is not what was
    /// sealed for this page. `sealed` may extend behind the run.
    func withOpenedRun<Result, Failure: Error>(
        _ sealed: UnsafeRawBufferPointer, at page: UInt64, with cipher: FileCipher,
        _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try cipher.withOpened(
            sealed, at: .run(page: page),
            byteCount: { contents in
                let pages = PageHeader(contents - Seal.size).pageCount
                let count = byteCount(UInt64(pages))
                return count <= Self.largestRunBytes ? count : nil
            }, body)
    }

    /// Copies an authenticated run to the place where readers look for it.
    private func install(
        _ run: UnsafeRawBufferPointer, at reference: PageReference, in pages: MappedPages
    ) {
        let place = pages.ranges.decrypted! + byteCount(reference.page)
        pages.installing.withLock { places in
            // Another thread may have installed the run meanwhile, and readers may already use it.
            if pages.checkedBirths[Int(reference.page)] == reference.birth { return }
            use(numbers(of: run, at: reference), in: pages, at: &places)
            place.copyMemory(from: run.baseAddress!, byteCount: run.count)
            // After the copy, because it announces the run to readers, who take no lock.
            pages.markChecked(reference)
        }
    }

    private func numbers(
        of run: UnsafeRawBufferPointer, at reference: PageReference
    ) -> Range<Int> {
        let first = Int(reference.page)
        return first..<first + run.count >> Int(pageShift)
    }

    /// The word of a page whose place is in use, although no checked run begins there.
    private static let usedPlace = UInt64.max

    /// Records that the places of some pages are in use from now on.
    private func use(
        _ numbers: Range<Int>, in pages: MappedPages, at places: inout DecryptedPlaces
    ) {
        for page in numbers where pages.checkedBirths[page] == 0 {
            places.willUse(pageSize, at: pages.table.address(of: UInt64(page))) {
                // Only a request: if it fails, memory comes in small pages.
                try? System.preferLargePages($0, length: DecryptedPlaces.regionBytes)
            }
            (pages.checkedBirths + page).storeRelease(Self.usedPlace)
        }
    }

    /// Reserves the place of a run that has just been decrypted and is to be kept there. Returns
    /// false if there is no room. A place that was in use before takes no more memory.
    func takePlace(
        for run: UnsafeRawBufferPointer, at reference: PageReference, in pages: MappedPages
    ) -> Bool {
        let numbers = numbers(of: run, at: reference)
        return pages.installing.withLock { places in
            let unused = numbers.count { pages.checkedBirths[$0] == 0 }
            guard unused == 0 || places.memory.hasRoom(for: unused << Int(pageShift)) else {
                return false
            }
            use(numbers, in: pages, at: &places)
            return true
        }
    }

    /// Discards what is known of pages that are no longer part of the file, and calls `body`, which
    /// releases their memory.
    func leavePlaces(
        from first: UInt64, to end: UInt64, in pages: MappedPages, _ body: () -> Void
    ) {
        pages.installing.withLock { places in
            for page in first..<end {
                let word = pages.checkedBirths + Int(page)
                if cipher != nil, word.loadRelaxed() != 0 {
                    places.forget(pageSize, at: pages.table.address(of: page))
                }
                word.storeRelease(0)
            }
            body()
        }
    }
}

// MARK: Runs that this process has written

extension PageFile {
    /// The size above which a commit's runs are not copied in advance: copying them would cost more
    /// than decrypting the part that is read later.
    private static let largestAdoptedBytes = 1 << 20

    /// Records that runs of a commit, written ahead of its record, are in the file. Those of an
    /// encrypted file are decrypted when they are read.
    func adopt(_ runs: PageSet, birth: UInt64) {
        guard cipher == nil, let pages else { return }
        runs.forEach { pages.markChecked(PageReference(page: $0, birth: birth)) }
    }

    /// Records that a commit's runs are in the file. They need no check when they are read, and
    /// those of a small commit no decryption.
    func adopt(_ runs: [RunImage]) {
        guard let pages else { return }
        guard cipher != nil else {
            for run in runs { pages.markChecked(run.reference) }
            return
        }
        guard runs.reduce(0, { $0 + $1.byteCount }) <= Self.largestAdoptedBytes else { return }
        for run in runs {
            let bytes = UnsafeRawBufferPointer(start: run.buffer, count: run.byteCount)
            if takePlace(for: bytes, at: run.reference, in: pages) {
                install(bytes, at: run.reference, in: pages)
            }
        }
    }
}
