import CRealmSystem
import Foundation
import StorageEngine

/// The shared state of all `Realm` values of one file in one confinement: the connection, the
/// classes and the write transaction.
///
/// An instance is used only where it is confined: on a thread, or in the blocks of a queue. That of
/// a frozen Realm is used by any number of threads at once, because nothing in it changes
/// (``FrozenState``). The last reference can be released anywhere, because nothing can use the
/// instance at that point.
final class RealmInstance {
    /// The maximum size of a string or data value, in bytes.
    static let maximumValueSize = 16 << 20

    let configuration: Realm.Configuration
    let path: String
    let schema: SchemaModel
    let connection: Connection
    /// Where this instance may be used.
    @exclusivity(unchecked) private(set) var confinement: Confinement
    /// The identity of the thread that the fast check accepts; see ``Confinement/thread``.
    @exclusivity(unchecked) private(set) var thread: UInt
    /// What a frozen Realm keeps; nil for a live one.
    let frozen: FrozenState?
    /// The frozen Realm of the version that this one shows, once it was asked for. It pins no other
    /// version than this Realm does, because it is released when this Realm moves.
    @exclusivity(unchecked) var frozenCopy: RealmInstance?
    /// Whether the Realm moves to newer versions by itself where it can be told of them.
    @exclusivity(unchecked) var autorefresh = true
    @exclusivity(unchecked) var isCompletingAdditions = false
    /// Whether a version is being read. Always false for a frozen Realm, which therefore comes to
    /// `startReading`.
    @exclusivity(unchecked) private(set) var isReading: Bool
    /// Moves the Realm and tells its observers; nil if neither is possible, or nothing has asked
    /// for it.
    @exclusivity(unchecked) var notifier: RealmNotifier?
    /// The state of the write transaction, in raw memory because every write of a property reads
    /// it.
    let writeState: UnsafeMutablePointer<WriteState>
    /// What writes asynchronously; nil if nothing has asked for it.
    @exclusivity(unchecked) private(set) var asyncWrites: AsyncWrites?
    /// This instance during a write transaction, which keeps the instance alive without other
    /// references. For example, `try! Realm().beginWrite()` begins a transaction, and the next
    /// `Realm()` on the thread returns the instance in that transaction.
    @exclusivity(unchecked) private var keptForTransaction: RealmInstance?
    /// The reason why the open write transaction can no longer be committed.
    private var failure: StorageError?
    /// The current generation. A new one begins when the Realm is invalidated, and when a write
    /// transaction that inserted or deleted objects is cancelled. Accessors and collections store
    /// the generation in which they were made.
    @exclusivity(unchecked) private(set) var generation = noGeneration + 1
    /// The oldest generation whose accessors and collections are not permanently invalidated.
    @exclusivity(unchecked) private(set) var firstValidGeneration = noGeneration + 1
    /// A generation before all others. It marks objects that are permanently invalidated.
    static let noGeneration: UInt32 = 0
    /// Whether it is known that another process has migrated the file.
    @exclusivity(unchecked) private var hasStayedBehind = false
    private(set) var lastCommit: CommitStatistics?
    /// Objects that have a row but do not have their links and lists yet.
    @exclusivity(unchecked) var additions: [_Addition] = []
    @exclusivity(unchecked) private var ownScratch: _Scratch?
    private lazy var absentObject = AbsentRow()
    /// The location of objects that a failed transaction removed. None of their columns is present
    /// there.
    var absentRow: RowLocation {
        assert(!isFrozen, "threads that share a Realm would make the row at the same time")
        return RowLocation(leaf: absentObject.leaf, row: 0)
    }
    private var classes: [ObjectIdentifier: ManagedClass] = [:]
    /// The classes of ``DynamicObject``s, by name.
    var dynamicClasses: [String: ManagedClass] = [:]
    /// The classes of the application, while this instance shows a write transaction to a migration
    /// and therefore has none; nil otherwise.
    @exclusivity(unchecked) private(set) var migratedClasses: SchemaModel?
    /// The keys of cancelled additions and deletions, by class name. Entries are never removed,
    /// because managed classes hold unowned references to them.
    private var cancelledKeys: [String: CancelledKeys] = [:]
    @exclusivity(unchecked) private var lastType: ObjectIdentifier?
    @exclusivity(unchecked) private var lastClass: ManagedClass?
    /// What waits for the end of the open write transaction.
    private var callsAfterTransaction: [() -> Void] = []
    /// The connection's change stamp when the open write transaction began.
    @exclusivity(unchecked) private var stampOfBegin: UInt64 = 0
    /// What the queries of this Realm keep from one to the next; of a type of theirs.
    @exclusivity(unchecked) var queryState: AnyObject?
    /// The conversion whose objects are being added. It knows which values were given for them.
    @exclusivity(unchecked) var conversion: _ValueConversion?
    /// The conversion of values that are neither objects nor collections. Made once, because they
    /// need nothing of the Realm.
    lazy var plainConversion = _ValueConversion.detached

