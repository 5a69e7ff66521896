import Glibc

/// Reading and writing by system call, and growth.
extension PageFile {
    /// Reads bytes; fewer than requested at the end of the file.
    func read(offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemFailure) in
                try System.read(descriptor, into: buffer, at: offset)
            }
        }
        switch result {
        case .success(let done):
            bytes.removeLast(count - done)
            return bytes
        case .failure(let error): throw failure(error, .read)
        }
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemFailure) in
                try System.write(descriptor, buffer, at: offset)
            }
        }
        if case .failure(let error) = result { throw failure(error, .write) }
    }

    /// Makes all writes durable.
    ///
    /// Only one call runs at a time, and none after one that failed. Linux marks pages that it
    /// could not write as clean, and reports the failure once per open file. Of two concurrent or
    /// consecutive calls, only the first may learn of a failure that concerns both. So the failure
    /// is kept here and reported to every later caller.
    func sync() throws(StorageError) {
        if isInMemory { return }
        if planted(.overlapsSyncs) { return try syncData() }
        try syncFailure.withLock { failure throws(StorageError) in
            if let failure, !planted(.retriesFailedSync), !planted(.poisonsNobody) { throw failure }
            do throws(StorageError) {
                try syncData()
            } catch {
                failure = error
                throw error
            }
        }
    }

    /// Writes bytes, and returns when they are durable, whatever else of the file is. Returns false
    /// where the file system does not offer that; nothing is written then. A failure counts as one
    /// of ``sync()``.
    func writeSynced(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) -> Bool {
        try syncFailure.withLock { failure throws(StorageError) in
            if let failure { throw failure }
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(SystemFailure) in
                    if planted(.carriesWithoutSync) {
                        try System.write(descriptor, buffer, at: offset)
                    } else {
                        try System.writeSynced(descriptor, buffer, at: offset)
                    }
                }
            }
            guard case .failure(let error) = result else { return true }
            if error.isUnsupported { return false }
            // The space was allocated before. A file system that writes nothing in place may be
            // full all the same, and has written nothing then.
            if error.errno == ENOSPC || error.errno == EDQUOT { throw self.failure(error, .write) }
            let sync = self.failure(error, .sync)
            failure = sync
            throw sync
        }
    }

    private func syncData() throws(StorageError) {
        do { try System.syncData(descriptor) } catch { throw failure(error, .sync) }
    }

    /// Starts writeback of dirty pages, so that a later sync waits for less. That sync reports any
    /// errors.
    func beginWriteback() {
        if isInMemory { return }
        try? System.beginWriteback(descriptor)
    }
}

// MARK: Growth

extension PageFile {
    /// The smallest initial length. A new file's length is 3/2 of its header, marker and commit
    /// slots, but at least this.
    private static let smallestFile: UInt64 = 64 << 10
    static func initialBytes(_ header: FileHeader) -> UInt64 {
        max(smallestFile, header.blockCount * FileHeader.blockSize * 3 / 2)
    }
    private static let smallestStep: UInt64 = 64 << 10
    private static let largestStep: UInt64 = 1 << 20
    /// The size above which a transaction does not wait for space to be filled with zeros: it fills
    /// the space itself, and its sync of so much data hides what the unwritten space costs.
    private static let largestPrewrittenTransaction: UInt64 = 4 << 20

    /// Returns the page count of a file of `pageCount` pages after it grows because it lacks
    /// `shortage` pages.
    func grownPageCount(from pageCount: UInt64, shortage: UInt64) -> UInt64 {
        let quarter = pageCount / 4
        let step = min(max(quarter, Self.smallestStep >> pageShift), Self.largestStep >> pageShift)
        return pageCount + max(step, shortage)
    }

    /// Extends the file and maps the new pages.
    ///
    /// Space is allocated before anything is written there, so that a full disk is an error here
    /// and never a fault in the mapping. Unless the transaction is large, the space is then filled
    /// with zeros, because a sync of blocks that were written before costs half of one that also
    /// converts unwritten blocks. `transactionPages` is nil if only large transactions will use the
    /// space.
    func grow(
        from oldCount: UInt64, to newCount: UInt64, transactionPages: UInt64?
    ) throws(StorageError) {
        let start = offset(of: oldCount)
        let length = offset(of: newCount) - start
        var isAllocated = true
        do throws(SystemFailure) {
            try System.allocate(descriptor, offset: start, length: length)
        } catch {
            guard error.isUnsupported else { throw failure(error, .resize) }
            isAllocated = false
        }
        let isLarge =
            transactionPages.map { offset(of: $0) > Self.largestPrewrittenTransaction } ?? true
        if !isAllocated || !(isLarge || isInMemory) {
            let fillLength = isAllocated ? min(length, Self.largestStep) : length
            try fillWithZeros(from: start, length: fillLength)
        }
        try map(pageCount: newCount)
    }

    func fillWithZeros(from start: UInt64, length: UInt64) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: Int(min(length, 256 << 10)))
        var done: UInt64 = 0
        while done < length {
            let part = min(length - done, UInt64(zeros.count))
            try write(
                part == UInt64(zeros.count) ? zeros : [UInt8](zeros[..<Int(part)]),
                at: start + done)
            done += part
        }
    }
}
