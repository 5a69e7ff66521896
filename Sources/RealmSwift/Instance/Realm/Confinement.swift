import CRealmSystem
import CoreFoundation
import Dispatch
import Foundation
import StorageEngine

/// Where a Realm may be used.
enum Confinement {
    /// On one thread.
    case thread(UInt)
    /// On the main thread, or wherever the main queue runs. `thread` is the main thread's identity.
    case main(thread: UInt)
    /// In the blocks of a serial queue, whichever threads run them.
    case queue(DispatchQueue, QueueMark)
    /// In what is isolated to an actor other than the main actor, whichever threads run it.
    case actor(ActorMark)
    /// By whoever holds the lock that guards the Realm. Nothing is checked.
    case guarded
    /// On any thread, because the Realm is frozen.
    case everywhere
    /// Nowhere, because the thread has ended.
    case ended

    /// That of the caller: the main thread or queue, or its thread.
    static var current: Confinement {
        let (main, thread) = (realm_main_thread_identity(), currentThread())
        return main == thread || QueueMark.current === QueueMark.main
            ? .main(thread: main) : .thread(thread)
    }

    /// That of a queue, which may be the main queue.
    static func of(_ queue: DispatchQueue) -> Confinement {
        let mark = QueueMark.of(queue)
        return mark === QueueMark.main
            ? .main(thread: realm_main_thread_identity()) : .queue(queue, mark)
    }

    /// That of an actor, which may be the main actor.
    static func of(_ actor: any Actor) -> Confinement {
        actor === MainActor.shared
            ? .main(thread: realm_main_thread_identity()) : .actor(ActorMark(actor))
    }

    /// The identity of the thread that the fast check accepts; 0, which is no thread's identity,
    /// for none.
    var thread: UInt {
        switch self {
        case .thread(let identity), .main(let identity): identity
        case .queue, .actor, .guarded, .everywhere, .ended: 0
        }
    }

    /// Whether the caller is where the Realm may be used.
    var isCurrent: Bool {
        switch self {
        case .thread(let identity): identity == currentThread()
        case .main(let identity):
            identity == currentThread() || QueueMark.current === QueueMark.main
        case .queue(_, let mark): QueueMark.current === mark
        case .actor(let mark): mark.isCurrent
        case .guarded, .everywhere: true
        case .ended: false
        }
    }

    /// Identifies the confinement among those of living Realms.
    var key: ConfinementKey {
        switch self {
        case .thread(let identity): .thread(identity)
        case .main: .queue(ObjectIdentifier(QueueMark.main))
        case .queue(_, let mark): .queue(ObjectIdentifier(mark))
        case .actor(let mark): .actor(mark.identity)
        case .guarded, .everywhere, .ended: .none
        }
    }

    /// The key of the queue that runs the caller; nil if that is none to which a Realm is confined,
    /// or the main queue, which ``current`` knows.
    static var currentQueueKey: ConfinementKey? {
        guard let mark = QueueMark.current, mark !== QueueMark.main else { return nil }
        return .queue(ObjectIdentifier(mark))
    }

    /// How work gets there; nil for a thread without a running run loop.
    func makeScheduler() -> Scheduler? {
        switch self {
        case .main:
            // The main queue does not run while one of its blocks runs the run loop.
            isInRunLoop ? .runLoop(RunLoopWork()) : .queue(.main)
        case .queue(let queue, _): .queue(queue)
        case .actor(let mark): .actor(mark)
        case .thread: isInRunLoop ? .runLoop(RunLoopWork()) : nil
        case .guarded, .everywhere, .ended: nil
        }
    }

    /// Whether something runs work there now, as far as the caller, which is there, can tell.
    var isServed: Bool {
        switch self {
        case .queue, .actor: true
        case .main(let identity): isInRunLoop || identity != currentThread()
        case .thread: isInRunLoop
        case .guarded, .everywhere, .ended: false
        }
    }

    /// Whether nobody can be there any more, because the actor is gone. Another actor may have its
    /// identity.
    var isDeserted: Bool {
        if case .actor(let mark) = self { mark.actor == nil } else { false }
    }

    /// Whether it is an actor, or the main thread, which is that of the main actor.
    var isOfActor: Bool {
        switch self {
        case .main, .actor: true
        case .thread, .queue, .guarded, .everywhere, .ended: false
        }
    }

    /// Whether the caller was called by the run loop of its thread.
    private var isInRunLoop: Bool { CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) != nil }
}

/// See ``Confinement/key``.
enum ConfinementKey: Hashable {
    case thread(UInt)
    case queue(ObjectIdentifier)
    case actor(ObjectIdentifier)
    case none
}

/// What tells one queue from another.
///
/// A queue has one mark, which it keeps. Queues themselves cannot be compared: on Linux, each use
/// of `DispatchQueue.main` makes another object.
final class QueueMark: Sendable {
    private static let key = DispatchSpecificKey<QueueMark>()
    private static let lock = Locked<Void>(heldByForks: ())

    static let main: QueueMark = {
        let mark = QueueMark()
        DispatchQueue.main.setSpecific(key: key, value: mark)
        return mark
    }()

    private init() {}

    /// Returns the mark of a queue. The first call makes it.
    static func of(_ queue: DispatchQueue) -> QueueMark {
        _ = main
        return lock.withLock { _ in
            if let known = queue.getSpecific(key: key) { return known }
            let mark = QueueMark()
            queue.setSpecific(key: key, value: mark)
            return mark
        }
    }

    /// The mark of the queue that runs the caller, or of one that it targets; nil if none of them
    /// has one.
    static var current: QueueMark? {
        _ = main
        return DispatchQueue.getSpecific(key: key)
    }
}

/// What tells one actor from another.
///
/// It does not keep the actor alive: an actor usually keeps its Realms.
// Unchecked because of the weak reference, which is set once. Reading it is atomic.
final class ActorMark: @unchecked Sendable {
    private(set) weak var actor: (any Actor)?
    let identity: ObjectIdentifier
    /// The two words of the actor's serial executor: an object, and how to use it. The latter is 0
    /// where the actor is its own executor.
    private let executor: (object: UnsafeMutableRawPointer?, implementation: UInt)

    init(_ actor: any Actor) {
        self.actor = actor
        identity = ObjectIdentifier(actor)
        executor = unsafeBitCast(
            actor.unownedExecutor, to: (UnsafeMutableRawPointer?, UInt).self)
    }

    /// Whether the caller is isolated to the actor, or to another one that shares its executor.
    var isCurrent: Bool {
        // The runtime may look into an executor that is not the actor itself.
        if executor.implementation != 0, actor == nil { return false }
        return realm_is_current_executor(executor.object, executor.implementation)
    }
}

extension Actor {
    /// Runs a function isolated to the actor.
    func run(_ body: @Sendable () -> Void) { body() }
}
