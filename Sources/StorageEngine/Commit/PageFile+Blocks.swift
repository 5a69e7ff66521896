/// Blocks that are not runs of pages: commit records, in slots or among the pages, the clean-close
/// marker, and the locator of the ring's extension.
///
/// In an encrypted file a block begins with a seal. The ciphertext of a plain file's contents
/// follows.
extension PageFile {
    // MARK: Commit records

    /// Whether records may be among the pages: only if a record fills a page.
    var mayHoldRecordsAmongPages: Bool { pageSize == CommitRecord.size && !isInMemory }

    private func offset(of place: RecordPlace) -> UInt64 {
        switch place {
        case .slot(let slot): slot.block * FileHeader.blockSize
        case .page(let page): offset(of: page)
        }
    }

    /// Reads the valid record at a place; nil if there is none.
    func readRecord(at place: RecordPlace) throws(StorageError) -> CommitRecord? {
        let block = try read(offset: offset(of: place), count: CommitRecord.size)
        return block.withUnsafeBytes { record(in: $0, at: place) }
    }

    /// Reads the record of a version that is or was visible. Returns nil if its place has been
    /// reused, which means that newer versions exist.
    func readRecord(
        of version: UInt64, newestIn coordinator: Coordinator
    ) throws(StorageError) -> CommitRecord? {
        // The visible sequence is published before the version. It is the number of the version's
        // record, or of a newer record whose writer may have died. Numbers may have been skipped.
        let newest = coordinator.visibleSequence
        let ring = coordinator.ring(from: ring)
        // The newest number may have skipped as many numbers as there are slots.
        let reach = 2 * CommitRing.allSlots - 1
        for sequence in (newest - min(newest, reach)...newest).reversed() {
            let record = try readRecord(at: coordinator.recordPlace(of: sequence, in: ring))
            guard let record, record.sequence == sequence else { continue }
            if record.version == version { return record }
            if record.version < version { return nil }
        }
        return nil
    }

    /// Reads the records among the pages that followed `record`, in the order of their numbers,
    /// from the windows that it names.
    func recordsAmongPages(after record: CommitRecord) throws(StorageError) -> [CommitRecord] {
        guard mayHoldRecordsAmongPages else { return [] }
        var found: [UInt64: CommitRecord] = [:]
        let windows = [record.window, record.nextWindow]
        for window in windows[..<(windows[0] == windows[1] ? 1 : 2)] where window != .none {
            let bytes = try read(
                offset: offset(of: window.start), count: byteCount(RecordWindow.pageCount))
            bytes.withUnsafeBytes { bytes in
                for index in 0..<bytes.count / CommitRecord.size {
                    let block = UnsafeRawBufferPointer(
                        rebasing: bytes[index * CommitRecord.size..<(index + 1) * CommitRecord.size]
                    )
                    let place = RecordPlace.page(window.start + UInt64(index))
                    guard mayHoldRecord(block, at: place, after: record.sequence),
                        let next = self.record(in: block, at: place), record.isFollowed(by: next)
                    else { continue }
                    found[next.sequence] = next
                }
            }
        }
        return found.values.sorted { $0.sequence < $1.sequence }
    }

