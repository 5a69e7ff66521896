import StorageEngine

extension Realm {
    // MARK: Asynchronous writes

    /// Runs a function in a write transaction later, and commits the transaction in the background.
    ///
    /// This method returns at once. The function is called where this Realm is confined, when the
    /// Realm has the write lock, also if ``autorefresh`` is false; the Realm is then at the newest
    /// version. Writes that were asked for with this method and ``beginAsyncWrite(_:)`` run in the
    /// order in which they were asked for. The calling thread waits neither for other writers nor
    /// for the disk.
    ///
    /// When the function has returned, this Realm shows its changes. Others see them, and
    /// `onComplete` is called, once they are durable. If the function calls ``cancelWrite()``,
    /// nothing is written, and `onComplete` is called without an error.
    ///
    /// ```swift
    /// realm.writeAsync {
    ///     person.name = "Jane"
    /// } onComplete: { error in
    ///     if let error { print("not saved: \(error)") }
    /// }
    /// ```
    /// A Realm stays alive until its asynchronous writes are done.
    ///
    /// - Parameters:
    ///   - block: The function.
    ///   - onComplete: Called where this Realm is confined when the changes are durable, or with
    ///     the reason why there are none. In the latter case, if they were already shown,
    ///     everything that was obtained from this Realm is invalidated.
    /// - Returns: The identifier with which the write can be cancelled before it begins.
    /// - Precondition: The Realm is confined to the main thread, a queue, an actor, or a thread
    ///   with a running run loop, and is not read-only.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let writes = instance.writingAsynchronously()
        // The Realm keeps `writes`, which keeps the Realm as long as it has a request.
        return writes.add(
            block: { [unowned writes, unowned instance = instance] in
                block()
                if instance.isWriting {
                    _ = writes.commit(allowGrouping: false, onComplete)
                } else {
                    onComplete?(nil)
                }
            }, fail: { error in onComplete?(Error.of(error)) })
    }

    /// Calls a function later, in a write transaction that the function has to end.
    ///
    /// This is like ``writeAsync(_:onComplete:)``, but the function has to call
    /// ``commitAsyncWrite(allowGrouping:_:)``, ``commitWrite(withoutNotifying:)`` or
    /// ``cancelWrite()``; otherwise the transaction is cancelled when it returns. A failure of the
    /// file stops the program.
    ///
    /// ```swift
    /// realm.beginAsyncWrite {
    ///     realm.create(Reading.self, value: ["value": value])
    ///     realm.commitAsyncWrite(allowGrouping: true)
    /// }
    /// ```
    /// - Parameter asyncWriteBlock: The function.
    /// - Returns: The identifier with which the transaction can be cancelled before it begins.
    /// - Precondition: The Realm is confined to the main thread, a queue, an actor, or a thread
    ///   with a running run loop, and is not read-only.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        instance.writingAsynchronously()
            .add(block: asyncWriteBlock, fail: { error in stop(error) })
    }

    /// Commits the write transaction in the background.
    ///
    /// This method returns at once, and does not wait for the disk. This Realm then shows the
    /// changes. Others see them, and `onComplete` is called, once they are durable. The transaction
    /// may have been begun with ``beginAsyncWrite(_:)`` or ``beginWrite()``.
    ///
    /// - Parameters:
    ///   - allowGrouping: Whether the next asynchronous transaction of this Realm may begin before
    ///     this one is durable. Transactions that do so become durable together, with one sync; a
    ///     power loss, or an error, then takes either all of them or none. This is much faster if
    ///     there are many small transactions.
    ///   - onComplete: Called where this Realm is confined when the changes are durable, or with
    ///     the reason why there are none. In the latter case everything that was obtained from this
    ///     Realm is invalidated.
    /// - Returns: The identifier with which the call of `onComplete` can be cancelled.
    /// - Precondition: A write transaction is open. The Realm is confined to the main thread, a
    ///   queue, an actor, or a thread with a running run loop.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let writes = instance.writingAsynchronously()
        if !instance.isWriting { stop("Can't commit a non-existing write transaction") }
        return writes.commit(allowGrouping: allowGrouping, onComplete)
    }

    /// Cancels an asynchronous write that has not begun, or the call of the completion function of
    /// a commit.
    ///
    /// After cancelling a write, neither its function nor its completion function is called. After
    /// cancelling a commit, its completion function is not called, but it is committed
    /// nevertheless. Otherwise this does nothing.
    ///
    /// - Parameter asyncTransactionId: What the method returned that asked for it.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        instance.checkThread()
        instance.asyncWrites?.cancel(asyncTransactionId)
    }

    /// A Boolean value that indicates whether asynchronous writes of this Realm are under way: from
    /// the time when one is asked for until its completion function is called.
    ///
    /// Meanwhile, ``invalidate()`` waits for the disk.
    public var isPerformingAsynchronousWriteOperations: Bool {
        instance.checkThread()
        return instance.asyncWrites?.isBusy ?? false
    }

    // MARK: Tasks

    /// Runs a function in a write transaction, and returns when it is durable.
    ///
    /// The task is suspended while others write, and while the transaction is written to the disk;
    /// the actor does other work meanwhile. The function itself runs without interruption, on the
    /// newest version. Its changes are shown by this Realm once it has returned, and seen by others
    /// once they are durable. If it throws, or the transaction is cancelled in it, nothing is
    /// written.
    ///
    /// ```swift
    /// try await realm.asyncWrite {
    ///     realm.create(Dog.self, value: ["name": "Rex"])
    /// }
    /// ```
    /// - Parameters:
    ///   - actor: The actor of the caller, to which this Realm is confined.
    ///   - block: The function.
    /// - Returns: The result of the function.
    /// - Throws: The error of the function; ``Realm/Error`` if a change or the commit fails;
    ///   `CancellationError` if the task is cancelled before the function is called.
    /// - Precondition: The Realm is confined to an actor or the main thread, and is not read-only.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation actor: isolated any Actor = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        requireActor("asyncWrite")
        let writes = instance.writingAsynchronously()
        try await begin(writes, _isolation: actor)
        let result: Result
        do { result = try block() } catch {
            if instance.isWriting { instance.cancelWrite() }
            writes.didServeTask()
            throw error
        }
        guard instance.isWriting else {
            writes.didServeTask()
            return result
        }
        let error: Swift.Error? = await withCheckedContinuation(isolation: actor) { continuation in
            _ = writes.commit(allowGrouping: false) { continuation.resume(returning: $0) }
            writes.didServeTask()
        }
        if let error { throw error }
        return result
    }

    private func begin(
        _ writes: AsyncWrites, _isolation actor: isolated any Actor
    ) async throws {
        try Task.checkCancellation()
        do {
            if try writes.beginIfFirst() { return }
        } catch {
            throw Error.of(error)
        }
        let waiting = WaitingTask(writes)
        while true {
            try await waiting.wait(_isolation: actor)
            if Task.isCancelled {
                waiting.remove()
                throw CancellationError()
            }
            do {
                if try waiting.begin() { return }
            } catch {
                waiting.remove()
                throw Error.of(error)
            }
        }
    }

    /// Moves the Realm to the newest version, and tells its observers.
    ///
    /// - Parameter _isolation: The actor of the caller, to which this Realm is confined.
    /// - Returns: Whether there was a newer version; false if the task is cancelled.
    /// - Precondition: The Realm is confined to an actor or the main thread, and is not read-only.
    @discardableResult
    public func asyncRefresh(_isolation: isolated any Actor = #isolation) async -> Bool {
        requireActor("asyncRefresh")
        if Task.isCancelled { return false }
        return refresh()
    }

    private func requireActor(_ name: String) {
        if !instance.confinement.isOfActor {
            stop("\(name)() can only be called on main thread or actor-isolated Realms")
        }
        instance.checkThread()
    }
}

/// A task that waits for its turn to write.
private final class WaitingTask {
    private let writes: AsyncWrites
    private var id: AsyncTransactionId?
    private var error: (any Error)?
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ writes: AsyncWrites) { self.writes = writes }

    /// Returns when the task may try to begin, or is cancelled.
    ///
    /// - Throws: The reason why it cannot.
    func wait(_isolation actor: isolated any Actor) async throws {
        let id =
            id
            ?? writes.add(
                block: nil, resume: { [unowned self] in resume() },
                fail: { [unowned self] error in
                    self.error = error
                    resume()
                })
        self.id = id
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation = $0 }
        } onCancel: { [mailbox = writes.mailbox] in
            mailbox.post { $0.cancelled.append(id) }
        }
        if let error { throw Realm.Error.of(error) }
    }

    private func resume() { continuation.take()?.resume() }

    func begin() throws -> Bool {
        guard let id else { return false }
        return try writes.begin(id, resume: { [unowned self] in resume() })
    }

    func remove() {
        if let id { writes.removeTask(id) }
    }
}
