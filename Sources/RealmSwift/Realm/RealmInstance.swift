import CRealmSystem
import Foundation
import StorageEngine

/// What all `Realm` values of one file on one thread share: the connection, the classes, and the
/// state of the transaction.
///
/// Used by the thread that opened it, and by no other. The last reference may go on any thread:
/// nobody else can then be using it.
final class RealmInstance {
    /// The largest string or data value, in bytes.
    static let maximumValueSize = 16 << 20

    let configuration: Realm.Configuration
    let path: String
    let schema: SchemaModel
    let connection: Connection
    /// Identity of the thread that may use this instance; 0, which is no thread's, once it ended.
    @exclusivity(unchecked) private(set) var thread: UInt
    /// Raw memory, because every property that is written reads it.
    let writeState: UnsafeMutablePointer<WriteState>
    /// This instance while it is in a write transaction, for which it stays though nobody else
    /// refers to it: `try! Realm().beginWrite()` begins one, and the next `Realm()` of the thread
    /// is in it.
    @exclusivity(unchecked) private var keptForTransaction: RealmInstance?
    /// Why the open write transaction cannot be committed any more.
    private var failure: StorageError?
    /// Counts invalidations and cancelled write transactions; accessors and collections remember
    /// the one they were made in.
    @exclusivity(unchecked) private(set) var generation = noGeneration + 1
    /// Whatever was made in an earlier generation has been invalidated for good.
    @exclusivity(unchecked) private(set) var firstValidGeneration = noGeneration + 1
    /// Comes before all others: the one of objects that are known to be invalidated for good.
    static let noGeneration: UInt32 = 0
    private(set) var lastCommit: CommitStatistics?
    /// Objects that have their row but not yet their links and lists.
    @exclusivity(unchecked) var additions: [_Addition] = []
    @exclusivity(unchecked) var isCompletingAdditions = false
    private(set) lazy var scratch = _Scratch(realm: self)
    private lazy var absentObject = AbsentRow()
    /// Where objects lie that a failed transaction has taken away: none of their columns is there.
    var absentRow: RowLocation { RowLocation(leaf: absentObject.leaf, row: 0) }
    private var classes: [ObjectIdentifier: ManagedClass] = [:]
    /// Those of ``DynamicObject``s, by name.
    private var dynamicClasses: [String: ManagedClass] = [:]
    /// By name of the class. Never emptied, because managed classes refer to them uncounted.
    private var cancelledKeys: [String: CancelledKeys] = [:]
    @exclusivity(unchecked) private var lastType: ObjectIdentifier?
    @exclusivity(unchecked) private var lastClass: ManagedClass?
    @exclusivity(unchecked) private var isReading = true
    /// What has been read of predicates for its classes.
    @exclusivity(unchecked) private var predicates = PreparedPredicates()
    @exclusivity(unchecked) private var comparisons = PreparedComparisons()
    /// While objects are added that were made from values: what was given for them.
    @exclusivity(unchecked) var conversion: _ValueConversion?

    init(
        configuration: Realm.Configuration, path: String, schema: SchemaModel,
        connection: Connection
    ) {
        var configuration = configuration
        configuration.setDiscoveredTypes(schema.classes.map(\.type))
        self.configuration = configuration
        self.path = path
        self.schema = schema
        self.connection = connection
        thread = currentThread()
        writeState = .allocate(capacity: 1)
        writeState.initialize(to: .none)
    }

    deinit {
        // First, because until then its thread may find it there. No transaction is open: it would
        // have kept the instance.
        RealmCache.remove(self)
        writeState.deallocate()
    }

    /// The thread has ended, so nobody can use the instance any more, and what still refers to it
    /// must neither lock other writers out nor keep old versions. Called by that thread.
    func threadDidEnd() {
        if isWriting { connection.rollback() }
        writeState.pointee = .none
        connection.endRead()
        thread = 0
        for managedClass in classes.values { managedClass.threadDidEnd() }
        for managedClass in dynamicClasses.values { managedClass.threadDidEnd() }
        keptForTransaction = nil
    }

