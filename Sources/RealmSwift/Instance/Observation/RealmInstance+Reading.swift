import StorageEngine

extension RealmInstance {
    /// Returns another Realm of the file, with a connection of its own, that shows what `current`
    /// reads. Whoever has it may use it, in one thread at a time.
    func reader(of current: Connection) throws -> RealmInstance {
        RealmInstance(
            configuration: configuration, path: path, schema: schema,
            connection: try Connection(readingLike: current), confinement: .guarded)
    }

    /// Returns another Realm, for the caller, that shows this one without the changes of its open
    /// write transaction.
    func snapshot() throws -> RealmInstance {
        try reader(of: isWriting ? Connection(connection.database) : connection)
    }
}
