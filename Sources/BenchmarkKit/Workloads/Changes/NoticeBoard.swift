import Dispatch
import StorageEngine
import ToolSupport

/// Which observers have been told of the newest commit, and when. Any thread may tell it.
final class NoticeBoard: Sendable {
    /// The longest time that an observer may take.
    private static let limit = 60.0

    private struct State {
        /// The number of commits so far that observers are to be told of.
        var commits = 0
        var expected: Expected?
        /// The commit that each observer was told of last.
        var told: [Int]
        /// How many observers were told of the newest one.
        var count = 0
        var first: UInt64 = 0
        var last: UInt64 = 0
        var isStrict = false
        var problem: String?

        /// Whether there is nothing more to wait for.
        func isOver(_ observers: Int) -> Bool { count == observers || problem != nil }
    }

    /// What observers are to be told of a commit.
    struct Expected: Sendable {
        /// The numbers of the persons that it changes.
        var numbers: Range<Int>
        var age: Int
        /// How many of them change. A person may have had that age before.
        var changes: ClosedRange<Int>
    }

    private let state: Locked<State>
    private let isComplete = DispatchSemaphore(value: 0)
    let observers: Int

    init(observers: Int) {
        self.observers = observers
        state = Locked(State(told: Array(repeating: 0, count: observers)))
    }

    /// Prepares for the next commit. With nil, observers are told anything, as in their first call.
    func expect(_ expected: Expected?) {
        state.withLock { state in
            state.commits += 1
            state.count = 0
            state.expected = expected
        }
    }

    /// From now on, a call that is not expected is a failure. Before, it may be one that an engine
    /// makes because it is not sure that its first call told the newest version.
    func beStrict() { state.withLock { $0.isStrict = true } }

    /// The numbers of the persons that the newest commit changes.
    var numbers: Range<Int> { state.withLock { $0.expected?.numbers ?? 0..<0 } }

    /// Returns the observers that tell this board.
    func makeObservers() -> [PersonObserver] {
        (0..<observers).map { index in
            PersonObserver(numbers: { self.numbers }, tell: { self.tell($0, observer: index) })
        }
    }

    func tell(_ news: PersonNews, observer: Int) {
        let isLast = state.withLock { state in
            guard state.told[observer] < state.commits, Self.fits(news, state.expected) else {
                if state.isStrict, state.problem == nil {
                    state.problem =
                        "Observer \(observer) saw the age \(news.age ?? -1) and was told of "
                        + "\(news.changes ?? -1) changes at commit \(state.commits)."
                }
                return state.problem != nil
            }
            state.told[observer] = state.commits
            if state.count == 0 { state.first = news.time }
            state.count += 1
            state.last = news.time
            return state.count == observers
        }
        if isLast { isComplete.signal() }
    }

    private static func fits(_ news: PersonNews, _ expected: Expected?) -> Bool {
        guard let expected else { return true }
        return news.age == expected.age
            && news.changes.map(expected.changes.contains) ?? true
    }

    /// Ends the waiting because no observer will be told any more.
    func fail(_ problem: String) {
        state.withLock { if $0.problem == nil { $0.problem = problem } }
        isComplete.signal()
    }

    /// Waits until all observers were told of the newest commit. Returns when the first and the
    /// last of them were.
    func wait() throws -> (first: UInt64, last: UInt64) {
        let isInTime = isComplete.wait(timeout: .now() + Self.limit) == .success
        return try outcome(isInTime)
    }

    /// Does the same, calling `turn` until all were told.
    func wait(turning turn: () throws -> Void) throws -> (first: UInt64, last: UInt64) {
        let start = monotonicNanoseconds()
        // The semaphore is asked only when it was signalled, or is about to be: a wait whose time
        // is over takes as long as what is measured here.
        while !state.withLock({ $0.isOver(observers) }) {
            guard seconds(from: start, to: monotonicNanoseconds()) < Self.limit else {
                return try outcome(false)
            }
            try turn()
        }
        isComplete.wait()
        return try outcome(true)
    }

    private func outcome(_ isInTime: Bool) throws -> (first: UInt64, last: UInt64) {
        try state.withLock { state in
            if let problem = state.problem { throw BenchmarkError(.caseFailed, problem) }
            guard isInTime else {
                throw BenchmarkError(
                    .caseFailed,
                    "Only \(state.count) of \(observers) observers were told of commit "
                        + "\(state.commits) within \(Int(Self.limit)) seconds.")
            }
            return (state.first, state.last)
        }
    }
}