    // MARK: Checks

    @inline(__always)
    func checkThread() {
        if thread != realm_thread_identity() { stop("Realm accessed from incorrect thread.") }
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

    /// The class of objects of exactly this type; stops when the Realm does not store them.
    @inline(__always)
    func managedClass(for type: ObjectBase.Type) -> ManagedClass {
        if let lastClass, lastType == ObjectIdentifier(type) { return lastClass }
        return findManagedClass(for: type)
    }

    private func findManagedClass(for type: ObjectBase.Type) -> ManagedClass {
        let identifier = ObjectIdentifier(type)
        let managedClass = classes[identifier] ?? makeManagedClass(for: type)
        lastType = identifier
        lastClass = managedClass
        return managedClass
    }

    private func makeManagedClass(for type: ObjectBase.Type) -> ManagedClass {
        guard let model = schema[type] else { stopForUnknownClass(type.className()) }
        resumeReading()
        let managedClass = attempt { try ManagedClass(model: model, realm: self) }
        classes[ObjectIdentifier(type)] = managedClass
        return managedClass
    }

    /// The class of dynamic objects of this name; stops when neither the Realm nor its file have
    /// one.
    func dynamicClass(named name: String) -> ManagedClass {
        checkThread()
        resumeReading()
        if let known = dynamicClasses[name] { return known }
        let known = schema[name]
        let stored = attempt { try connection.table(named: name)?.definition }
        guard let definition = stored ?? known?.definition else { stopForUnknownClass(name) }
        let model = ClassModel(dynamic: definition, named: known)
        let managedClass = attempt { try ManagedClass(model: model, realm: self) }
        dynamicClasses[name] = managedClass
        return managedClass
    }

    private func stopForUnknownClass(_ name: String) -> Never {
        stop(
            "Object type '\(name)' is not managed by the Realm. If using a custom "
                + "`objectClasses` / `objectTypes` array in your configuration, add `\(name)` "
                + "to the list of `objectClasses` / `objectTypes`.")
    }

    /// What a predicate text says of a class; nil if it has to be read anew, or if another thread
    /// asks.
    func preparedPredicate(
        _ format: String, argumentCount: Int, in managedClass: ManagedClass
    ) -> PreparedPredicate? {
        guard thread == currentThread() else { return nil }
        return predicates.predicate(format, argumentCount: argumentCount, in: managedClass)
    }

    /// What a comparison of a typed query with a constant says of a class.
    ///
    /// - Throws: ``InvalidPredicate`` if the path does not suit the class, or the operator the path.
    func preparedComparison(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, _ options: StringOptions,
        in managedClass: ManagedClass
    ) throws -> PreparedComparison {
        try comparisons.comparison(path, operation, options, in: managedClass)
    }

    func cancelledKeys(ofClass name: String) -> CancelledKeys {
        if let known = cancelledKeys[name] { return known }
        let keys = CancelledKeys()
        cancelledKeys[name] = keys
        return keys
    }
}

/// What a property that is written needs to know of the write transaction.
@usableFromInline
enum WriteState: UInt8 {
    /// There is none.
    case none
    case open
    /// A change failed for want of disk space or the like: further changes do nothing, and the
    /// commit throws.
    case failed
}

/// The identity of the calling thread.
func currentThread() -> UInt { UInt(realm_thread_identity()) }

// MARK: - Transactions

extension RealmInstance {
    func beginWrite() throws {
        checkThread()
        if configuration.readOnly { stop("Can't perform transactions on read-only Realms.") }
        // First of all, because the transaction under way may be the parent's.
        try connection.database.checkNotForked()
        // Another instance of the same file on this thread holds the lock that this one would
        // wait for.
        if isWriting || RealmCache.isWriting(to: connection.database) {
            stop("The Realm is already in a write transaction")
        }
        do { try connection.beginWrite() } catch {
            leaveLostVersion()
            throw error
        }
        isReading = true
        writeState.pointee = .open
        keptForTransaction = self
    }

