/// A finished run in private memory, and the page that it goes to.
struct RunImage {
    var page: UInt64
    var buffer: UnsafeMutableRawPointer
    var byteCount: Int
    /// The first word of its seal, once it has one.
    var seal: UInt64 = 0

    var reference: PageReference { PageReference(page: page, birth: PageHeader(buffer).birth) }
}

/// The hash over the seals of the runs that a record vouches for, in the order of its page list.
struct PageListHash {
    private(set) var value: UInt64 = 0

    /// The first word of a run's seal: its checksum, or half of its authentication tag.
    mutating func combine(_ seal: UInt64) {
        // Order matters: each step multiplies what came before by an odd constant.
        value = (value &+ 0x9E37_79B9_7F4A_7C15 &+ seal) &* 0xD6E8_FEB8_6659_FD93
        value ^= value >> 32
    }
}

/// Sealing: the last step before finished runs are written.
extension PageFile {
    /// An encrypted file seals at most this much before it is written, or a single longer run: so a
    /// large commit needs little memory beside its private copies.
    private static let largestBatchBytes = 1 << 20

    /// Seals finished runs, notes their seals, and hands them part by part to `write`, with the last
    /// part also all of them. What it gets as a part are the runs themselves, or in an encrypted file
    /// images of them, valid during the call; the private copies of an encrypted file stay as they are,
    /// because others may be reading them.
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

    /// Parts of a commit to be sealed and written one after the other, at least one.
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
        // A group that only frees has one part too, an empty one.
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

    /// The sealed images of some of the runs, in `scratch`.
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
            runs[index].seal = cipher.seal(contents, for: .run(page: run.page), to: place)
            images.append(RunImage(page: run.page, buffer: place, byteCount: run.byteCount))
            place += run.byteCount
        }
        return images[...]
    }
}

/// What is known of a run from its bytes in the file, after its seal was checked.
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

extension PageFile {
    /// The run at the beginning of bytes that were read from `page` on; nil if it is not what was
    /// sealed for this page of this file, or not whole.
    func intactRun(_ bytes: UnsafeRawBufferPointer, at page: UInt64) -> IntactRun? {
        if let cipher {
            return withOpenedRun(bytes, at: page, cipher) { run in
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
