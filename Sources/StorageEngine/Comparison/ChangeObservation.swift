/// Reports the differences between the versions that a connection moves through.
///
/// While an observation exists, the commits of this process are recorded in memory (about 3 MB at
/// most). Releasing it ends the observation. Only the thread of its connection may use it.
///
/// ```swift
/// let observation = try connection.observeChanges()
/// try connection.refresh()
/// let changes = try observation.changes()
/// for key in changes[table: people.number]?.insertions ?? KeySet() { … }
/// try observation.advance()
/// ```
public final class ChangeObservation {
    public let connection: Connection
    /// A connection that reads the version at which the next changes begin, for looking up old
    /// values. It must not be refreshed, and must not write.
    ///
    /// It pins that version, so its space is not reused until ``advance()`` is called.
    public let previous: Connection
    /// The version up to which all changes have been reported.
    public private(set) var version: UInt64

    /// Its number in the log; nil while it is suspended.
    private var identity: UInt64?

    fileprivate init(_ connection: Connection, since older: Connection) throws(StorageError) {
        self.connection = connection
        previous = try Connection(readingLike: older)
        version = older.version
        identity = connection.database.changeLog.register(at: version)
    }

    deinit { unregister() }

    private func unregister() {
        // In a forked child, the log belongs to the parent, and its lock may be held forever.
        if connection.database.coordinator.isForked { return }
        if let identity { connection.database.changeLog.unregister(identity) }
        identity = nil
    }

    /// Ends the observation and releases its version, until ``resume(since:)``. A suspended
    /// observation saves the memory and the time of making a new one.
    package func suspend() {
        unregister()
        previous.endRead()
    }

    /// Begins to observe changes after the version that another connection of the database sees.
    ///
    /// - Throws: `.damaged`, `.fileAccess`. The observation then stays suspended.
    package func resume(since older: Connection) throws(StorageError) {
        precondition(identity == nil, "resuming an observation that is not suspended")
        do { try previous.read(like: older) } catch {
            previous.endRead()
            throw error
        }
        version = older.version
        identity = connection.database.changeLog.register(at: version)
    }

    /// Returns the changes between ``version`` and the connection's version. In a write
    /// transaction, it must be called before the first change.
    ///
    /// The changes come from recorded transactions, at a cost proportional to their size. If other
    /// processes wrote or records are missing, the versions are compared instead.
    ///
    /// - Throws: `.damaged`, `.fileAccess`.
    public func changes() throws(StorageError) -> ChangeSet {
        guard let transactions = transactions(after: version, through: connection.version) else {
            return try connection.changes(since: previous)
        }
        return transactions.reduce(into: ChangeSet()) { $0.append($1.changes) }
    }

    /// Returns the transactions after version `old` up to `new`, with the writer of each one; nil
    /// if one of them is not recorded. Versions up to ``version`` may have been dropped.
    public func transactions(after old: UInt64, through new: UInt64) -> [RecordedTransaction]? {
        connection.database.changeLog.transactions(after: old, through: new)
    }

    /// Marks everything up to the connection's version as reported.
    ///
    /// - Throws: `.damaged`, `.fileAccess`.
    public func advance() throws(StorageError) {
        try previous.read(like: connection)
        version = connection.version
        if let identity { connection.database.changeLog.move(identity, to: version) }
    }
}

extension Connection {
    /// Begins to observe changes after the version that this connection sees.
    ///
    /// - Throws: `.tooManyReaders`, because it pins a version; `.damaged`, `.fileAccess`.
    public func observeChanges() throws(StorageError) -> ChangeObservation {
        try ChangeObservation(self, since: self)
    }

    /// Begins to observe changes after the version that another connection of the database sees.
    ///
    /// - Throws: `.tooManyReaders`, because it pins a version; `.damaged`, `.fileAccess`.
    package func observeChanges(since older: Connection) throws(StorageError) -> ChangeObservation {
        try ChangeObservation(self, since: older)
    }
}
