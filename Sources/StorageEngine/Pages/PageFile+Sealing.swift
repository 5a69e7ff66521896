/// A finished run in private memory, and the page to which it is written.
struct RunImage {
    var page: UInt64
    var buffer: UnsafeMutableRawPointer
    var byteCount: Int
    /// The run that it was copied from; none if it is new.
    var base = PageReference.none
    /// The first word of the run's seal, once it has one. The whole seal is in front of the run.
    var seal: UInt64 = 0

    var reference: PageReference { PageReference(page: page, birth: PageHeader(buffer).birth) }
}

/// The hash over the seals of the runs that a record vouches for, in the order of its page list.
struct PageListHash {
    private(set) var value: UInt64 = 0

    /// Adds the first word of a run's seal: its checksum, or half of its authentication tag.
    mutating func combine(_ seal: UInt64) {
        // Order matters: each step multiplies the hash so far by an odd constant.
        value = (value &+ 0x9E37_79B9_7F4A_7C15 &+ seal) &* 0xD6E8_FEB8_6659_FD93
        value ^= value >> 32
    }
}

/// Sealing, the last step before finished runs are written.
extension PageFile {
    /// The most bytes of an encrypted file that are sealed before they are written, unless a single
    /// run is longer. A large commit thus needs little memory besides its private copies.
    private static let largestBatchBytes = 1 << 20

    /// Seals finished runs, stores the seals in front of them, and passes the runs in batches to
    /// `write`. The last call also receives all runs. A batch consists of the runs themselves, or,
    /// in an encrypted file, of sealed images that are valid during the call. What is behind the
    /// seals is not changed, because other connections may be reading it.
    func seal(
        _ runs: inout [RunImage],
        _ write: (ArraySlice<RunImage>, _ all: [RunImage]?) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let cipher else {
            sealInPlace(&runs)
            return try write(runs[...], runs)
        }
        for batch in sealingBatches(of: runs) {
            try sealingScratch.withLock { scratch throws(StorageError) in
                let images = seal(&runs, batch, with: cipher, into: &scratch)
                try write(images, batch.endIndex == runs.endIndex ? runs : nil)
            }
        }
        sealingScratch.withLock { $0.reset() }
    }

    /// Returns the batches in which a commit is sealed and written; at least one.
    private func sealingBatches(of runs: [RunImage]) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var start = 0
        var bytes = 0
        for index in runs.indices {
            if bytes > 0, bytes + runs[index].byteCount > Self.largestBatchBytes {
                batches.append(start..<index)
                (start, bytes) = (index, 0)
            }
            bytes += runs[index].byteCount
        }
        // A group that only frees pages has one empty batch, so that `write` is called.
        batches.append(start..<runs.count)
        return batches
    }

    private func sealInPlace(_ runs: inout [RunImage]) {
        for index in runs.indices {
            runs[index].seal = PageHeader.seal(
                UnsafeMutableRawBufferPointer(
                    start: runs[index].buffer, count: runs[index].byteCount),
                pageNumber: runs[index].page, fileSeed: fileSeed)
        }
    }

    /// Seals a batch of runs into `scratch` and returns the images.
    private func seal(
        _ runs: inout [RunImage], _ batch: Range<Int>, with cipher: FileCipher,
        into scratch: inout SealingScratch
    ) -> ArraySlice<RunImage> {
        var place = scratch.memory(byteCount: runs[batch].reduce(0) { $0 + $1.byteCount })
        var images: [RunImage] = []
        images.reserveCapacity(batch.count)
        for index in batch {
            let run = runs[index]
            let contents = UnsafeRawBufferPointer(
                start: run.buffer + Seal.size, count: run.byteCount - Seal.size)
            let seal = cipher.seal(contents, for: .run(page: run.page), to: place)
            seal.store(at: run.buffer)
            runs[index].seal = seal.tag.0
            images.append(RunImage(page: run.page, buffer: place, byteCount: run.byteCount))
            place += run.byteCount
        }
        return images[...]
    }
}

/// What the bytes of a run in the file say, once its seal has been checked.
struct IntactRun {
    var pageCount: UInt64
    var birth: UInt64
    /// The first word of the seal.
    var seal: UInt64

    fileprivate init(_ header: PageHeader) {
        pageCount = UInt64(header.pageCount)
        birth = header.birth
        seal = header.checksum
    }
}

/// Checking runs that are not in use yet, for recovery.
extension PageFile {
    /// Checks the run at the beginning of bytes that were read from `page` on. Returns nil if it is
    /// not what was sealed for this page of this file, or is not complete.
    func intactRun(_ bytes: UnsafeRawBufferPointer, at page: UInt64) -> IntactRun? {
        if let cipher {
            return withOpenedRun(bytes, at: page, with: cipher) { run in
                run.map { IntactRun(PageHeader($0.baseAddress!)) }
            }
        }
        guard bytes.count >= pageSize else { return nil }
        let run = IntactRun(PageHeader(bytes.baseAddress!))
        guard run.pageCount >= 1, run.pageCount <= UInt64(bytes.count) >> pageShift else {
            return nil
        }
        let sealed = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount(run.pageCount)])
        return PageHeader.isSealed(sealed, pageNumber: page, fileSeed: fileSeed) ? run : nil
    }
}
