import Foundation
import Glibc
import RealmSwift
import StorageEngine
import ToolSupport

// Model class, data and helpers for the tests of asynchronous writes and opening.

class AsyncItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var count: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

let asyncTypes: [ObjectBase.Type] = [AsyncItem.self]

/// A test asked for an item that is not there.
struct NoSuchItem: Error {}

/// What a block of a test throws.
struct Refusal: Error {}

/// A Realm of this thread, or of the queue that runs the caller.
struct AsyncScene {
    let configuration: Realm.Configuration
    let realm: Realm

    init(queue: DispatchQueue? = nil) throws {
        try self.init(TestDirectory.untilExit().configuration(asyncTypes), queue: queue)
    }

    init(_ configuration: Realm.Configuration, queue: DispatchQueue? = nil) throws {
        self.configuration = configuration
        realm = try Realm(configuration: configuration, queue: queue)
    }

    var items: Results<AsyncItem> { realm.objects(AsyncItem.self) }
    var ids: [Int] { items.map(\.id).sorted() }
    func item(_ id: Int) throws -> AsyncItem { try realm.item(id) }

    /// The ids that another thread finds in the file.
    func idsElsewhere() throws -> [Int] { try asyncIds(in: configuration) }

    /// Makes a commit on another thread, and waits for it.
    func writeElsewhere(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
        try writeAsyncItems(to: configuration, body)
    }
}

/// The ids that another thread finds in the file.
func asyncIds(in configuration: Realm.Configuration) throws -> [Int] {
    try runThread {
        try Realm(configuration: configuration).objects(AsyncItem.self).map(\.id).sorted()
    }
}

/// Makes a commit on another thread, and waits for it.
func writeAsyncItems(
    to configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) throws -> Void
) throws {
    try runThread {
        let realm = try Realm(configuration: configuration)
        try realm.write { try body(realm) }
    }
}

/// Opens a Realm for this thread, also where an asynchronous function calls it.
func openOnThisThread(_ configuration: Realm.Configuration) throws -> Realm {
    try Realm(configuration: configuration)
}

/// A configuration of a file that is not there yet.
func asyncConfiguration() -> Realm.Configuration {
    TestDirectory.untilExit().configuration(asyncTypes)
}

/// Runs `body` with a scene on a thread with a run loop.
func withAsyncScene(_ body: @escaping @Sendable (AsyncScene) throws -> Void) async throws {
    try await withRunLoopThread { try body(try AsyncScene()) }
}

extension Realm {
    func item(_ id: Int) throws -> AsyncItem {
        guard let item = object(ofType: AsyncItem.self, forPrimaryKey: id) else {
            throw NoSuchItem()
        }
        return item
    }

    /// Adds an item. Needs a write transaction.
    @discardableResult
    func addItem(_ id: Int, _ text: String = "") -> AsyncItem {
        let item = create(AsyncItem.self, value: ["id": id])
        item.text = text
        return item
    }

    var itemIds: [Int] { objects(AsyncItem.self).map(\.id).sorted() }
}

/// A write transaction of another thread, which stays open until it is told to commit.
final class HeldTransaction: Sendable {
    private let thread: BackgroundThread<Void>
    private let mayCommit: DispatchSemaphore

    /// Begins the transaction and waits until it has begun.
    init(
        _ configuration: Realm.Configuration,
        _ body: @escaping @Sendable (Realm) throws -> Void = { _ in }
    ) throws {
        let hasBegun = DispatchSemaphore(value: 0)
        let mayCommit = DispatchSemaphore(value: 0)
        self.mayCommit = mayCommit
        thread = BackgroundThread { _ in
            let realm = try Realm(configuration: configuration)
            try realm.write {
                hasBegun.signal()
                guard mayCommit.wait(timeout: .now() + 600) == .success else {
                    throw WaitingTooLong()
                }
                try body(realm)
            }
        }
        guard hasBegun.wait(timeout: .now() + 600) == .success else { throw WaitingTooLong() }
    }

    /// Commits, and waits for the end of the thread.
    func commit() throws {
        mayCommit.signal()
        try thread.wait()
    }
}

/// Waits for a signal, for a minute at most. Also asynchronous functions may call it where nothing
/// else needs their thread.
func waitInTime(_ semaphore: DispatchSemaphore) -> Bool {
    semaphore.wait(timeout: .now() + 600) == .success
}

/// Lets other tasks of the actor run until `condition` holds.
func yieldToOthers(
    _ isolation: isolated any Actor = #isolation, until condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try !condition() {
        if ContinuousClock.now > deadline { throw WaitingTooLong() }
        await Task.yield()
    }
}

/// Cancels the task that calls it.
func cancelThisTask() {
    withUnsafeCurrentTask { task in
        guard let task else { return }
        task.cancel()
    }
}

/// Waits until a file is closed, and deletes it.
func deleteOnceClosed(_ configuration: Realm.Configuration) async throws {
    try await ObservingQueue().wait { (try? Realm.deleteFiles(for: configuration)) == true }
}

/// A simulated disk that can be filled and emptied.
final class AsyncDisk {
    private let directory = TestDirectory.untilExit()
    private let interceptor: SystemInterceptor

    init() {
        interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        interceptor.install()
    }

    deinit { interceptor.uninstall() }

    var configuration: Realm.Configuration { directory.configuration(asyncTypes) }

    func fill() {
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1),
            SystemCallFault(.failForever(errno: ENOSPC), call: .pwrite, ordinal: 1),
            SystemCallFault(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1),
        ])
    }

    func empty() { interceptor.setFaults([]) }
}

/// A text that does not fit on a full disk.
let longAsyncText = String(repeating: "x", count: 200_000)

/// An actor on which tests run.
@globalActor actor AsyncTestActor {
    static let shared = AsyncTestActor()
}
