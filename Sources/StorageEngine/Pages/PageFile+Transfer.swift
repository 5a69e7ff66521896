import Glibc

/// Reading and writing by system call, and growth.
extension PageFile {
    /// Reads bytes; fewer than asked for at the end of the file.
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

    /// Makes durable what has been written.
    ///
    /// One call at a time, and none after one that failed. Linux keeps what it could not write as if it
    /// had been written, and tells each open file once: of two calls at a time, or one after the
    /// other, only the first may hear of a failure that concerns both. So all are told here.
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

    private func syncData() throws(StorageError) {
        do { try System.syncData(descriptor) } catch { throw failure(error, .sync) }
    }

    /// Has the system begin to write what it holds for the disk, so that a later sync waits for less.
    /// That sync tells of errors.
    func beginWriteback() {
        if isInMemory { return }
        try? System.beginWriteback(descriptor)
    }
}

// MARK: Growth

extension PageFile {
    /// A new file has half as much for pages as for its header, marker and commit slots, and at least
    /// this many bytes.
    private static let smallestFile: UInt64 = 64 << 10
    static func initialBytes(_ header: FileHeader) -> UInt64 {
        max(smallestFile, header.blockCount * FileHeader.blockSize * 3 / 2)
    }
    private static let smallestStep: UInt64 = 64 << 10
    private static let largestStep: UInt64 = 1 << 20
    /// A transaction larger than this does not wait for space to be written beforehand: it will
    /// fill the space itself, and the sync of so much data hides what the space costs.
    private static let largestPrewrittenTransaction: UInt64 = 4 << 20

    /// How many pages a file of `pageCount` pages gets when it lacks `shortage`.
    func grownPageCount(from pageCount: UInt64, shortage: UInt64) -> UInt64 {
        let quarter = pageCount / 4
        let step = min(max(quarter, Self.smallestStep >> pageShift), Self.largestStep >> pageShift)
        return pageCount + max(step, shortage)
    }

    /// Extends the file and maps what is new.
    ///
    /// Space is allocated before anything is written there, so that a full disk is an error here
    /// and never a fault under the mapping. Then it is filled with zeros, because a sync of
    /// blocks that were written before costs half of one that also converts them; but not for large
    /// transactions. `transactionPages` is nil where there will only be such.
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
