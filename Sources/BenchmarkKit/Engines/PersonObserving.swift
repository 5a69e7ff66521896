import Dispatch
import ToolSupport

/// Handlers that are called after commits. The rules of ``PersonStore`` apply.
public protocol PersonObserving: AnyObject {
    /// Sets the age of the persons with these integer keys.
    func setAges(of numbers: Range<Int>, to age: Int) throws

    /// Begins to call `observers` after commits that change persons with integer keys, whoever
    /// commits. The thread of this store is in its run loop, unless a queue is the place.
    func observe(
        _ matter: ObservedMatter, at place: ObserverPlace, _ observers: [PersonObserver]
    ) throws -> any PersonObservation
}

/// What observers are told.
public enum ObservedMatter: Sendable {
    /// The persons, and what has changed as far as the engine tells it.
    case persons
    /// That there was a commit, and nothing else.
    case commits
}

/// Where observers are called.
public enum ObserverPlace: Sendable {
    /// On the thread of the store, by its run loop.
    case runLoop
    /// On the thread of the store, by ``PersonStore/refresh()`` only.
    case refresh
    /// On a serial queue.
    case queue(DispatchQueue)
}

/// A handler, whatever the engine.
public struct PersonObserver: Sendable {
    /// Returns the numbers of the persons that the newest commit has changed. Handlers that are not
    /// told what has changed read these.
    public var numbers: @Sendable () -> Range<Int>
    /// Receives every call, also a first one without a commit, which some engines make.
    public var tell: @Sendable (PersonNews) -> Void

    public init(
        numbers: @escaping @Sendable () -> Range<Int>,
        tell: @escaping @Sendable (PersonNews) -> Void
    ) {
        self.numbers = numbers
        self.tell = tell
    }
}

/// One call of a handler.
public struct PersonNews: Sendable {
    /// When the call began, on the monotonic clock.
    public var time: UInt64
    /// The age that the handler sees of the first person that has changed; nil if there is none.
    public var age: Int?
    /// How many persons have changed; nil if the engine does not tell.
    public var changes: Int?

    /// Notes the time; made first thing in a handler.
    public init() { time = monotonicNanoseconds() }

    init(time: UInt64, age: Int?, changes: Int? = nil) {
        self.time = time
        self.age = age
        self.changes = changes
    }
}

/// Observers that are called as long as this object exists. It is released where it was made.
public protocol PersonObservation: AnyObject {}
