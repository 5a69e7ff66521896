import Dispatch

/// One thread's view of a database: a pinned version, or an open write transaction.
///
/// A connection is used by one thread at a time; it may move between threads. Reading never waits
/// for writers. All functions throw `StorageError`.
///
/// ```swift
/// let connection = try Connection(Database.open(path: "people.db"))
/// try connection.beginWrite()
/// try connection.createTables([TableDefinition(name: "Person", columns: [
///     ColumnDefinition(name: "age", type: .int)])])
/// let people = try connection.table(named: "Person")!
/// try withUnsafePointer(to: Scalar.integer(42)) {
///     _ = try people.insert(UnsafeBufferPointer(start: $0, count: 1))
/// }
/// try connection.commit()
/// ```
public final class Connection {
    public let database: Database
    /// Tells the connections of a database apart; never used again.
    public let identity: UInt64
    /// Changes whenever rows may have moved: after it, a `RowLocation` must be looked up again. The
    /// address is stable for the connection's life.
    public let layoutStamp: UnsafeMutablePointer<UInt64>
    /// Changes whenever what was read of objects may be out of date: with every change of the open
    /// write transaction, and when the connection moves to another version.
    @exclusivity(unchecked) public internal(set) var changeStamp: UInt64 = 0
    /// Changes whenever paths of the tables' writers are void; see `TreeWriter`.
    let pathStamp: UnsafeMutablePointer<UInt64>

    /// How many write transactions were rolled back: what one of them made is no part of any version.
    @exclusivity(unchecked) private(set) var rollbackCount = 0

    @usableFromInline let pager: Pager
    let forest: Forest
    // Unchecked, here and in the layers below: a connection is used by one thread at a time, and no
    // access to a property calls out while it lasts.
    @exclusivity(unchecked) private(set) var schema = StoredSchema()
    @exclusivity(unchecked) private var schemaReference = PageReference.none
    @exclusivity(unchecked) private(set) var tables: [Table] = []
    /// Whether the schema in memory is one that a failed transaction has made. Reading goes on with it:
    /// the version before has nothing of what is new in it. Only its indexes cannot be used.
    @exclusivity(unchecked) private(set) var schemaIsAbandoned = false
    /// Collects the changes of the open write transaction; nil when nobody wants to know them.
    var recorder: ChangeRecorder?
    /// Indexes that lack changes of the open write transaction.
    @exclusivity(unchecked) var indexesBehind: [ColumnIndex] = []
    /// Collections made inside mixed values so far; see `CollectionIdentity`.
    private var collectionCount: UInt64 = 0
    /// Where objects that are deleted one by one were in the collections that held them.
    private(set) lazy var lastPlaces = LastPlaces()

    /// Opens a view of the newest version.
    public convenience init(_ database: Database) throws {
        try self.init(database) { pager throws(StorageError) in try pager.beginRead() }
    }

    /// Opens a view of the version that another connection has pinned.
    convenience init(readingLike other: Connection) throws {
        try self.init(other.database) { pager throws(StorageError) in
            try pager.beginRead(sameAs: other.pager)
        }
    }

    private init(_ database: Database, beginRead: (Pager) throws(StorageError) -> Void) throws {
        self.database = database
        identity = database.changeLog.makeIdentity()
        layoutStamp = .allocate(capacity: 1)
        layoutStamp.initialize(to: 1)
        pathStamp = .allocate(capacity: 1)
        pathStamp.initialize(to: 1)
        pager = try Pager(database: database)
        pager.layoutStamp = layoutStamp
        forest = Forest(pager: pager)
        pager.transactionDidFail = { [unowned self] in abandonTransaction() }
        try beginRead(pager)
        try loadSchema()
    }

    deinit {
        if pager.isInWriteTransaction { pager.rollback() }
        pager.endRead()
        layoutStamp.deallocate()
        pathStamp.deallocate()
    }

    // MARK: Versions

    /// The version this connection sees; inside a write transaction the one it is based on.
    public var version: UInt64 { pager.version }

    public var isInWriteTransaction: Bool { pager.isInWriteTransaction }

    /// Moves to the newest version, or pins it after `endRead`. Returns whether that is another one
    /// than before.
    @discardableResult
    public func refresh() throws -> Bool {
        precondition(!isInWriteTransaction, "refresh inside a write transaction")
        let before = pager.isReading ? pager.version : nil
        do {
            if before == nil {
                try pager.beginRead()
            } else {
                _ = try pager.refresh()
            }
        } catch {
            forgetSnapshot()
            throw error
        }
        guard pager.version != before else { return false }
        try snapshotChanged()
        return true
    }

