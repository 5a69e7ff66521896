import Synchronization

/// Asks what takes long to stop. Any thread may do that, while another one works.
public final class StopRequest: Sendable {
    private let made = Atomic(false)

    public init() {}

    public func make() { made.store(true, ordering: .relaxed) }

    @inline(__always)
    public var isMade: Bool { made.load(ordering: .relaxed) }

    /// Called now and then by who works.
    ///
    /// - Throws: `.interrupted` once the request is made.
    public func check(_ path: String) throws(StorageError) {
        if isMade { throw StorageError(.interrupted, path: path, message: "Stopped.") }
    }
}
