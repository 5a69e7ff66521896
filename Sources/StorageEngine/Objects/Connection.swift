import Dispatch

/// One thread's view of a database: a pinned version, or an open write transaction.
///
/// A connection is used by one thread at a time, but may move between threads. Reading never waits
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
    /// Distinguishes the connections of a database; never reused.
    public let identity: UInt64
    /// Changes whenever rows may have moved. A `RowLocation` found before must be looked up again.
    /// The address is stable for the connection's life.
    public let layoutStamp: UnsafeMutablePointer<UInt64>
    /// Changes whenever values read before may be out of date: with every change of the open write
    /// transaction, and when the connection moves to another version.
    @exclusivity(unchecked) public internal(set) var changeStamp: UInt64 = 0
    /// Changes whenever the cached paths of the tables' writers become stale; see `TreeWriter`.
    let pathStamp: UnsafeMutablePointer<UInt64>

    /// The number of write transactions that were rolled back. Nothing that they created is part of
    /// any version.
    @exclusivity(unchecked) private(set) var rollbackCount = 0

    @usableFromInline let pager: Pager
    let forest: Forest
    // Unchecked, here and in the layers below: a connection is used by one thread at a time, and no
    // access to a property runs other code that could access it, too.
    @exclusivity(unchecked) private(set) var schema = StoredSchema()
    @exclusivity(unchecked) private var schemaReference = PageReference.none
    @exclusivity(unchecked) private(set) var tables: [Table] = []
    /// Whether the schema in memory was changed by a transaction that has failed. It can still be
    /// used for reading, because the base version contains nothing that is new in it. Only its
    /// indexes cannot be used.
    @exclusivity(unchecked) private(set) var schemaIsAbandoned = false
    /// Whether the tables become those of a schema of another layout: of the first one, and of one
    /// that the open transaction has made or undone. Others end the use of this connection.
    @exclusivity(unchecked) private var acceptsLayout = true
    /// Whether the open write transaction has changed the layout.
    @exclusivity(unchecked) private var hasChangedLayout = false
    /// Records the changes of the open write transaction; nil unless the database is observed.
    var recorder: ChangeRecorder?
    /// Indexes that lack changes of the open write transaction.
    @exclusivity(unchecked) var indexesBehind: [ColumnIndex] = []
    /// Tables with rows of deleted objects; see `Table+Deletion`.
    @exclusivity(unchecked) var tablesWithDeletedRows: [Table] = []
    /// The number of a table's rows of deleted objects at which they are removed. Tests set less.
    @exclusivity(unchecked) var maximumDeletedRows = DeletedRows.maximumCount
    /// The number of collections made inside mixed values so far; see `CollectionIdentity`.
    private var collectionCount: UInt64 = 0
    /// Positions at which deleted objects were last found in the collections that held them, where
    /// the search for the next one begins.
    private(set) lazy var lastPlaces = LastPlaces()

    /// Opens a view of the newest version.
    public convenience init(_ database: Database) throws(StorageError) {
        try self.init(database) { pager throws(StorageError) in try pager.beginRead() }
    }

    /// Opens a view of the version that another connection reads; in a write transaction, of the
    /// one that it is based on. Waits until that is published.
    package convenience init(readingLike other: Connection) throws(StorageError) {
        try self.init(other.database, like: other) { pager throws(StorageError) in
            try pager.beginRead(sameAs: other.pager)
        }
    }

    /// Opens a view of the version that `beginRead` has a new pager read.
    ///
    /// - Parameter other: A connection of which the schema is copied instead of being decoded anew,
    ///   if it is that of this version; nil if there is none.
    init(
        _ database: Database, like other: Connection? = nil,
        beginRead: (Pager) throws(StorageError) -> Void
    ) throws(StorageError) {
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
        if let other, !other.schemaIsAbandoned, try schemaRoot() == other.schemaReference {
            schema = other.schema
            schemaReference = other.schemaReference
            acceptsLayout = false
            adoptSchema()
        } else {
            try loadSchema()
        }
    }

    deinit {
        if pager.isInWriteTransaction { pager.rollback() }
        pager.endRead()
        layoutStamp.deallocate()
        pathStamp.deallocate()
    }

    // MARK: Versions

    /// The version this connection sees; inside a write transaction, its base version.
    public var version: UInt64 { pager.version }

    public var isInWriteTransaction: Bool { pager.isInWriteTransaction }

    /// Lets another thread end what this connection reads: once the request is made, whatever walks
    /// over the leaves of a table throws `.interrupted` at the next leaf, and whatever sorts or
    /// reads through links does so within some thousand objects. Nil by default. What writes must
    /// not be ended so, since its transaction would fail.
    public var stopRequest: StopRequest? {
        get { pager.stopRequest }
        set { pager.stopRequest = newValue }
    }

    /// Moves to the newest version, or pins it after `endRead`. Returns whether the version
    /// changed.
    ///
    /// - Throws: `.schemaChanged` if a migration has changed the tables meanwhile. The connection
    ///   then goes on to read the version that it read before, or, after `endRead`, nothing.
    @discardableResult
    public func refresh() throws(StorageError) -> Bool {
        precondition(!isInWriteTransaction, "refresh inside a write transaction")
        let before = pager.isReading ? pager.version : nil
        let wasUnpublished = isUnpublished
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
        guard pager.version != before || wasUnpublished && !isUnpublished else { return false }
        do {
            try snapshotChanged()
        } catch {
            if error.code == .schemaChanged { returnToFormerVersion() }
            throw error
        }
        return pager.version != before
    }

    /// Reads the version again that was read before a move to one of another layout; nothing if
    /// that is not there any more.
    private func returnToFormerVersion() {
        if !pager.moveBack() { pager.endRead() }
        forgetSnapshot()
    }

    /// Releases the pinned version. The next `refresh` or `beginWrite` pins the newest one. Until
    /// then nothing may be read.
    public func endRead() {
        precondition(!isInWriteTransaction, "endRead inside a write transaction")
        if failureOfUnpublished != nil {
            // Another transaction may come to have its version.
            rollbackCount += 1
            schemaReference = .none
        }
        pager.endRead()
        forgetSnapshot()
    }

    /// Moves to the version that another connection has pinned.
    package func read(like other: Connection) throws(StorageError) {
        try pager.beginRead(sameAs: other.pager)
        try snapshotChanged()
    }

    /// Moves to a version that is just being written. Returns false if it is published or has
    /// failed already: then the newest version is read.
    ///
    /// The version that was visible before stays pinned. If the transaction fails, nothing that was
    /// read counts; see ``failureOfUnpublished``.
    package func read(_ coming: UnpublishedVersion) throws(StorageError) -> Bool {
        precondition(!isInWriteTransaction, "moving inside a write transaction")
        let isThere: Bool
        do {
            isThere = try pager.beginRead(coming)
        } catch {
            forgetSnapshot()
            throw error
        }
        try snapshotChanged()
        return isThere
    }

    /// Waits for the write lock, then moves to the newest version.
    ///
    /// - Throws: what ``refresh()`` throws; what ends waiting for the write lock.
    public func beginWrite() throws(StorageError) {
        _ = try begin { () throws(StorageError) in
            try pager.beginWrite()
            return true
        }
    }

    /// Begins a write transaction with `begin`, unless that returns false. Returns whether it has.
    func begin(_ begin: () throws(StorageError) -> Bool) throws(StorageError) -> Bool {
        do {
            guard try begin() else { return false }
            hasChangedLayout = false
        } catch {
            // The pager may have moved to another version before it failed, so what was cached is
            // stale.
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
        return true
    }

    /// Makes the transaction visible, and durable according to `durability`, and ends it. If this
    /// throws, the transaction is rolled back. Only after `.outcomeUnknown` may it be part of the
    /// file nevertheless, and after `.committedUnread` it is: then the connection cannot read what
    /// the transaction made, and reads nothing until ``refresh()`` or ``beginWrite()`` succeeds.
    ///
    /// The connection then reads the newest version, which may have changes of others that were
    /// committed meanwhile. With `keepingVersion` it reads exactly the version that the transaction
    /// became, until it moves; but the newest one after a transaction that changed more than 16 MiB
    /// (it was written ahead).
    @discardableResult
    public func commit(
        _ durability: CommitDurability = .full, keepingVersion: Bool = false
    ) throws(StorageError) -> CommitStatistics {
        precondition(isInWriteTransaction, "commit outside a write transaction")
        do {
            try completeTransaction()
            let statistics = try pager.commit(durability, keepingVersion: keepingVersion)
            try moved(from: statistics.version)
            return statistics
        } catch {
            commitFailed(with: error)
            throw error
        }
    }

    /// Rolls the transaction back, unless it is a version that cannot be read.
    func commitFailed(with error: StorageError) {
        if error.code == .committedUnread { endRead() } else { rollback() }
    }

    /// Adopts the version that the connection reads after it has committed one.
    ///
    /// - Throws: `.committedUnread`.
    func moved(from committed: UInt64) throws(StorageError) {
        if pager.version == committed {
            pager.forgetFormer()
            return voidPaths()
        }
        // Other writers have committed since, and this connection already reads a newer version.
        do {
            try snapshotChanged()
        } catch {
            // The transaction is part of the file. If a migration has followed, the version before
            // is read, because the committed one is not pinned.
            guard error.code == .schemaChanged, pager.moveBack() else {
                throw .committedUnread(error)
            }
            forgetSnapshot()
        }
    }

    /// Ends the transaction and begins the next one on top of it, while `queue`, if any, writes the
    /// first; see ``Pager/commitBehind(on:)``. If this throws, both are rolled back.
    func commitBehind(on queue: DispatchQueue?) throws(StorageError) {
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

    /// Does what remains once all changes of the transaction are made. The forest is flushed last,
    /// because rows that are removed, indexes that catch up and the tail move change the roots of
    /// trees.
    func completeTransaction() throws(StorageError) {
        if let transactionFailure { throw transactionFailure }
        pager.releaseRetiredMemory()
        try removeDeletedRows(limitingMemory: true)
        try catchUpIndexes(limitingMemory: true)
        try TailMove.advance(self)
        try forest.flush()
        finishRecording()
    }

    /// Discards the transaction's changes. The connection then reads its base version, or a newer
    /// one.
    public func rollback() {
        if pager.isInWriteTransaction { pager.rollback() }
        if hasChangedLayout {
            hasChangedLayout = false
            acceptsLayout = true
        }
        rollbackCount += 1
        stopRecording()
        forgetIndexChanges()
        forgetSnapshot()
        do {
            try loadSchema()
        } catch {
            // If anything else fails, every access to a table fails too, for the same reason.
            if error.code == .schemaChanged { returnToFormerVersion() }
        }
    }

    // MARK: Failed transactions

    /// Why the open write transaction can only be rolled back; nil if it may go on.
    ///
    /// Any error that interrupts a change (a full disk, a page that cannot be read) fails the
    /// transaction. From then on all changes, and ``commit(_:keepingVersion:)``, throw the same
    /// error, and reads see the base version, as if the transaction had done nothing.
    public var transactionFailure: StorageError? { pager.transactionFailure }

    /// Fails the open write transaction, unless it has failed already. For a layer above whose own
    /// change was interrupted.
    public func failTransaction(_ error: StorageError) { pager.failTransaction(error) }

    /// Discards what is cached of the changes of a transaction that has just failed. Its callers
    /// have yet to return, so tables stay as they are until the rollback.
    private func abandonTransaction() {
        rollbackCount += 1
        if schemaReference.birth == pager.writeVersion { schemaIsAbandoned = true }
        forgetSnapshot()
    }

    func snapshotChanged() throws(StorageError) {
        forgetSnapshot()
        try loadSchema()
    }

    /// Frees memory of decrypted pages that this connection holds for itself, if there is much of
    /// it: pages of an encrypted file that do not fit the cache shared by all connections. Costs
    /// next to nothing if there is none.
    ///
    /// Call it when no value read before is still in use: it invalidates bytes of values and, if
    /// ``layoutStamp`` has changed, `RowLocation`s.
    @inline(__always)
    public func releaseExcessMemory() {
        if pager.hasExcessMemory { voidPlaces() }
    }

    @inline(never) @usableFromInline
    func voidPlaces() {
        if pager.releaseExcessMemory() { layoutStamp.pointee &+= 1 }
    }

    /// Has rows and paths of the tables' writers be looked up again, which have not moved, but are
    /// no longer those of an open transaction.
    func voidPaths() {
        layoutStamp.pointee &+= 1
        pathStamp.pointee &+= 1
    }

    /// Drops everything cached of the version read so far.
    private func forgetSnapshot() {
        forgetDeletedRows()
        forest.reset()
        layoutStamp.pointee &+= 1
        pathStamp.pointee &+= 1
        changeStamp &+= 1
    }

    // MARK: Schema

    private func loadSchema() throws(StorageError) {
        schemaIsAbandoned = false
        let reference = try schemaRoot()
        if reference == schemaReference { return pager.forgetFormer() }
        var decoded = StoredSchema()
        if !reference.isNone {
            guard let stored = StoredSchema(decoding: try pager.overflowBytes(reference)) else {
                throw pager.damaged(reference.page, "the schema cannot be read")
            }
            decoded = stored
        }
        guard acceptsLayout || decoded.layout == schema.layout else { throw schemaChanged }
        pager.forgetFormer()
        schema = decoded
        schemaReference = reference
        acceptsLayout = false
        adoptSchema()
    }

    private func schemaRoot() throws(StorageError) -> PageReference {
        try forest.state(Forest.schemaID).pointee.root.reference
    }

    /// Has the tables be those of the schema.
    private func adoptSchema() {
        // Tables are never removed, except those that a rolled-back transaction had added.
        if tables.count > schema.tables.count {
            tables.removeLast(tables.count - schema.tables.count)
        }
        for index in schema.tables.indices {
            if index < tables.count, tables[index].fits(schema.tables[index]) {
                tables[index].adopt(schema, index)
                continue
            }
            precondition(
                index >= tables.count || tables[index].deletedRows.isEmpty,
                "rows of deleted objects are removed before their table is replaced")
            let table = Table(self, schema, at: index)
            table.record(with: recorder)
            if index < tables.count { tables[index] = table } else { tables.append(table) }
        }
    }

    private var schemaChanged: StorageError {
        StorageError(
            .schemaChanged, path: database.path,
            message: "The classes in the file at path '\(database.path)' were changed by a "
                + "migration. Close the file, and open it again with the new classes.")
    }

    func storeSchema(_ new: StoredSchema) throws(StorageError) {
        let bytes = new.encoded()
        let state = try forest.state(Forest.schemaID)
        if !state.pointee.root.reference.isNone { try pager.free(state.pointee.root.reference) }
        let reference = try bytes.withBytes { bytes throws(StorageError) in
            try pager.writeOverflow(bytes)
        }
        state.pointee.root = TreeRoot(reference: reference, level: 0, count: 0)
        state.pointee.isDirty = true
        // The new page may have the page number and birth of the one just freed.
        schemaReference = .none
        if new.layout != schema.layout {
            hasChangedLayout = true
            if !planted(.announcesNoLayout) {
                database.coordinator.announceLayout(of: pager.writeVersion)
            }
        }
        acceptsLayout = hasChangedLayout
        try loadSchema()
    }

    public func tableDefinitions() throws(StorageError) -> [TableDefinition] {
        schema.tables.lazy.filter { !$0.isRemoved }.map(\.definition)
    }

    /// The table with this name; the same instance as long as the connection lives and no
    /// ``SchemaMigration`` changes the table.
    public func table(named name: String) throws(StorageError) -> Table? {
        schema.tables.firstIndex { $0.name == name }.map { tables[$0] }
    }

    func table(_ index: Int) -> Table { tables[index] }

    /// The table without counting a reference; valid as long as the connection's schema.
    @inline(__always)
    func uncountedTable(_ index: Int) -> Unmanaged<Table> { .passUnretained(tables[index]) }

    var tableCount: Int { tables.count }

    /// The table with this number, by which typed links and mixed values refer to it; nil if there
    /// is none.
    public func table(number: Int) throws(StorageError) -> Table? {
        number >= 0 && number < tables.count ? tables[number] : nil
    }

    /// Prepares a table for links from a column that may lead to any table: the first such link
    /// adds the hidden column of backlinks. Only the schema changes, because leaves without the
    /// column read its default.
    func addBacklinkColumn(from origin: Int, _ column: Int, to target: Int) throws(StorageError) {
        if schema.backlinkColumn(ofTable: origin, column: column, inTable: target) != nil { return }
        try changeSchema { (new) throws(SchemaProblem) in
            try new.addBacklinkColumn(origin, column, to: target)
        }
    }

    func changeSchema(
        _ change: (inout StoredSchema) throws(SchemaProblem) -> Void
    ) throws(StorageError) {
        var new = schema
        do throws(SchemaProblem) {
            try change(&new)
        } catch {
            throw pager.invalidArgument(error.message)
        }
        try storeSchema(new)
    }

    /// Returns an identity that is unique in the file: a version belongs to one transaction, and
    /// the number continues after a rollback.
    func makeCollectionIdentity() -> CollectionIdentity {
        collectionCount += 1
        return CollectionIdentity(version: pager.writeVersion, number: collectionCount)
    }

    /// Creates tables inside a write transaction. Their links may refer to each other.
    public func createTables(_ definitions: [TableDefinition]) throws(StorageError) {
        try requireWriteTransaction()
        try removeDeletedRows()
        try changeSchema { (new) throws(SchemaProblem) in try new.add(definitions) }
    }

    /// The schema version that the object layer stores for its users; nil if it was never set.
    public func schemaVersion() throws(StorageError) -> UInt64? { schema.userVersion }

    public func setSchemaVersion(_ version: UInt64) throws(StorageError) {
        try requireWriteTransaction()
        var new = schema
        new.userVersion = version
        try storeSchema(new)
    }

    @inline(__always)
    func requireWriteTransaction() throws(StorageError) {
        if !pager.isInWriteTransaction {
            throw pager.invalidArgument("This needs a write transaction.")
        }
        if pager.needsAttention { try prepareChange() }
    }

    /// Does what has to happen before a change begins, after one that took much memory.
    ///
    /// No pointers into pages are held now, except to the arguments of the change; see
    /// ``Pager/limitMemory()``.
    @inline(never)
    func prepareChange() throws(StorageError) {
        if let failure = pager.transactionFailure { throw failure }
        pager.releaseRetiredMemory()
        try pager.limitMemoryNow()
        try catchUpLargeIndexes()
    }
}
