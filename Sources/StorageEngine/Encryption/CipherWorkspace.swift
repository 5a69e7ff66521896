import Glibc

/// What one thread needs to open sealed contents: a context, and memory for the result, so that
/// nothing that fails to authenticate ever lies where it could be read.
final class CipherWorkspace {
    /// Kept between uses.
    private static let smallestCapacity = 64 << 10
    private static let largestKeptCapacity = 1 << 20
    /// How much is decrypted before the length of the whole is known. One block of the cipher, so
    /// that what follows is processed in whole blocks.
    static let prefixSize = 16

    private let context: CipherContext
    private var memory: UnsafeMutableRawPointer
    private var capacity = smallestCapacity

    /// Nil where libcrypto has no AES-256-GCM.
    init?() {
        guard let context = CipherContext(.opening) else { return nil }
        self.context = context
        memory = Self.allocate(Self.smallestCapacity)
    }

    deinit { free(memory) }

    /// Opens what lies at the beginning of `sealed`. The result is as long as the sealed bytes,
    /// begins with the seal itself, and is valid until the workspace is used again.
    ///
    /// `byteCount` tells the length of the whole, seal included, from the first 16 decrypted bytes;
    /// nil, or more than there is, means that they cannot be what was sealed. Nothing else may be
    /// concluded from these bytes: they are authenticated only in the end.
    func open(
        _ sealed: UnsafeRawBufferPointer, key: (SessionSalt) -> SecretKey,
        _ additionalData: SealedPlace.AdditionalData,
        byteCount: (UnsafeRawPointer) -> Int?
    ) -> UnsafeRawBufferPointer? {
        let prefixEnd = Seal.size + Self.prefixSize
        guard sealed.count >= prefixEnd, let start = sealed.baseAddress else { return nil }
        let seal = Seal(at: start)
        context.begin(seal.salt, seal.number, key: { key(seal.salt) }, additionalData)
        context.process(
            start + Seal.size, into: memory + Seal.size, count: Self.prefixSize)
        guard let count = byteCount(memory + Seal.size), count >= prefixEnd,
            count <= sealed.count
        else { return nil }
        makeRoom(for: count, keeping: prefixEnd)
        context.process(
            start + prefixEnd, into: memory + prefixEnd, count: count - prefixEnd)
        guard context.isAuthentic(seal.tag) else { return nil }
        seal.store(at: memory)
        return UnsafeRawBufferPointer(start: memory, count: count)
    }

    private func makeRoom(for count: Int, keeping kept: Int) {
        guard count > capacity else { return }
        let larger = Self.allocate(count)
        larger.copyMemory(from: memory, byteCount: kept)
        free(memory)
        memory = larger
        capacity = count
    }

    /// Gives back memory that few contents need.
    func shrink() {
        guard capacity > Self.largestKeptCapacity else { return }
        free(memory)
        capacity = Self.smallestCapacity
        memory = Self.allocate(capacity)
    }

    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        let result = posix_memalign(&memory, 4096, byteCount)
        precondition(result == 0, "out of memory")
        return memory!
    }
}
