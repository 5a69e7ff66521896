/// Taking and freeing pages.
///
/// Errors do not fail the transaction here: the ``Pager`` sees to that, because more than the
/// transaction has to be told of it.
extension WriteTransaction {
    /// Returns a new run with undefined contents.
    ///
    /// - Throws: `.outOfDiskSpace`, `.addressSpaceExhausted`, `.fileAccess`; the failure of the
    ///   transaction.
    mutating func allocateUninitialized(
        pages: Int
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        precondition(pages > 0)
        try checkNotFailed()
        let page = try takePages(UInt64(pages))
        let buffer = memory.arena.take(pages: pages)
        MutablePageHeader(buffer).base = .none
        memory.pages.add(buffer, at: page)
        noteMemory()
        return (PageReference(page: page, birth: version), buffer)
    }

    /// Returns a new run with zeroed contents; kind, length and birth are in its header.
    mutating func allocate(
        pages: Int, kind: PageKind
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        let (reference, buffer) = try allocateUninitialized(pages: pages)
        format(buffer, pages: pages, kind: kind)
        return (reference, buffer)
    }

    private func format(_ buffer: UnsafeMutableRawPointer, pages: Int, kind: PageKind) {
        buffer.fill(pages * file.pageSize, with: 0)
        let header = MutablePageHeader(buffer)
        header.kind = kind
        header.pageCount = pages
        header.birth = version
    }

    /// Moves one of its own runs to one of another length, see
    /// ``Pager/reallocate(_:pages:move:)``.
    mutating func reallocate(
        _ reference: PageReference, _ old: UnsafeMutableRawPointer, pages: Int,
        move: (_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) -> Void
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        let (kind, oldPages) = (PageHeader(old).kind, PageHeader(old).pageCount)
        // Only the numbers come free before the call that can fail: the new run may need them.
        freeOwn(reference.page, pages: oldPages)
        if planted(.readsHalfDoneChanges) { memory.pages.remove(reference.page) }
        let page = try takePages(UInt64(pages))
        let buffer = memory.arena.take(pages: pages)
        format(buffer, pages: pages, kind: kind!)
        move(old, buffer)
        MutablePageHeader(buffer).base = PageHeader(old).base
        if !planted(.readsHalfDoneChanges) { memory.pages.remove(reference.page) }
        memory.pages.add(buffer, at: page)
        memory.arena.giveBack(old, pages: oldPages)
        noteMemory()
        return (PageReference(page: page, birth: version), buffer)
    }

    // MARK: Freeing

    /// Frees a private copy. Its memory must not be used afterwards.
    mutating func freePrivateCopy(_ reference: PageReference, _ buffer: UnsafeMutableRawPointer) {
        let pages = PageHeader(buffer).pageCount
        memory.pages.remove(reference.page)
        memory.arena.giveBack(buffer, pages: pages)
        freeOwn(reference.page, pages: pages)
    }

    /// Frees page numbers that the transaction took: they can be given out again at once.
    mutating func freeOwn(_ page: UInt64, pages: Int) {
        map.space.freeOwn(Extent(start: page, count: UInt64(pages)))
    }

    /// Frees a run of an earlier version once no reader reaches it.
    ///
    /// - Throws: `.damaged` where the run cannot be in use.
    mutating func freeOld(_ reference: PageReference, pages: Int) throws(StorageError) {
        if reference.birth > newestVersionInFile { memory.replaced.append(reference) }
        let extent = Extent(start: reference.page, count: UInt64(pages))
        guard map.space.freeOld(extent, birth: reference.birth) else {
            throw file.damage(reference.page, "it is in use and free at once, or used twice")
        }
    }

    // MARK: Numbers

    /// Takes contiguous page numbers, at which the file has room.
    private mutating func takePages(_ count: UInt64) throws(StorageError) -> UInt64 {
        do { try System.takePages(file.descriptor) } catch {
            throw file.failure(error, .resize)
        }
        // A file that is to end where its contents do takes what is left in front of its end. Pages
        // that no commit waits for need not be in one piece.
        let scattering = leavesNoTail || file.mayCarryChanges && map.space.isHalfFree
        if let page = map.space.allocate(count, scattering: scattering) { return page }
        do throws(StorageError) { try growFile(for: count) } catch {
            // On a full disk small holes have to do.
            if error.code == .outOfDiskSpace, let page = map.space.allocate(count) { return page }
            throw error
        }
        return map.space.allocate(count)!
    }

    private mutating func growFile(for count: UInt64) throws(StorageError) {
        try writer.coordinator.checkNotForked()
        takeSlotPages(ofFileWith: grownPageCount(for: count))
        let newCount = grownPageCount(for: count)
        try file.grow(
            from: map.space.pageCount, to: newCount,
            transactionPages: settings.writesInBulk ? nil : map.space.allocatedPages + count)
        map.space.grow(to: newCount)
    }

    /// Pages of the file once it has grown by `count` in one piece.
    private func grownPageCount(for count: UInt64) -> UInt64 {
        file.grownPageCount(
            from: map.space.pageCount,
            shortage: count - min(count, map.space.freePagesAtEnd))
    }

    /// Makes room for `count` pages at once, as far as the disk has it: for one transaction or
    /// several that will need them. Growing step by step would wait for other writes to the file.
    mutating func reserve(pages count: UInt64) {
        takeSlotPages(ofFileWith: file.firstPage + count)
        let missing = count - min(count, map.space.freePages)
        guard missing > 0 else { return }
        let newCount = map.space.pageCount + missing
        let isGrown: Void? = try? file.grow(
            from: map.space.pageCount, to: newCount, transactionPages: nil)
        if isGrown != nil { map.space.grow(to: newCount) }
    }
}
