import CRealmSystem
import Glibc

/// One call as an interceptor sees it, before it is made.
package struct SystemCallContext {
    var call: SystemCall
    var path: String?
    var newPath: String?
    var descriptor: Int32
    var offset: UInt64
    var length: UInt64
    var allocation: System.Allocation
    /// The buffers of a write; valid only during the call.
    var buffers: [iovec]

    init(
        _ call: SystemCall, path: String? = nil, newPath: String? = nil, descriptor: Int32 = -1,
        offset: UInt64 = 0, length: UInt64 = 0, allocation: System.Allocation = .extend,
        buffers: [iovec] = []
    ) {
        self.call = call
        self.path = path
        self.newPath = newPath
        self.descriptor = descriptor
        self.offset = offset
        self.length = length
        self.allocation = allocation
        self.buffers = buffers
    }
}

/// Observes the system calls of the engine, makes chosen ones fail or kill the process, and records
/// what they did. For tests.
///
/// Several may be installed at a time, each for the files below one directory, so that tests may
/// run in parallel. Any thread may call any method.
package final class SystemInterceptor: Sendable {
    package enum Scope: Sendable {
        /// Every call that the process makes through `System`.
        case process
        /// Calls on paths that start with a prefix, and on descriptors that such calls opened while
        /// the interceptor was installed. Mappings of memory without a file are not seen.
        case files(pathPrefix: String)
    }

    private struct State {
        var faults: [SystemCallFault]
        var counts: [SystemCall: Int] = [:]
        var changes = 0
        var openPaths: [Int32: String] = [:]
        var trace: [SystemTraceEvent] = []
        var failures: [SystemFailure: Int] = [:]
        /// The descriptors of calls that are about to fail, each with whether another call has
        /// begun.
        var failing: [Int32: Bool] = [:]
    }

    private let scope: Scope
    private let recordsTrace: Bool
    private let state: Locked<State>
    private let gate = CallGate()

    package init(
        scope: Scope = .process, faults: [SystemCallFault] = [], recordsTrace: Bool = false
    ) {
        self.scope = scope
        self.recordsTrace = recordsTrace
        state = Locked(State(faults: faults))
    }

    /// Returns how often a call was made, including failed ones.
    package func count(of call: SystemCall) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// The number of calls that change files: the range of `n` for `kill-before:n`.
    package var changeCount: Int { state.withLock { $0.changes } }

    /// What the calls that change files did, in the order in which they returned.
    package var trace: [SystemTraceEvent] { state.withLock { $0.trace } }

    /// How many events ``trace`` has.
    package var traceCount: Int { state.withLock { $0.trace.count } }

    /// How often calls failed by themselves, not because of a fault.
    package var failures: [SystemFailure: Int] { state.withLock { $0.failures } }

    /// Replaces the faults. Ordinals are counted from now on if `resetCounts`, otherwise from the
    /// start.
    package func setFaults(_ faults: [SystemCallFault], resetCounts: Bool = true) {
        state.withLock {
            $0.faults = faults
            if resetCounts {
                $0.counts = [:]
                $0.changes = 0
            }
        }
    }
}

// MARK: Installation

extension SystemInterceptor {
    private final class List: Sendable {
        let interceptors: [SystemInterceptor]
        init(_ interceptors: [SystemInterceptor]) { self.interceptors = interceptors }
    }

    /// Serializes installation, and keeps every list ever installed alive: a thread that has read
    /// the address of a list may use it at any later time, so no list is freed. There is one per
    /// installation in a test process, and none elsewhere.
    private static let installed = Locked<[List]>([])

    package func install() {
        Self.replace { $0 + [self] }
    }

    package func uninstall() {
        Self.replace { $0.filter { $0 !== self } }
    }

    private static func replace(
        _ change: ([SystemInterceptor]) -> [SystemInterceptor]
    ) {
        installed.withLock { lists in
            let list = List(change(lists.last?.interceptors ?? []))
            lists.append(list)
            let address = UInt(bitPattern: Unmanaged.passUnretained(list).toOpaque())
            realm_set_interceptor(list.interceptors.isEmpty ? 0 : UInt64(address))
        }
    }

    /// Runs `body` as the installed interceptors decide. `body` receives the number of bytes that
    /// it may write at most, and returns a negative number with `errno` set if it fails.
    static func intercept(_ context: SystemCallContext, _ body: (Int?) -> Int) -> Int {
        guard let address = UnsafeRawPointer(bitPattern: UInt(realm_interceptor())) else {
            return body(nil)
        }
        // Safe because the word only ever holds addresses of lists, which are never freed.
        let list = Unmanaged<List>.fromOpaque(address).takeUnretainedValue()
        let concerned = list.interceptors.filter { $0.concerns(context) }
        var verdict = Verdict()
        var begun: [Int] = []
        for interceptor in concerned { begun.append(interceptor.judge(context, &verdict)) }
        if verdict.killsBefore { killProcess() }
        if verdict.stopsBefore { kill(getpid(), SIGSTOP) }
        if verdict.isSlow { System.sleep(nanoseconds: slowness) }
        verdict.gate?.hold()
        verdict.failing?.waitForOverlap(context.descriptor)
        if let failure = verdict.failure {
            for (interceptor, begun) in zip(concerned, begun) {
                interceptor.recordFailedSync(context, begun: begun)
            }
            errno = failure
            return -1
        }
        verdict.overlapped?.waitForFailure(context.descriptor)
        let result = body(verdict.limit)
        let code = errno
        for (interceptor, begun) in zip(concerned, begun) {
            if result >= 0 {
                interceptor.record(context, result: result, begun: begun)
            } else {
                interceptor.record(SystemFailure(call: context.call, errno: code))
                interceptor.recordFailedSync(context, begun: begun)
            }
        }
        if verdict.killsAfter { killProcess() }
        // Recording may have changed it.
        errno = code
        return result
    }

