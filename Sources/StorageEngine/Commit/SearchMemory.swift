import Glibc

/// Decrypted runs of the search that a thread is making with a connection which several threads
/// use.
///
/// A search reads many leaves and keeps none, but the connection does not know which thread reads.
/// So the memory is found through the thread. It is looked for only where a page of an encrypted
/// file is not in the memory that all connections share.
final class SearchMemory {
    private let runs: PrivateRuns
    /// The pager of the search.
    private let owner: ObjectIdentifier

    private init(_ runs: PrivateRuns, of owner: ObjectIdentifier) {
        self.runs = runs
        self.owner = owner
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no thread-specific data is left (error \(code))")
        return key
    }()

    private static var current: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        set {
            let code = pthread_setspecific(key, newValue)
            precondition(code == 0, "thread-specific data cannot be set (error \(code))")
        }
    }

    /// Returns the runs of the search that the calling thread makes with a pager, `owner`; nil if
    /// it makes none.
    static func runs(of owner: ObjectIdentifier) -> PrivateRuns? {
        guard let current else { return nil }
        let memory = Unmanaged<SearchMemory>.fromOpaque(current).takeUnretainedValue()
        return memory.owner == owner ? memory.runs : nil
    }

    /// Calls `body` as a search with a pager. A search inside of it, with another pager, has memory
    /// of its own.
    static func with<Result, E>(
        _ runs: PrivateRuns, of owner: ObjectIdentifier, _ body: () throws(E) -> Result
    ) throws(E) -> Result {
        let memory = SearchMemory(runs, of: owner)
        let outer = current
        current = Unmanaged.passUnretained(memory).toOpaque()
        defer {
            current = outer
            // Used until here.
            withExtendedLifetime(memory) {}
        }
        return try body()
    }
}