    /// Gives up the pinned version; the next `refresh` or `beginWrite` pins the newest again. Until
    /// then nothing may be read.
    public func endRead() {
        precondition(!isInWriteTransaction, "endRead inside a write transaction")
        pager.endRead()
        forgetSnapshot()
    }

    /// Moves to the version that another connection has pinned.
    func read(like other: Connection) throws {
        try pager.beginRead(sameAs: other.pager)
        try snapshotChanged()
    }

    /// Waits for the write lock, then moves to the newest version.
    public func beginWrite() throws {
        do {
            try pager.beginWrite()
        } catch {
            // It may have moved on before it failed: what was read of the version before is void.
            forgetSnapshot()
            throw error
        }
        do {
            try snapshotChanged()
        } catch {
            rollback()
            throw error
        }
        if database.changeLog.isObserved { startRecording() }
    }

    /// Makes the transaction visible, and durable as `durability` says, and ends it. If this throws,
    /// the transaction is rolled back; only for `.outcomeUnknown` may it survive nevertheless.
    @discardableResult
    public func commit(_ durability: CommitDurability = .full) throws -> CommitStatistics {
        precondition(isInWriteTransaction, "commit outside a write transaction")
        do {
            try completeTransaction()
            let statistics = try pager.commit(durability)
            if pager.version == statistics.version {
                layoutStamp.pointee &+= 1
                pathStamp.pointee &+= 1
            } else {
                // Others have committed since: this connection reads a newer version.
                try snapshotChanged()
            }
            return statistics
        } catch {
            rollback()
            throw error
        }
    }

    /// Ends the transaction and begins the next one on it, while `queue`, if there is one, writes it:
    /// see ``Pager/commitBehind(on:)``. If this throws, both are rolled back.
    func commitBehind(on queue: DispatchQueue?) throws {
        precondition(isInWriteTransaction, "commit outside a write transaction")
        do {
            try completeTransaction()
            try pager.commitBehind(on: queue)
            try snapshotChanged()
        } catch {
            rollback()
            throw error
        }
    }

    /// What is still to be done when all changes of the transaction are made.
    private func completeTransaction() throws {
        if let transactionFailure { throw transactionFailure }
        pager.releaseRetiredMemory()
        try catchUpIndexes(limitingMemory: true)
        try TailMove.advance(self)
        try forest.flush()
        finishRecording()
    }

    /// Forgets the transaction's changes. The connection stands at the version it was based on, or at
    /// a newer one.
    public func rollback() {
        if pager.isInWriteTransaction { pager.rollback() }
        rollbackCount += 1
        stopRecording()
        forgetIndexChanges()
        forgetSnapshot()
        // If this fails, so does every access to a table, for the same reason.
        try? loadSchema()
    }

    // MARK: Failed transactions

    /// Why the open write transaction can only be rolled back; nil if it may go on.
    ///
    /// Whatever interrupts a change (a full disk, a page that cannot be read) fails the transaction.
    /// From then on all changes, and ``commit(_:)``, throw the same error, and reads answer from the
    /// version that the transaction was based on, as if it had done nothing.
    public var transactionFailure: StorageError? { pager.transactionFailure }

    /// Makes the open write transaction one that has failed, unless it is already: for a layer above
    /// whose own change was interrupted.
    public func failTransaction(_ error: StorageError) { pager.failTransaction(error) }

    /// The open write transaction has failed: what is in memory of its changes is forgotten. Its
    /// callers have yet to return, so tables stay as they are until it is rolled back.
    private func abandonTransaction() {
        rollbackCount += 1
        if schemaReference.birth == pager.writeVersion { schemaIsAbandoned = true }
        forgetSnapshot()
    }

    private func snapshotChanged() throws {
        forgetSnapshot()
        try loadSchema()
    }

    /// Gives back memory of decrypted pages that this connection has for itself, if there is much
    /// of it: pages of an encrypted file for which all connections together have no room. Costs
    /// next to nothing if there is none.
    ///
    /// Between two uses, when nothing that was read is in use any more: bytes of values are void
    /// then, and so are `RowLocation`s, if ``layoutStamp`` has changed.
    @inline(__always)
    public func releaseExcessMemory() {
        if pager.hasExcessMemory { voidPlaces() }
    }

    @inline(never) @usableFromInline
    func voidPlaces() {
        if pager.releaseExcessMemory() { layoutStamp.pointee &+= 1 }
    }

    /// Drops what is remembered of the version read so far.
    private func forgetSnapshot() {
        forest.reset()
        layoutStamp.pointee &+= 1
        pathStamp.pointee &+= 1
        changeStamp &+= 1
    }