    init(
        configuration: Realm.Configuration, path: String, schema: SchemaModel,
        connection: Connection, confinement: Confinement, frozen: FrozenState? = nil
    ) {
        var configuration = configuration
        configuration.setDiscoveredTypes(schema.classes.map(\.type))
        self.configuration = configuration
        self.path = path
        self.schema = schema
        self.connection = connection
        self.confinement = confinement
        thread = confinement.thread
        self.frozen = frozen
        autorefresh = frozen == nil
        isReading = frozen == nil
        writeState = .allocate(capacity: 1)
        writeState.initialize(to: .none)
    }

    deinit {
        // This comes first, because until then the instance's thread can find the entry. No
        // transaction is open, because it would have kept the instance alive.
        if isFrozen { FrozenRealms.remove(self) } else { RealmCache.remove(self) }
        notifier?.shutDown()
        writeState.deallocate()
    }

    /// Releases the write lock and the version being read when the thread has ended.
    ///
    /// The instance cannot be used any more, and remaining references to it must neither lock other
    /// writers out nor retain old versions. Called on the thread that ends.
    func threadDidEnd() {
        if isWriting { connection.rollback() }
        writeState.pointee = .none
        notifier?.shutDown()
        asyncWrites?.threadDidEnd()
        frozenCopy = nil
        connection.endRead()
        confinement = .ended
        thread = 0
        for managedClass in classes.values { managedClass.threadDidEnd() }
        for managedClass in dynamicClasses.values { managedClass.threadDidEnd() }
        callsAfterTransaction = []
        keptForTransaction = nil
    }

    /// Memory for values on their way to the engine. A frozen Realm has some for each thread.
    var scratch: _Scratch {
        if let ownScratch { return ownScratch }
        if let frozen { return frozen.scratch(of: self) }
        let scratch = _Scratch(realm: self)
        ownScratch = scratch
        return scratch
    }

    // MARK: Checks

    @inline(__always)
    func checkThread() {
        if thread != realm_thread_identity() { checkConfinement() }
    }

    /// The check of Realms that are not confined to one thread, and of those that are used wrongly.
    @inline(never)
    private func checkConfinement() {
        if !confinement.isCurrent { stop("Realm accessed from incorrect thread.") }
    }

    /// Whether the thread that this instance was confined to has ended.
    var hasEnded: Bool {
        if case .ended = confinement { true } else { false }
    }

    var isWriting: Bool { writeState.pointee != .none }

    func requireWriting() {
        checkThread()
        if !isWriting {
            stop(
                "Can only add, remove, or create objects in a Realm in a write transaction - "
                    + "call beginWriteTransaction on an RLMRealm instance first.")
        }
    }

    // MARK: Classes

    /// Returns the managed class for exactly this type. Stops the program if the Realm does not
    /// store it.
    @inline(__always)
    func managedClass(for type: ObjectBase.Type) -> ManagedClass {
        if let lastClass, lastType == ObjectIdentifier(type) { return lastClass }
        return findManagedClass(for: type)
    }

    private func findManagedClass(for type: ObjectBase.Type) -> ManagedClass {
        let identifier = ObjectIdentifier(type)
        if let frozen {
            resumeReading()
            return frozen.classes.value(forKey: identifier) { makeManagedClass(for: type) }
        }
        let managedClass: ManagedClass
        if let known = classes[identifier] {
            managedClass = known
        } else {
            managedClass = makeManagedClass(for: type)
            classes[identifier] = managedClass
        }
        lastType = identifier
        lastClass = managedClass
        return managedClass
    }

    private func makeManagedClass(for type: ObjectBase.Type) -> ManagedClass {
        guard let model = schema[type] else { stopForUnknownClass(type.className()) }
        resumeReading()
        return attempt { try ManagedClass(model: model, realm: self) }
    }

