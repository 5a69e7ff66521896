#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The buffer in which a node is laid out again before it replaces the old bytes.
///
/// Each thread has one and keeps it until it ends, so that laying out allocates nothing. Sharing it
/// within a thread is safe because a layout never calls foreign code, never suspends, and copies
/// its result out before another layout begins.
enum NodeScratch {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { free($0) }
        precondition(result == 0, "The process has no thread-specific keys left.")
        return key
    }()

    /// The bytes before the buffer: its capacity, padded to keep the buffer aligned to 16 bytes.
    private static let prefix = 16

    /// Returns at least `byteCount` bytes, which this thread may use until its next call.
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
