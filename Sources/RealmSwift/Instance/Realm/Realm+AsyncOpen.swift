import CRealmSystem
import Dispatch
import StorageEngine

extension Realm {
    /// When to download data before a Realm is opened. There is no server here, so it makes no
    /// difference.
    @frozen
    public enum OpenBehavior: Sendable {
        /// Never.
        case never
        /// Each time.
        case always
        /// If there is no file yet.
        case once
    }

    // MARK: Actors

    /// Opens a Realm that is confined to the main actor.
    ///
    /// The file is opened, created, and compacted if need be, on another thread. The result equals
    /// what `Realm(configuration:)` returns on the main thread.
    ///
    /// ```swift
    /// @MainActor func show() async throws {
    ///     let realm = try await Realm(configuration: configuration)
    ///     print(realm.objects(Dog.self).count)
    /// }
    /// ```
    /// - Parameters:
    ///   - configuration: The file, and how to open it.
    ///   - downloadBeforeOpen: Makes no difference.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes;
    ///   `CancellationError` if the task is cancelled.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let opened = try await OpenedRealm.open(configuration, for: .of(MainActor.shared))
        self.init(instance: opened.instance)
    }

    /// Opens a Realm that is confined to an actor: only what is isolated to the actor can use it.
    ///
    /// The file is opened, created, and compacted if need be, on another thread. Opening the same
    /// file again for the same actor returns an equal Realm. The Realm does not keep the actor
    /// alive.
    ///
    /// ```swift
    /// actor Kennel {
    ///     var realm: Realm!
    ///     init() async throws {
    ///         realm = try await Realm(configuration: configuration, actor: self)
    ///     }
    ///     func add(_ name: String) async throws {
    ///         try await realm.asyncWrite { realm.create(Dog.self, value: ["name": name]) }
    ///     }
    /// }
    /// ```
    /// - Parameters:
    ///   - configuration: The file, and how to open it.
    ///   - actor: A local or global actor. What is not isolated to it can open the Realm, but not
    ///     use it.
    ///   - downloadBeforeOpen: Makes no difference.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes;
    ///   `CancellationError` if the task is cancelled.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let opened = try await OpenedRealm.open(configuration, for: .of(actor))
        self.init(instance: opened.instance)
    }

    /// Opens a Realm that is confined to the actor of the caller.
    ///
    /// ```swift
    /// @Storage func count() async throws -> Int {   // a global actor
    ///     try await Realm.open(configuration: configuration).objects(Dog.self).count
    /// }
    /// ```
    /// - Parameters:
    ///   - configuration: The file, and how to open it.
    ///   - actor: The actor of the caller, by default.
    ///   - downloadBeforeOpen: Makes no difference.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes;
    ///   `CancellationError` if the task is cancelled.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        let opened = try await OpenedRealm.open(configuration, for: .of(actor))
        return Realm(instance: opened.instance)
    }

    // MARK: Queues

    /// Opens a Realm on another thread, and calls a function with it on a queue.
    ///
    /// The Realm is confined to the queue, as if it had been opened there with
    /// ``init(configuration:queue:)``. The file is opened, created, and compacted if need be, on a
    /// background thread.
    ///
    /// ```swift
    /// Realm.asyncOpen(configuration: configuration) { result in
    ///     switch result {
    ///     case .success(let realm): print(realm.objects(Dog.self).count)
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    /// - Parameters:
    ///   - configuration: The file, and how to open it.
    ///   - callbackQueue: The main queue or a serial queue.
    ///   - callback: Called once, unless the task is cancelled, with the Realm or with a
    ///     ``Realm/Error``.
    /// - Returns: A task with which to cancel opening.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping (Result<Realm, Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        // Unsafe for the compiler only: it is called once, on the queue.
        nonisolated(unsafe) let callback = callback
        OpenedRealm.queue.async {
            if task.isCancelled { return }
            let opened = OpenedRealm.result(configuration, for: .of(callbackQueue))
            callbackQueue.async {
                if !task.isCancelled { callback(opened.map { Realm(instance: $0.instance) }) }
            }
        }
        return task
    }

    /// A Realm that is being opened by ``Realm/asyncOpen(configuration:callbackQueue:callback:)``.
    public struct AsyncOpenTask: Sendable {
        private let state = Locked(false)

        /// Has the callback not be called, if it was not called before. Any thread may call this
        /// method.
        public func cancel() { state.withLock { $0 = true } }

        fileprivate var isCancelled: Bool { state.withLock { $0 } }
    }
}

/// A Realm on its way to where it is confined.
// Unchecked because the thread that opened the Realm does not use it any more, and each copy of
// this value is used where the Realm is confined.
private struct OpenedRealm: @unchecked Sendable {
    let instance: RealmInstance

    /// Where Realms are opened. Opening one may take long, or wait for a writer, and must not keep
    /// others from being opened.
    static let queue = DispatchQueue(label: "realm.open", attributes: .concurrent)

    static func open(
        _ configuration: Realm.Configuration, for confinement: Confinement
    ) async throws -> OpenedRealm {
        try Task.checkCancellation()
        // The lock orders what the two threads do for the thread sanitizer, which does not know
        // that a continuation does so if it is resumed before it is awaited (Swift 6.3).
        let opened = Locked<Result<OpenedRealm, any Error>?>(nil)
        await withCheckedContinuation { continuation in
            queue.async {
                let result = result(configuration, for: confinement)
                opened.withLock { $0 = result }
                continuation.resume()
            }
        }
        try Task.checkCancellation()
        guard let result = opened.withLock({ $0 }) else {
            preconditionFailure("the continuation is resumed after the result is there")
        }
        return try result.get()
    }

    static func result(
        _ configuration: Realm.Configuration, for confinement: Confinement
    ) -> Result<OpenedRealm, any Error> {
        do {
            return .success(
                OpenedRealm(
                    instance: try RealmCache.instance(for: configuration, confinedTo: confinement)))
        } catch {
            return .failure(Realm.Error.of(error))
        }
    }
}