    /// Calls `body` with each of the slots, which are contiguous, and its block. The block of a
    /// slot beyond the end of the file is empty.
    func readSlots(
        _ slots: [CommitSlot], _ body: (CommitSlot, UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        guard let first = slots.first else { return }
        let bytes = try read(
            offset: first.block * FileHeader.blockSize, count: slots.count * CommitRecord.size)
        bytes.withUnsafeBytes { bytes in
            for (index, slot) in slots.enumerated() {
                let start = index * CommitRecord.size
                let isThere = start + CommitRecord.size <= bytes.count
                body(
                    slot,
                    UnsafeRawBufferPointer(
                        rebasing: bytes[isThere ? start..<start + CommitRecord.size : 0..<0]))
            }
        }
    }

    /// Whether the block of a place may hold a valid record with a number after `sequence`. In a
    /// plain file, only the number in the block's first sector is read, without a check of the
    /// record.
    func mayHoldRecord(
        _ block: UnsafeRawBufferPointer, at place: RecordPlace, after sequence: UInt64
    ) -> Bool {
        guard block.count == CommitRecord.size else { return false }
        if cipher == nil { return CommitRecord.uncheckedSequence(in: block) > sequence }
        return record(in: block, at: place).map { $0.sequence > sequence } ?? false
    }

    /// Decodes the record in a place's block. Returns nil for an empty slot, and for anything but
    /// the record that was written to this place of this file.
    func record(in block: UnsafeRawBufferPointer, at place: RecordPlace) -> CommitRecord? {
        guard let cipher else { return decodedRecord(block, at: place) }
        guard block.count == CommitRecord.size,
            let contents = cipher.open(block, at: .record(place))
        else { return nil }
        // The seal shortens the room for a record, so records of both kinds of files end before its
        // length.
        let plain = contents + [UInt8](repeating: 0, count: Seal.size)
        return plain.withUnsafeBytes { decodedRecord($0, at: place) }
    }

    private func decodedRecord(
        _ block: UnsafeRawBufferPointer, at place: RecordPlace
    ) -> CommitRecord? {
        CommitRecord(block, at: place, fileSeed: fileSeed, firstPage: firstPage, ring: ring)
    }

    /// Encodes a record as the block for its place.
    func block(of record: CommitRecord) -> [UInt8] {
        let block = record.encode(fileSeed: fileSeed)
        guard cipher != nil else { return block }
        assert(block[CommitRecord.contentSize...].allSatisfy { $0 == 0 })
        return sealed(block[..<CommitRecord.contentSize], for: .record(record.place))
    }

    /// Writes a block that ``block(of:)`` returned.
    func write(recordBlock: [UInt8], at place: RecordPlace) throws(StorageError) {
        try write(recordBlock, at: offset(of: place))
    }

    /// Does the same, and returns when the block is durable; see ``writeSynced(_:at:)``.
    func writeSynced(recordBlock: [UInt8], at place: RecordPlace) throws(StorageError) -> Bool {
        try writeSynced(recordBlock, at: offset(of: place))
    }

    /// Writes the contents of a place again, byte for byte; see ``Recovery/makeDurable(_:)``.
    func rewriteRecord(at place: RecordPlace) throws(StorageError) {
        let offset = offset(of: place)
        try write(try read(offset: offset, count: CommitRecord.size), at: offset)
    }

    /// Overwrites a place with zeros, which are no record.
    func clearRecord(at place: RecordPlace) throws(StorageError) {
        try write([UInt8](repeating: 0, count: CommitRecord.size), at: offset(of: place))
    }

    // MARK: Marker

    /// Reads the marker; nil if there is no valid one.
    func readMarker() throws(StorageError) -> CleanCloseMarker? {
        let block = try read(
            offset: FileHeader.markerOffset, count: Seal.size + CleanCloseMarker.size)
        return block.withUnsafeBytes { marker(in: $0) }
    }

    /// Decodes the marker in its block; nil if it is not valid.
    func marker(in block: UnsafeRawBufferPointer) -> CleanCloseMarker? {
        guard let cipher else { return CleanCloseMarker(block, header) }
        let end = Seal.size + CleanCloseMarker.size
        guard block.count >= end else { return nil }
        return cipher.open(UnsafeRawBufferPointer(rebasing: block[..<end]), at: .marker)?
            .withUnsafeBytes { CleanCloseMarker($0, header) }
    }

    func write(_ marker: CleanCloseMarker) throws(StorageError) {
        let bytes = marker.encode(header)
        try write(
            cipher == nil ? bytes : sealed(bytes[...], for: .marker), at: FileHeader.markerOffset)
    }

    /// Overwrites the marker with zeros. All of it is in one sector.
    func clearMarker() throws(StorageError) {
        let size = Seal.size + CleanCloseMarker.size
        try write([UInt8](repeating: 0, count: size), at: FileHeader.markerOffset)
    }

    // MARK: Locator

    /// Reads the locator of the ring's extension; nil if there is no valid one.
    func readLocator() throws(StorageError) -> ExtensionLocator? {
        if ring.hasAllInFront { return nil }
        let block = try read(
            offset: FileHeader.locatorOffset, count: Seal.size + ExtensionLocator.size)
        return block.withUnsafeBytes { block in
            guard let cipher else { return ExtensionLocator(block, header) }
            guard block.count == Seal.size + ExtensionLocator.size else { return nil }
            return cipher.open(block, at: .locator)?
                .withUnsafeBytes { ExtensionLocator($0, header) }
        }
    }

    func write(_ locator: ExtensionLocator) throws(StorageError) {
        let bytes = locator.encode(header)
        try write(
            cipher == nil ? bytes : sealed(bytes[...], for: .locator),
            at: FileHeader.locatorOffset)
    }

    /// Overwrites the locator with zeros. All of it is in one sector.
    func clearLocator() throws(StorageError) {
        let size = Seal.size + ExtensionLocator.size
        try write([UInt8](repeating: 0, count: size), at: FileHeader.locatorOffset)
    }

    // MARK: Sealing

    private func sealed(_ contents: ArraySlice<UInt8>, for place: SealedPlace) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Seal.size + contents.count)
        block.withUnsafeMutableBytes { target in
            contents.withUnsafeBytes { _ = cipher!.seal($0, for: place, to: target.baseAddress!) }
        }
        return block
    }
}