    func stopForUnknownClass(_ name: String) -> Never {
        stop(
            "Object type '\(name)' is not managed by the Realm. If using a custom "
                + "`objectClasses` / `objectTypes` array in your configuration, add `\(name)` "
                + "to the list of `objectClasses` / `objectTypes`.")
    }

    func cancelledKeys(ofClass name: String) -> CancelledKeys {
        if let frozen { return frozen.cancelledKeys }
        if let known = cancelledKeys[name] { return known }
        let keys = CancelledKeys()
        cancelledKeys[name] = keys
        return keys
    }
}

/// The state of the write transaction, as needed by a write of a property.
@usableFromInline
enum WriteState: UInt8 {
    /// No transaction is open.
    case none
    case open
    /// A change failed, for example because the disk is full. Further changes have no effect, and
    /// the commit throws.
    case failed
}

// MARK: - Transactions

extension RealmInstance {
    func beginWrite() throws {
        checkThread()
        if isFrozen { stop("Can't perform transactions on a frozen Realm") }
        if configuration.readOnly { stop("Can't perform transactions on read-only Realms.") }
        // This check comes first, because an open transaction may belong to the parent process.
        try connection.database.checkNotForked()
        // Another instance of the same file on this thread may hold the lock that this one would
        // wait for.
        if isWriting || RealmCache.isWriting(to: connection.database) {
            stop("The Realm is already in a write transaction")
        }
        // A lock that was obtained for an asynchronous write would be waited for.
        if let asyncWrites, try asyncWrites.beginAtOnce({ try beginWrite(with: $0) }) { return }
        _ = try begin(mayWait: true) {
            try connection.beginWrite()
            return true
        }
    }

    /// Begins a write transaction if that takes no waiting. Returns whether it has begun.
    func beginWriteIfFree() throws -> Bool {
        try begin(mayWait: false) { try connection.beginWriteIfFree() }
    }

    /// Begins a write transaction with a lock that was obtained for it. Returns false if the lock
    /// is gone.
    func beginWrite(with lock: WriteLockRequest) throws -> Bool {
        try begin(mayWait: false) { try connection.beginWrite(with: lock) }
    }

    /// `mayWait`: whether observers may be told of the version on which the transaction begins once
    /// it is durable, or else later.
    private func begin(mayWait: Bool, _ begin: () throws -> Bool) throws -> Bool {
        leaveUnwrittenVersion()
        if configuration.maximumNumberOfActiveVersions != nil { try requireFewVersions() }
        let before = connection.version
        do {
            guard try begin() else { return false }
        } catch {
            leaveLostVersion()
            throw error
        }
        didMove()
        writeState.pointee = .open
        keptForTransaction = self
        stampOfBegin = connection.changeStamp
        do { try notifier?.realm(self, didBeginWriteAt: before, mayWait: mayWait) } catch {
            cancelWrite()
            throw error
        }
        return true
    }

    /// Whether this instance shows a write transaction to a migration.
    var isMigrating: Bool { migratedClasses != nil }

    /// Takes over the write transaction that its connection has begun, to show it to a migration to
    /// the classes of the application.
    func adoptTransaction(to classes: SchemaModel) {
        migratedClasses = classes
        writeState.pointee = .open
        stampOfBegin = connection.changeStamp
    }

    /// Gives the transaction back, and invalidates everything that was read from this Realm.
    ///
    /// - Throws: The error with which a change has failed.
    func returnTransaction() throws {
        let hasFailed = isInFailedTransaction
        writeState.pointee = .none
        generation += 1
        firstValidGeneration = generation
        connection.layoutStamp.pointee &+= 1
        if hasFailed, let failure { throw failure }
    }

    /// Returns what writes asynchronously. Stops the program if this Realm cannot.
    func writingAsynchronously() -> AsyncWrites {
        checkThread()
        if isFrozen { stop("Can't perform transactions on a frozen Realm") }
        if configuration.readOnly { stop("Can't perform transactions on read-only Realms.") }
        if let asyncWrites { return asyncWrites }
        guard let scheduler = confinement.makeScheduler() else {
            stop(
                "Cannot schedule async transaction. Make sure you are running from inside a run "
                    + "loop.")
        }
        let writes = AsyncWrites(self, scheduler)
        asyncWrites = writes
        return writes
    }

    /// Calls a function once when the open write transaction has ended.
    func afterTransaction(_ body: @escaping () -> Void) { callsAfterTransaction.append(body) }

    /// Whether the open write transaction has made a change.
    var hasChanged: Bool { isWriting && connection.changeStamp != stampOfBegin }

