import Glibc

/// A cipher context and memory for the result, with which one thread opens sealed contents.
/// Contents that fail to authenticate thus never lie where readers look.
final class CipherWorkspace {
    /// The capacity of a new workspace. Above `largestKeptCapacity`, memory is freed after each
    /// use.
    private static let smallestCapacity = 64 << 10
    private static let largestKeptCapacity = 1 << 20
    /// The number of bytes that are decrypted before the total length is known. It is one block of
    /// the cipher, so that the rest is processed in whole blocks.
    static let prefixSize = 16

    private let context: CipherContext
    private var memory: UnsafeMutableRawPointer
    private var capacity = smallestCapacity

    /// Creates a workspace; nil if libcrypto has no AES-256-GCM.
    init?() {
        guard let context = CipherContext(.opening) else { return nil }
        self.context = context
        memory = Self.allocate(Self.smallestCapacity)
    }

    deinit { free(memory) }

    /// Opens the contents at the beginning of `sealed`. The result has the length of the sealed
    /// bytes, begins with the seal itself, and is valid until the workspace is used again. Returns
    /// nil if the contents are not authentic.
    ///
    /// `byteCount` determines the total length, seal included, from the first 16 decrypted bytes.
    /// If it returns nil, or more than `sealed` has, the bytes cannot be what was sealed. It must
    /// not conclude anything else from these bytes, which are authenticated only at the end.
    func open(
        _ sealed: UnsafeRawBufferPointer, key: (SessionSalt) -> SecretKey,
        authenticating additionalData: SealedPlace.AdditionalData,
        byteCount: (UnsafeRawPointer) -> Int?
    ) -> UnsafeRawBufferPointer? {
        let prefixEnd = Seal.size + Self.prefixSize
        guard sealed.count >= prefixEnd, let start = sealed.baseAddress else { return nil }
        let seal = Seal(at: start)
        context.begin(
            seal.salt, seal.number, key: { key(seal.salt) }, authenticating: additionalData)
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

    /// Frees memory that few contents need.
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
