import Dispatch
import Foundation

/// A reader on a thread of its own that keeps one version pinned until it is stopped.
final class PinnedReader: @unchecked Sendable {
    // Safe because `failure` is written before `pinned` is signalled, and read only after the wait
    // for `pinned`.
    private let pinned = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private var failure: (any Error)?

    /// Creates the reader and returns once it pins the newest version. `open` is called on the
    /// reader's thread.
    init(_ open: @escaping @Sendable () throws -> any PersonStore) throws {
        let thread = Thread { [self] in
            do {
                let store = try open()
                try store.pin()
                pinned.signal()
                withExtendedLifetime(store) { released.wait() }
            } catch {
                failure = error
                pinned.signal()
            }
            ended.signal()
        }
        thread.name = "pinned-reader"
        thread.start()
        pinned.wait()
        if let failure { throw failure }
    }

    /// Releases the version and waits until the reader has ended.
    func stop() {
        released.signal()
        ended.wait()
    }
}