    func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        checkThread()
        if !isWriting { stop("Can't commit a non-existing write transaction") }
        try commit(withoutNotifying: tokens) {
            notifier?.realmWillCommit()
            defer { notifier?.realmHasCommitted(self) }
            let base = connection.version
            let commit = try connection.commit(
                configuration.engineDurability, keepingVersion: !tokens.isEmpty)
            lastCommit = commit
            return commit.version != base
        }
    }

    /// Commits the write transaction, has `writer` make it durable, and goes on. `whenDone` is
    /// called on another thread, unless this throws.
    func commitWrite(
        with writer: BackgroundWriter, whenDone: @escaping @Sendable (StorageError?) -> Void
    ) throws {
        try commit(withoutNotifying: []) {
            let base = connection.version
            try connection.commitInBackground(
                configuration.engineDurability, with: writer, whenDone: whenDone)
            return connection.version != base
        }
    }

    /// `commitConnection` returns whether the transaction has become a version.
    private func commit(
        withoutNotifying tokens: [NotificationToken], _ commitConnection: () throws -> Bool
    ) throws {
        let hasChanged: Bool
        do {
            if let failure { throw failure }
            hasChanged = try commitConnection()
        } catch {
            Logger.note(.error, "The commit failed: \(error)")
            // A failed commit leaves nothing of the transaction behind, unless what was committed
            // cannot be read.
            if connection.isInWriteTransaction { connection.rollback() }
            let isCommitted = (error as? StorageError)?.code == .committedUnread
            endTransaction(cancelled: !isCommitted)
            leaveLostVersion()
            transactionEndedOtherwise()
            throw error
        }
        endTransaction(cancelled: false)
        Logger.note(.debug, "Committed a write transaction")
        notifier?.realm(self, didCommitWithoutNotifying: tokens, hasChanged: hasChanged)
        makeCallsAfterTransaction()
    }

    private func makeCallsAfterTransaction() {
        if callsAfterTransaction.isEmpty { return }
        let calls = callsAfterTransaction
        callsAfterTransaction = []
        for call in calls { call() }
    }

    func cancelWrite() {
        checkThread()
        if !isWriting { stop("Can't cancel a non-existing write transaction") }
        connection.rollback()
        endTransaction(cancelled: true)
        Logger.note(.debug, "Cancelled a write transaction")
        transactionEndedOtherwise()
    }

    /// The write transaction has ended, and not by a commit that this Realm reads.
    private func transactionEndedOtherwise() {
        notifier?.realmMayHaveMoved(self)
        makeCallsAfterTransaction()
    }

    private func endTransaction(cancelled: Bool) {
        writeState.pointee = .none
        didMove()
        if cancelled { notifier?.realmDidCancelWrite(self) }
        // The instance stays alive, because the caller has a reference.
        keptForTransaction = nil
        failure = nil
        // If the file cannot be read here, instances of embedded objects may become valid again.
        if cancelled { try? noteDeletionOfEmbedded() }
        var hasInvalidated = false
        for keys in cancelledKeys.values {
            if keys.transactionDidEnd(cancelled: cancelled, in: generation) {
                hasInvalidated = true
            }
        }
        if hasInvalidated {
            generation += 1
            notifier?.objectsBecameInvalid()
        }
        asyncWrites?.transactionDidEnd()
    }

    /// Records as deleted the embedded objects that were deleted together with their owners in the
    /// cancelled transaction. They are found through their owners, which exist again.
    private func noteDeletionOfEmbedded() throws {
        if connection.version == 0 { return }
        var owners: [(ManagedClass, ObjectKey)] = []
        for managedClass in Array(classes.values) + Array(dynamicClasses.values)
        where !managedClass.model.embedding.isEmpty {
            try managedClass.forEachRestored { owners.append((managedClass, $0)) }
        }
        while let (owner, key) = owners.popLast() {
            try owner.forEachEmbedded(in: key) { embeddedClass, key in
                embeddedClass.noteDeletion(of: key.rawValue)
                owners.append((embeddedClass, key))
            }
        }
    }

    /// Performs a change in the open write transaction for an interface that cannot throw.
    ///
    /// If the disk is full, or the engine fails for another reason that is not a programming error,
    /// the result is nil and the transaction has failed. Further changes have no effect, and the
    /// commit throws the first error.
    @inline(__always) @discardableResult
    func change<Result>(_ operation: () throws -> Result) -> Result? {
        if hasFailed { return nil }
        do { return try operation() } catch {
            fail(error)
            return nil
        }
    }

    /// Whether a change of the open write transaction has failed.
    @inline(__always)
    var hasFailed: Bool { writeState.pointee == .failed }

    /// Marks the open write transaction as failed, because a change failed, or a read that had to
    /// complete pending changes. The changes are discarded now, so that reads see the version that
    /// the transaction was based on.
    @inline(never)
    func fail(_ error: any Error) {
        if hasFailed { return }
        guard let error = error as? StorageError,
            // In a migration, keys may turn out to be alike.
            error.isFailureOfEnvironment || isMigrating && error.code == .duplicateKey
        else { stop(error) }
        connection.failTransaction(error)
        failure = connection.transactionFailure
        writeState.pointee = .failed
    }

    /// Throws the failure of the open write transaction, if any, for operations that need its
    /// changes.
    func throwFailure() throws {
        if let failure { throw failure }
    }
}

