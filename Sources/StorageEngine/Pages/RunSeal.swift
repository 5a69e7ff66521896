/// The seal of a run that was written.
enum RunSeal: Equatable {
    /// Of a plain file.
    case checksum(UInt64)
    /// Of an encrypted file.
    case cipher(Seal)

    /// The seal in front of a run.
    init(at run: UnsafeRawPointer, in file: PageFile) {
        self = file.cipher == nil ? .checksum(PageHeader(run).checksum) : .cipher(Seal(at: run))
    }

    /// Appends what ``init(_:in:)`` decodes: the bytes of the seal that are not always zero.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .checksum(let sum): withUnsafeBytes(of: sum.littleEndian) { bytes += $0 }
        case .cipher(let seal):
            withUnsafeTemporaryAllocation(byteCount: Seal.size, alignment: 8) {
                seal.store(at: $0.baseAddress!)
                bytes += $0
            }
        }
    }

    /// Decodes untrusted bytes; nil where they end too early.
    init?(_ reader: inout VariableLengthIntegerReader, in file: PageFile) {
        if file.cipher == nil {
            guard let sum = reader.fixed(UInt64.self) else { return nil }
            self = .checksum(sum)
        } else {
            guard let bytes = reader.take(UInt64(Seal.size)) else { return nil }
            self = .cipher(Seal(at: bytes.baseAddress!))
        }
    }
}

/// A whole run, for recovery.
struct RunContents {
    /// What the file stores.
    var stored: [UInt8]
    /// The same, decrypted. The seal in front of it may be missing.
    var bytes: [UInt8]
    var seal: RunSeal

    var birth: UInt64 { bytes.withUnsafeBytes { PageHeader($0.baseAddress!).birth } }
    var pageCount: UInt64 {
        bytes.withUnsafeBytes { UInt64(PageHeader($0.baseAddress!).pageCount) }
    }
}

extension PageFile {
    /// Returns the run at the beginning of bytes that were read from `page` on; nil if it is not
    /// intact, or not all of it is there.
    func contents(ofRunIn bytes: [UInt8], at page: UInt64) -> RunContents? {
        bytes.withUnsafeBytes { stored in
            func contents(_ run: UnsafeRawBufferPointer) -> RunContents {
                let stored = Array(stored[..<run.count])
                return RunContents(
                    stored: stored, bytes: cipher == nil ? stored : Array(run),
                    seal: RunSeal(at: run.baseAddress!, in: self))
            }
            if let cipher {
                return withOpenedRun(stored, at: page, with: cipher) { $0.map(contents) }
            }
            guard let run = intactRun(stored, at: page) else { return nil }
            return contents(UnsafeRawBufferPointer(rebasing: stored[..<byteCount(run.pageCount)]))
        }
    }

    /// Seals a run that was made again. Returns nil if it is not what had this seal. What is
    /// encrypted with the same key and nonce as before is the same as before, or is not returned.
    func contents(
        sealing bytes: [UInt8], again seal: RunSeal, at page: UInt64
    ) -> RunContents? {
        switch seal {
        case .checksum(let expected):
            var run = bytes
            let sum = run.withUnsafeMutableBytes {
                PageHeader.seal($0, pageNumber: page, fileSeed: fileSeed)
            }
            return sum == expected ? RunContents(stored: run, bytes: run, seal: seal) : nil
        case .cipher(let expected):
            var stored = [UInt8](repeating: 0, count: bytes.count)
            let isSame = stored.withUnsafeMutableBytes { stored in
                bytes.withUnsafeBytes { run in
                    cipher!.repeatSeal(
                        expected, of: UnsafeRawBufferPointer(rebasing: run[Seal.size...]),
                        for: .run(page: page), to: stored.baseAddress!)
                }
            }
            return isSame ? RunContents(stored: stored, bytes: bytes, seal: seal) : nil
        }
    }
}
