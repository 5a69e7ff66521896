import StorageEngine
import ToolSupport

/// The control of concurrent durable writers: threads that submit records of one size for group
/// commit. A group becomes durable with one write and one `fdatasync`. While a group is written the
/// next one gathers, and one of its waiting threads then writes it.
final class BareGroups: Sendable {
    // Unchecked is safe because the word is only accessed atomically.
    private final class Group: @unchecked Sendable {
        enum Phase {
            static let gathering: UInt32 = 0
            /// The previous group has been written, and one of the waiting threads has to write
            /// this one.
            static let needsLeader: UInt32 = 1
            static let durable: UInt32 = 2
            static let failed: UInt32 = 3
        }

        private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

        init() { word.initialize(to: Phase.gathering) }
        deinit { word.deallocate() }

        var phase: UInt32 {
            get { word.loadSequential() }
            set { word.storeSequential(newValue) }
        }

        func wait() { System.wait(on: word, while: Phase.gathering) }
        func wake(count: Int32) { System.wake(word, count: count) }
    }

    private struct State {
        var open = Group()
        var openBytes = 0
        var isWriting = false
        var position = 0
        var groups = 0
    }

    private let file: BareFile
    private let recordBytes: Int
    private let state = Locked(State())

    init(directory: String, recordBytes: Int) throws {
        file = try BareFile(path: directory + "/bare-groups")
        self.recordBytes = max(1, recordBytes)
    }

    /// The number of groups, each with one write and one sync.
    var groups: Int { state.withLock { $0.groups } }

    /// Adds a record and returns once it is durable. May be called on any thread.
    func commit() throws {
        let group = state.withLock { state in
            state.openBytes += recordBytes
            return state.open
        }
        while true {
            switch group.phase {
            case Group.Phase.durable: return
            case Group.Phase.failed:
                throw BenchmarkError(.internalError, "A write of the control row failed.")
            default:
                if let bytes = takeLead(of: group) { return try lead(group, bytes) }
                group.wait()
            }
        }
    }

    /// Returns the range of the file at which the caller has to write the group; nil if another
    /// thread writes it or another group is being written.
    private func takeLead(of group: Group) -> Range<Int>? {
        state.withLock { state in
            guard !state.isWriting, state.open === group else { return nil }
            let bytes = min(state.openBytes, BareFile.byteCount)
            let start = state.position + bytes > BareFile.byteCount ? 0 : state.position
            state.position = start + (bytes + 4095) / 4096 * 4096
            state.isWriting = true
            state.open = Group()
            state.openBytes = 0
            state.groups += 1
            group.phase = Group.Phase.gathering
            return start..<start + bytes
        }
    }

    private func lead(_ group: Group, _ bytes: Range<Int>) throws {
        let result = Result {
            try file.write(bytes: bytes.count, at: bytes.lowerBound)
            try file.sync()
        }
        let next = state.withLock { state -> Group? in
            state.isWriting = false
            guard state.openBytes > 0 else { return nil }
            state.open.phase = Group.Phase.needsLeader
            return state.open
        }
        next?.wake(count: 1)
        if case .success = result {
            group.phase = Group.Phase.durable
        } else {
            group.phase = Group.Phase.failed
        }
        group.wake(count: .max)
        try result.get()
    }
}