// MARK: - Versions

extension RealmInstance {
    /// Moves to the newest version. Returns whether there was a newer one.
    func refresh() throws -> Bool {
        checkThread()
        if isFrozen { return false }
        if configuration.readOnly {
            stop("Read-only Realms do not change and cannot be refreshed.")
        }
        if isWriting { return false }
        leaveUnwrittenVersion()
        do {
            if let notifier { return try notifier.refresh(self) }
            let isNewer = try connection.refresh()
            didMove()
            return isNewer
        } catch let error as StorageError where error.code == .schemaChanged {
            stayBehind(error)
            return false
        } catch {
            leaveLostVersion()
            throw error
        }
    }

    /// Another process has migrated the file. This Realm goes on to show the version before, and
    /// cannot write.
    func stayBehind(_ error: StorageError) {
        leaveLostVersion()
        if !hasStayedBehind { Logger.note(.warn, error.message) }
        hasStayedBehind = true
    }

    /// Moves to the newest version if what this Realm shows is older than `version`, unless it is
    /// in a write transaction. A read-only Realm moves as well.
    func catchUp(with version: UInt64) throws {
        if connection.version >= version || isWriting { return }
        if !configuration.readOnly {
            _ = try refresh()
            return
        }
        do {
            _ = try connection.refresh()
            didMove()
        } catch {
            if error.code == .schemaChanged { return stayBehind(error) }
            leaveLostVersion()
            throw error
        }
    }

    /// Cancels an open write transaction, releases the version being read, and invalidates all
    /// objects and collections.
    func invalidate() {
        checkThread()
        // The version stays pinned until the last reference to the Realm is gone, because other
        // threads may be reading.
        if let frozen { return frozen.invalidate() }
        if isWriting { cancelWrite() }
        // The next read is to see what this Realm has written. An error comes again.
        try? connection.waitUntilPublished()
        endReading()
    }

    private func endReading() {
        generation += 1
        firstValidGeneration = generation
        for keys in cancelledKeys.values { keys.forgetCancelled() }
        frozenCopy = nil
        connection.endRead()
        isReading = false
        notifier?.objectsBecameInvalid()
    }

    /// Whether what was obtained in a generation was not invalidated with the Realm.
    @inline(__always)
    func isValid(_ birth: UInt32) -> Bool {
        birth >= firstValidGeneration && frozen?.isInvalidated != true
    }

    /// Starts to read the newest version again after `invalidate()`.
    @inline(__always)
    func resumeReading() {
        if !isReading { startReading() }
    }

    private func startReading() {
        if let frozen {
            if !frozen.isInvalidated { return }
            stop("Cannot read from a frozen Realm which has been invalidated.")
        }
        attempt { _ = try connection.refresh() }
        isReading = true
    }

    /// Records that the connection may have moved to another version.
    func didMove() {
        isReading = true
        if let frozenCopy, frozenCopy.connection.version != connection.version {
            self.frozenCopy = nil
        }
    }

    /// Invalidates everything if the version being read was committed in the background and could
    /// not be written. Another transaction may come to have its number, and its objects' keys.
    func leaveUnwrittenVersion() {
        if connection.failureOfUnpublished != nil { endReading() }
    }

    /// Ends reading if a failed move to another version has released the current one. Data read
    /// from the released version must not be used, and the next read starts at the newest version.
    private func leaveLostVersion() {
        leaveUnwrittenVersion()
        if connection.isInWriteTransaction || connection.version != 0 { return }
        frozenCopy = nil
        connection.endRead()
        isReading = false
    }
}
