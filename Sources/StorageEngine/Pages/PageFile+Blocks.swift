/// The two kinds of block in front of the pages: commit records in their slots, and the
/// clean-close marker.
///
/// In an encrypted file, a block begins with a seal, and what a plain file has there follows,
/// encrypted.
extension PageFile {
    static func offset(ofSlot slot: UInt64) -> UInt64 {
        FileHeader.slotsOffset + slot * FileHeader.blockSize
    }

    // MARK: Commit records

    /// The valid record in a slot.
    func readRecord(slot: UInt64) throws(StorageError) -> CommitRecord? {
        let block = try read(offset: Self.offset(ofSlot: slot), count: CommitRecord.size)
        return block.withUnsafeBytes { record(in: $0, slot: slot) }
    }

    /// The blocks of neighbouring slots; less where the file ends among them.
    func readSlots(_ slots: Range<UInt64>) throws(StorageError) -> [UInt8] {
        try read(
            offset: Self.offset(ofSlot: slots.lowerBound), count: slots.count * CommitRecord.size)
    }

    /// Whether a valid record with a number after `sequence` may be in a slot's block. A plain one is
    /// not checked for that: it says its number in its first sector.
    func mayHoldRecord(
        _ block: UnsafeRawBufferPointer, slot: UInt64, after sequence: UInt64
    ) -> Bool {
        guard block.count == CommitRecord.size else { return false }
        if cipher == nil { return CommitRecord.uncheckedSequence(in: block) > sequence }
        return record(in: block, slot: slot).map { $0.sequence > sequence } ?? false
    }

    /// The record in a slot's block; nil for an empty slot, and for whatever is not the record that
    /// was written to this slot of this file.
    func record(in block: UnsafeRawBufferPointer, slot: UInt64) -> CommitRecord? {
        guard let cipher else { return decodedRecord(block, slot: slot) }
        guard block.count == CommitRecord.size,
            let contents = cipher.open(block, at: .slot(slot))
        else { return nil }
        // The record ends where its room ends in either kind of file.
        let plain = contents + [UInt8](repeating: 0, count: Seal.size)
        return plain.withUnsafeBytes { decodedRecord($0, slot: slot) }
    }

    private func decodedRecord(_ block: UnsafeRawBufferPointer, slot: UInt64) -> CommitRecord? {
        CommitRecord(block, slot: slot, fileSeed: fileSeed, firstPage: firstPage)
    }

    /// Writes a record to its slot.
    func write(_ record: CommitRecord) throws(StorageError) {
        let slot = CommitRecord.slot(of: record.sequence)
        let block = record.encode(fileSeed: fileSeed)
        guard cipher != nil else { return try write(block, at: Self.offset(ofSlot: slot)) }
        assert(block[CommitRecord.contentSize...].allSatisfy { $0 == 0 })
        try write(
            sealed(block[..<CommitRecord.contentSize], for: .slot(slot)),
            at: Self.offset(ofSlot: slot))
    }

    /// Writes to a slot once more what is in it, byte for byte: see ``Recovery/makeDurable(_:)``.
    func rewriteSlot(_ slot: UInt64) throws(StorageError) {
        let offset = Self.offset(ofSlot: slot)
        try write(try read(offset: offset, count: CommitRecord.size), at: offset)
    }

    /// Overwrites a slot with zeros: no record.
    func clearSlot(_ slot: UInt64) throws(StorageError) {
        try write(
            [UInt8](repeating: 0, count: CommitRecord.size), at: Self.offset(ofSlot: slot))
    }

    // MARK: Marker

    /// The marker, or nil.
    func readMarker() throws(StorageError) -> CleanCloseMarker? {
        let block = try read(
            offset: FileHeader.markerOffset, count: Seal.size + CleanCloseMarker.size)
        return block.withUnsafeBytes { marker(in: $0) }
    }

    /// The marker in its block, or nil.
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

    // MARK: Sealing

    private func sealed(_ contents: ArraySlice<UInt8>, for place: SealedPlace) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Seal.size + contents.count)
        block.withUnsafeMutableBytes { target in
            contents.withUnsafeBytes { _ = cipher!.seal($0, for: place, to: target.baseAddress!) }
        }
        return block
    }
}
