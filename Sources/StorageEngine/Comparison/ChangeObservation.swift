/// Follows what a connection comes to see when it moves from version to version.
///
/// While one exists, the commits of this process are recorded in memory (some 3 MB at most). Drop
/// it to end it. Used by the thread of its connection.
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
    /// Reads the version from which changes are told, for the values that were there before. It
    /// must not be refreshed, nor written with.
    ///
    /// It pins that version: until ``advance()`` its space is not reused.
    public let previous: Connection
    /// The version up to which everything has been told.
    public private(set) var version: UInt64

    private let identity: UInt64

    fileprivate init(_ connection: Connection) throws {
        self.connection = connection
        previous = try Connection(readingLike: connection)
        version = connection.version
        identity = connection.database.changeLog.register(at: version)
    }

    deinit {
        // In a forked child the log is the parent's, and its lock may be held for ever.
        if connection.database.coordinator.isForked { return }
        connection.database.changeLog.unregister(identity)
    }

    /// What happened between ``version`` and the connection's version. The connection must be
    /// reading; in a write transaction, ask before its first change.
    ///
    /// Comes from the records of the transactions, at a cost in proportion to what they did, or, if
    /// other processes wrote or records are missing, from comparing the versions.
    ///
    /// - Throws: `.damaged`, `.fileAccess`.
    public func changes() throws -> ChangeSet {
        guard let transactions = transactions(after: version, through: connection.version) else {
            return try connection.changes(since: previous)
        }
        return transactions.reduce(into: ChangeSet()) { $0.append($1.changes) }
    }

    /// The transactions after version `old` up to `new`, which tell who did what; nil if one of
    /// them is not recorded. Versions before ``version`` are not kept.
    public func transactions(after old: UInt64, through new: UInt64) -> [RecordedTransaction]? {
        connection.database.changeLog.transactions(after: old, through: new)
    }

    /// Everything up to the connection's version has been told.
    ///
    /// - Throws: `.damaged`, `.fileAccess`.
    public func advance() throws {
        try previous.read(like: connection)
        version = connection.version
        connection.database.changeLog.move(identity, to: version)
    }
}

extension Connection {
    /// Begins to observe what changes after the version that this connection sees.
    ///
    /// - Throws: `.tooManyReaders`, for it pins a version; `.damaged`, `.fileAccess`.
    public func observeChanges() throws -> ChangeObservation { try ChangeObservation(self) }
}
