#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A buffer in which a node is laid out anew before it replaces the old bytes.
///
/// One for each thread, kept until the thread ends, so that laying out allocates nothing. Safe
/// because a layout never calls code of others, never suspends, and never lays out another node
/// before it has copied its result out.
enum NodeScratch {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { free($0) }
        precondition(result == 0, "The process has no thread-specific keys left.")
        return key
    }()

    /// In front of the buffer: its capacity, padded so that the buffer is aligned to 16 bytes.
    private static let prefix = 16

    /// At least `byteCount` bytes that belong to this thread until its next call.
    static func buffer(byteCount: Int) -> UnsafeMutableRawPointer {
        if let kept = pthread_getspecific(key) {
            if kept.load(as: Int.self) >= byteCount { return kept + prefix }
            free(kept)
        }
        let capacity = max(byteCount, 16384)
        guard let fresh = malloc(prefix + capacity) else {
            fatalError("No memory for a node of \(capacity) bytes.")
        }
        fresh.storeBytes(of: capacity, as: Int.self)
        pthread_setspecific(key, fresh)
        return fresh + prefix
    }
}