    /// How much longer a slow call takes: a sync of a disk with a queue.
    private static let slowness: UInt64 = 2_000_000

    private static func killProcess() -> Never {
        kill(getpid(), SIGKILL)
        // The signal cannot be blocked, and it arrives before the thread returns to the caller.
        while true { pause() }
    }
}

// MARK: Holding

extension SystemInterceptor {
    /// Waits until a call is held.
    package func waitUntilHeld() { gate.waitUntilHeld() }

    /// Releases the call that is held or will be held.
    package func release() { gate.release() }
}

// MARK: Verdict and record

extension SystemInterceptor {
    private struct Verdict {
        var killsBefore = false
        var killsAfter = false
        var stopsBefore = false
        var isSlow = false
        /// The interceptor that fails this call once another one has begun.
        var failing: SystemInterceptor?
        /// The interceptor that fails the other, overlapping call.
        var overlapped: SystemInterceptor?
        var failure: Int32?
        var limit: Int?
        var gate: CallGate?
    }

    private func concerns(_ context: SystemCallContext) -> Bool {
        guard case .files(let prefix) = scope else { return true }
        if let path = context.path { return path.hasPrefix(prefix) }
        return state.withLock { $0.openPaths[context.descriptor] != nil }
    }

    /// Counts the call and adds this interceptor's faults to the verdict. Returns the number of
    /// events in the trace before the call.
    private func judge(_ context: SystemCallContext, _ verdict: inout Verdict) -> Int {
        state.withLock { state in
            let call = context.call
            state.counts[call, default: 0] += 1
            if call.changesFiles { state.changes += 1 }
            if call == .close { state.openPaths[context.descriptor] = nil }
            if call == .fdatasync, state.failing[context.descriptor] != nil {
                state.failing[context.descriptor] = true
                verdict.overlapped = self
            }
            for fault in state.faults {
                let ordinal: Int
                if let meant = fault.call {
                    guard meant == call else { continue }
                    ordinal = state.counts[call]!
                } else {
                    guard call.changesFiles else { continue }
                    ordinal = state.changes
                }
                switch fault.effect {
                case .killBefore where ordinal == fault.ordinal: verdict.killsBefore = true
                case .killAfter where ordinal == fault.ordinal: verdict.killsAfter = true
                case .fail(let errno) where ordinal == fault.ordinal: verdict.failure = errno
                case .failForever(let errno) where ordinal >= fault.ordinal:
                    verdict.failure = errno
                case .short where ordinal == fault.ordinal:
                    verdict.limit = max(1, Int(context.length / 2))
                case .stopBefore where ordinal == fault.ordinal: verdict.stopsBefore = true
                case .slow where ordinal >= fault.ordinal: verdict.isSlow = true
                case .failOverlapped(let errno) where ordinal == fault.ordinal:
                    verdict.failure = errno
                    verdict.failing = self
                    state.failing[context.descriptor] = false
                case .hold where ordinal == fault.ordinal: verdict.gate = gate
                default: break
                }
            }
            return state.trace.count
        }
    }

    /// Records a failed sync. No other failed call changes what may be in a file.
    private func recordFailedSync(_ context: SystemCallContext, begun: Int) {
        state.withLock { state in
            guard context.call == .fdatasync else { return }
            state.failing[context.descriptor] = nil
            guard recordsTrace else { return }
            state.trace.append(
                SystemTraceEvent(
                    failedSyncOf: context.descriptor, path: state.openPaths[context.descriptor],
                    position: state.trace.count, begun: begun))
        }
    }

    /// Waits until another call overlaps with this one, which is to fail, or 0.2 s have passed.
    private func waitForOverlap(_ descriptor: Int32) {
        for _ in 0..<Self.overlapNaps {
            if state.withLock({ $0.failing[descriptor] }) != false { return }
            System.sleep(nanoseconds: 1_000_000)
        }
    }

    private static let overlapNaps = 200

    /// Waits until the overlapped call has failed, so that this one ends after it and learns
    /// nothing of the failure.
    private func waitForFailure(_ descriptor: Int32) {
        while state.withLock({ $0.failing[descriptor] }) != nil {
            System.sleep(nanoseconds: 100_000)
        }
    }

    private func record(_ failure: SystemFailure) {
        state.withLock { $0.failures[failure, default: 0] += 1 }
    }

    private func record(_ context: SystemCallContext, result: Int, begun: Int) {
        state.withLock { state in
            if context.call == .open, let path = context.path {
                state.openPaths[Int32(truncatingIfNeeded: result)] = path
            }
            guard recordsTrace else { return }
            let path = context.path ?? state.openPaths[context.descriptor]
            let event = SystemTraceEvent(
                context, path: path, result: result, position: state.trace.count, begun: begun)
            if let event {
                state.trace.append(event)
            }
        }
    }
}