    func commitWrite() throws {
        checkThread()
        if !isWriting { stop("Can't commit a non-existing write transaction") }
        if let failure {
            connection.rollback()
            endTransaction(cancelled: true)
            throw failure
        }
        do {
            lastCommit = try connection.commit(configuration.engineDurability)
        } catch {
            Logger.note(.error, "The commit failed: \(error)")
            // A failed commit leaves nothing of the transaction behind.
            if connection.isInWriteTransaction { connection.rollback() }
            endTransaction(cancelled: true)
            leaveLostVersion()
            throw error
        }
        endTransaction(cancelled: false)
        Logger.note(.debug, "Committed a write transaction")
    }

    func cancelWrite() {
        checkThread()
        if !isWriting { stop("Can't cancel a non-existing write transaction") }
        connection.rollback()
        endTransaction(cancelled: true)
        Logger.note(.debug, "Cancelled a write transaction")
    }

    private func endTransaction(cancelled: Bool) {
        writeState.pointee = .none
        // Whoever ends it has a reference.
        keptForTransaction = nil
        failure = nil
        // If the file cannot be read, instances of embedded objects may come to life again.
        if cancelled { try? noteDeletionOfEmbedded() }
        var hasInvalidated = false
        for keys in cancelledKeys.values {
            if keys.transactionDidEnd(cancelled: cancelled, in: generation) {
                hasInvalidated = true
            }
        }
        if hasInvalidated { generation += 1 }
    }

    /// Notes the embedded objects that went with those that the cancelled transaction had deleted:
    /// they are found through their owners, which are there again.
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

    /// Runs a change of the open write transaction on behalf of an interface that cannot throw.
    ///
    /// When the disk is full, or the engine fails for another reason that is no programming error,
    /// this gives nil, and the transaction has failed: no further change is made, and the commit
    /// throws what went wrong first.
    @inline(__always) @discardableResult
    func change<Result>(_ operation: () throws -> Result) -> Result? {
        if hasFailed { return nil }
        do { return try operation() } catch {
            fail(error)
            return nil
        }
    }

    /// True once a change of the open write transaction has failed.
    @inline(__always)
    var hasFailed: Bool { writeState.pointee == .failed }

    /// A change, or a read that had to complete some first, did not succeed: the open write
    /// transaction has failed. Its changes are gone from now on, so that reads answer from the version
    /// that it was based on.
    @inline(never)
    func fail(_ error: any Error) {
        if hasFailed { return }
        guard let error = error as? StorageError, error.isFailureOfEnvironment else { stop(error) }
        connection.failTransaction(error)
        failure = connection.transactionFailure
        writeState.pointee = .failed
    }

    /// Stops an operation that could only work on the changes of a failed transaction.
    func throwFailure() throws {
        if let failure { throw failure }
    }
}

// MARK: - Versions

extension RealmInstance {
    /// Returns whether a newer version was there.
    func refresh() throws -> Bool {
        checkThread()
        if configuration.readOnly {
            stop("Read-only Realms do not change and cannot be refreshed.")
        }
        if isWriting { return false }
        do {
            let isNewer = try connection.refresh()
            isReading = true
            return isNewer
        } catch {
            leaveLostVersion()
            throw error
        }
    }

    /// Ends the write transaction, gives up the version being read, and invalidates all objects
    /// and collections.
    func invalidate() {
        checkThread()
        if isWriting { cancelWrite() }
        generation += 1
        firstValidGeneration = generation
        for keys in cancelledKeys.values { keys.forgetCancelled() }
        connection.endRead()
        isReading = false
    }

    /// Reads again, at the newest version, after `invalidate()`.
    @inline(__always)
    func resumeReading() {
        if !isReading { startReading() }
    }

    private func startReading() {
        attempt { _ = try connection.refresh() }
        isReading = true
    }

    /// A connection that failed to move on may have given up the version that it stood at. What
    /// was read from it must not be used then; the next read starts anew.
    private func leaveLostVersion() {
        if connection.isInWriteTransaction || connection.version != 0 { return }
        connection.endRead()
        isReading = false
    }
}
