/// A gate that holds one call of one thread until another thread releases it. For tests.
final class CallGate: @unchecked Sendable {
    // Safe to share, because the word is only accessed atomically.
    private let state: UnsafeMutablePointer<UInt32>

    private enum State {
        static let unused: UInt32 = 0
        static let holding: UInt32 = 1
        static let released: UInt32 = 2
    }

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State.unused)
    }

    deinit { state.deallocate() }

    /// Waits until `release` has been called, which may be before this call.
    func hold() {
        if state.compareExchange(expected: State.unused, desired: State.holding) {
            System.wake(state)
        }
        while state.loadSequential() == State.holding {
            System.wait(on: state, while: State.holding)
        }
    }

    func waitUntilHeld() {
        while state.loadSequential() == State.unused {
            System.wait(on: state, while: State.unused)
        }
    }

    func release() {
        state.storeSequential(State.released)
        System.wake(state)
    }
}