    // MARK: Schema

    private func loadSchema() throws {
        schemaIsAbandoned = false
        let reference = try forest.state(Forest.schemaID).pointee.root.reference
        if reference == schemaReference { return }
        if reference.isNone {
            schema = StoredSchema()
        } else {
            guard let decoded = StoredSchema(decoding: try pager.overflowBytes(reference)) else {
                throw pager.damaged(reference.page, "the schema cannot be read")
            }
            schema = decoded
        }
        schemaReference = reference
        // Tables are only ever added; those that a rollback took away are dropped.
        if tables.count > schema.tables.count {
            tables.removeLast(tables.count - schema.tables.count)
        }
        for index in schema.tables.indices {
            if index < tables.count {
                tables[index].adopt(schema, index)
            } else {
                tables.append(Table(self, schema, index))
                tables[index].record(with: recorder)
            }
        }
    }

    func storeSchema(_ new: StoredSchema) throws {
        let bytes = new.encoded()
        let state = try forest.state(Forest.schemaID)
        if !state.pointee.root.reference.isNone { try pager.free(state.pointee.root.reference) }
        let reference = try bytes.withUnsafeBytes { try pager.writeOverflow($0) }
        state.pointee.root = TreeRoot(reference: reference, level: 0, count: 0)
        state.pointee.isDirty = true
        // The new page may have the number, and the birth, of the one just freed.
        schemaReference = .none
        try loadSchema()
    }

    public func tableDefinitions() throws -> [TableDefinition] { schema.tables.map(\.definition) }

    /// The table of that name; the same instance for as long as the connection lives.
    public func table(named name: String) throws -> Table? {
        schema.tables.firstIndex { $0.name == name }.map { tables[$0] }
    }

    func table(_ index: Int) -> Table { tables[index] }

    /// The same, uncounted: good as long as the connection's schema.
    @inline(__always)
    func uncountedTable(_ index: Int) -> Unmanaged<Table> { .passUnretained(tables[index]) }

    var tableCount: Int { tables.count }

    /// The table with this number, as typed links and mixed values name it; nil if there is none.
    public func table(number: Int) throws -> Table? {
        number >= 0 && number < tables.count ? tables[number] : nil
    }

    /// Prepares a table for links from a column that may lead to any: the first one adds the hidden
    /// column of backlinks. A place in the schema only, because leaves without it read its default.
    func addBacklinkColumn(from origin: Int, _ column: Int, to target: Int) throws {
        if schema.backlinkColumn(ofTable: origin, column: column, inTable: target) != nil { return }
        try changeSchema { (new) throws(SchemaProblem) in
            try new.addBacklinkColumn(origin, column, to: target)
        }
    }

    func changeSchema(
        _ change: (inout StoredSchema) throws(SchemaProblem) -> Void
    ) throws {
        var new = schema
        do throws(SchemaProblem) {
            try change(&new)
        } catch {
            throw pager.invalidArgument(error.message)
        }
        try storeSchema(new)
    }

    /// Identities are unique in a file: one version is one transaction's, and numbers go on after a
    /// rollback.
    func makeCollectionIdentity() -> CollectionIdentity {
        collectionCount += 1
        return CollectionIdentity(version: pager.writeVersion, number: collectionCount)
    }

    /// Creates tables inside a write transaction. Their links may lead to each other.
    public func createTables(_ definitions: [TableDefinition]) throws {
        try requireWriteTransaction()
        try changeSchema { (new) throws(SchemaProblem) in try new.add(definitions) }
    }

    /// The number that the object layer keeps for its users; nil if it was never set.
    public func schemaVersion() throws -> UInt64? { schema.userVersion }

    public func setSchemaVersion(_ version: UInt64) throws {
        try requireWriteTransaction()
        var new = schema
        new.userVersion = version
        try storeSchema(new)
    }

    @inline(__always)
    func requireWriteTransaction() throws {
        if !pager.isInWriteTransaction {
            throw pager.invalidArgument("This needs a write transaction.")
        }
        if pager.needsAttention { try prepareChange() }
    }

    /// What a change has to do before it begins, after one that took much memory.
    ///
    /// Nobody has a pointer into pages now, but for what the change was given; see
    /// ``Pager/limitMemory()``.
    @inline(never)
    func prepareChange() throws {
        if let failure = pager.transactionFailure { throw failure }
        pager.releaseRetiredMemory()
        try pager.limitMemoryNow()
        try catchUpLargeIndexes()
    }
}
