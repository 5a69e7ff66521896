import Foundation
import StorageEngine

/// The Realm instances of the process, by confinement. The cache keeps no instance alive.
///
/// An entry is a bare pointer, not a weak reference. A weak reference would move the reference
/// counts of the instance to a side table, and creating or releasing an accessor changes these
/// counts. A bare pointer is safe for two reasons:
/// 1. An instance removes its entry, under the lock, before its memory is freed. A pointer found
///    under the lock therefore points to an instance, although another thread may have just
///    released the last reference to it.
/// 2. A reference is taken under the lock by incrementing the count first and checking afterwards;
///    see `ReferenceCounts.retainUnlessDeallocating`.
///
/// References taken under the lock are released outside of it, because releasing the last one
/// enters the lock. Only instances of the caller, or of the database in question, are referenced:
/// an instance whose last user has gone would otherwise stay open for a moment, and its user be
/// refused a migration.
///
/// The cache of a forked child starts empty. A child cannot use the instances of its parent, and
/// one of its threads can have the same identity as a thread of the parent.
enum RealmCache {
    /// Sendable because only the thread of an instance accesses it through the pointer. Other
    /// threads read the settings stored beside the pointer.
    private struct Entry: @unchecked Sendable {
        let instance: Unmanaged<RealmInstance>
        /// The database of the instance, which lives as long as the entry.
        let database: ObjectIdentifier
        let path: String
        let readOnly: Bool
        let isInMemory: Bool
        let encryptionKey: Data?
        /// The actor to which the instance is confined, if it is to one.
        let actor: ActorMark?

        /// The instance with a new reference; nil if the last reference is already gone.
        var retainedInstance: RealmInstance? {
            ReferenceCounts.retainUnlessDeallocating(instance)
                ? instance.takeRetainedValue() : nil
        }

        /// What the settings of a configuration for the same file contradict; nil if nothing.
        func conflict(with configuration: Realm.Configuration) -> String? {
            if readOnly != configuration.readOnly { return "read permissions" }
            if isInMemory != (configuration.inMemoryIdentifier != nil) {
                return "inMemory settings"
            }
            if !isInMemory, encryptionKey != configuration.encryptionKey {
                return "encryption key"
            }
            return nil
        }
    }

    private struct Entries {
        var byConfinement: [ConfinementKey: [Entry]] = [:]
        /// How many entries have been added so far.
        var additions = 0
        /// Whether there has been an entry of an actor. Otherwise none is looked for.
        var haveActors = false

        subscript(key: ConfinementKey) -> [Entry] {
            get { byConfinement[key] ?? [] }
            set { byConfinement[key] = newValue.isEmpty ? nil : newValue }
        }
    }

    private static let entriesOfProcess = ProcessLocal { Locked(Entries()) }
    private static var entries: Locked<Entries> { entriesOfProcess.value }

    /// Returns the instance of a confinement for a configuration, and opens one if there is none.
    /// The caller must be where the instance is confined, or must only hand the instance over to
    /// there.
    ///
    /// - Throws: An error if the file cannot be opened or does not fit the classes.
    static func instance(
        for configuration: Realm.Configuration, confinedTo confinement: Confinement = .current
    ) throws -> RealmInstance {
        let path = try configuration.path
        if configuration.fileURL != nil, configuration.durability == .memoryOnly {
            stop("Cannot set `durability` to `memoryOnly` when `fileURL` is set.")
        }
        requireCompatible(configuration, path)
        let schema = SchemaModel.of(configuration)
        func present() -> (RealmInstance?, additions: Int) {
            let (present, additions) = instances(of: confinement.key, at: path)
            return (present.first { $0.suits(configuration, schema) }, additions)
        }
        var (known, additions) = present()
        if let known { return known }
        requireCompatibleOfOtherPaths(configuration, path)
        let instance = try open(
            configuration, path: path, storing: schema, confinedTo: confinement)
        // Meanwhile another thread may have opened one for the same actor or queue.
        while !add(instance, configuration, path: path, after: additions) {
            (known, additions) = present()
            if let known { return known }
        }
        return instance
    }

    private static func open(
        _ configuration: Realm.Configuration, path: String, storing schema: SchemaModel,
        confinedTo confinement: Confinement
    ) throws -> RealmInstance {
        var opening = configuration
        func open(_ identifier: inout UInt64?) throws -> RealmInstance {
            let database = try RealmInstance.openDatabase(opening, path: path)
            identifier = database.identifier
            // The file may have been opened under another path, such as a symbolic link.
            let linked = instances(of: confinement.key).first {
                $0.connection.database === database && $0.suits(configuration, schema)
            }
            return try linked
                ?? RealmInstance.open(
                    database, configuration, path: path, schema: schema, confinement: confinement)
        }
        var identifier: UInt64?
        guard configuration.deleteRealmIfMigrationNeeded else { return try open(&identifier) }
        return try RealmInstance.launchLock.value.withLock {
            var wasInUse = false
            while true {
                do { return try open(&identifier) } catch is NeedsMigration {}
                // Here nothing of this call has the file open. The seed might need a migration
                // too.
                opening.seed = nil
                do {
                    try removeOutdated(path, identifier)
                } catch let error as Realm.Error where error.code == .alreadyOpen && !wasInUse {
                    // Another process may have made it anew after this call has looked at it.
                    wasInUse = true
                }
            }
        }
    }

    /// Deletes a file that needs a migration, unless another one has taken its place meanwhile.
    private static func removeOutdated(_ path: String, _ identifier: UInt64?) throws {
        if isOpen(path: path) {
            throw Realm.Error(
                .alreadyOpen, path: path,
                message: "The Realm at path '\(path)' needs a migration and cannot be deleted, "
                    + "because it is open.")
        }
        do {
            _ = try Database.remove(path: path, ifIdentifiedAs: identifier)
        } catch { throw Realm.Error(deleting: error) }
    }

    /// Returns an instance of a database that the caller can use: that of the actor to which it is
    /// isolated, else that of its queue, else that of its thread, which is opened if there is none.
    /// The result is nil if one would have to be opened, and the path of the database leads to it
    /// no more.
    ///
    /// - Parameter needed: The classes that an instance must have which is there; nil for those of
    ///   the configuration.
    static func instanceHere(
        of database: Database, for configuration: Realm.Configuration,
        with needed: [ManagedClass]? = nil
    ) throws -> RealmInstance? {
        let schema = SchemaModel.of(configuration)
        let present = instancesHere().filter { $0.connection.database === database }
        if let known = present.last(where: { $0.suits(configuration, schema) }) { return known }
        if let needed, let known = present.last(where: { needed.allSatisfy($0.stores) }) {
            return known
        }
        return try instance(of: database, for: configuration, confinedTo: .current)
    }

    /// Returns the instance of a confinement for a database, and opens one if there is none; nil if
    /// the path of the database leads to it no more.
    static func instance(
        of database: Database, for configuration: Realm.Configuration,
        confinedTo confinement: Confinement
    ) throws -> RealmInstance? {
        // Opening would make a new file where none is.
        if database.hasLeftItsPath { return nil }
        let opened = try instance(for: configuration, confinedTo: confinement)
        return opened.connection.database === database ? opened : nil
    }

    /// Returns whether an instance of this thread is in a write transaction on a database.
    static func isWriting(to database: Database) -> Bool {
        instancesHere().contains { $0.isWriting && $0.connection.database === database }
    }

    /// Returns whether a Realm of this process shows a database.
    static func isOpen(_ database: Database) -> Bool {
        let instances = entries.withLock { entries in
            entries.byConfinement.values.joined().filter {
                $0.database == ObjectIdentifier(database)
            }
            .compactMap(\.retainedInstance)
        }
        return !instances.isEmpty
    }

    /// Returns whether a Realm of this process was opened under a path.
    static func isOpen(path: String) -> Bool {
        entries.withLock { entries in
            entries.byConfinement.values.joined().contains { $0.path.hasSameBytes(as: path) }
        }
    }

    /// Adds the instance that shows an open transaction to a migration. `remove` removes it.
    static func addMigrating(_ instance: RealmInstance) {
        while true {
            let additions = entries.withLock { $0.additions }
            let isAdded = add(
                instance, instance.configuration, path: instance.path, after: additions)
            if isAdded { return }
        }
    }

    /// Returns whether an error comes from a write transaction that is open on this thread. If so,
    /// that transaction is marked as failed.
    static func isFailureOfTransaction(_ error: any Error) -> Bool {
        guard let error = error as? StorageError else { return false }
        return instancesHere().contains {
            $0.connection.database.path == error.path && $0.hasFailed(with: error)
        }
    }

    /// The instance of this thread whose write transaction has failed; nil if there is none.
    static var failedInstance: RealmInstance? {
        instancesHere().first { $0.isInFailedTransaction }
    }

    // MARK: Entries

    /// The instances that the caller can use: those of its thread first, then those of its queue,
    /// then those of its actor.
    private static func instancesHere() -> [RealmInstance] {
        var own = instances(of: Confinement.current.key)
        if let key = Confinement.currentQueueKey { own += instances(of: key) }
        // Unlike `+`, this makes no new array if there are none.
        own += instancesOfActor()
        return own
    }

    /// The instances of the actor to which the caller is isolated.
    private static func instancesOfActor() -> [RealmInstance] {
        entries.withLock { entries in
            if !entries.haveActors { return [] }
            return entries.byConfinement.values.joined().filter { $0.actor?.isCurrent == true }
                .compactMap(\.retainedInstance)
        }
    }

    private static func instances(of key: ConfinementKey) -> [RealmInstance] {
        entries.withLock { $0[key].compactMap(\.retainedInstance) }
    }

    private static func instances(
        of key: ConfinementKey, at path: String
    ) -> (instances: [RealmInstance], additions: Int) {
        entries.withLock { entries in
            let found = entries[key].filter { $0.path.hasSameBytes(as: path) }
            return (found.compactMap(\.retainedInstance), entries.additions)
        }
    }

    /// Adds an entry. An instance has one entry for each path under which it was opened. Returns
    /// false, and adds none, if there have been other additions.
    private static func add(
        _ instance: RealmInstance, _ configuration: Realm.Configuration, path: String,
        after additions: Int
    ) -> Bool {
        let confinement = instance.confinement
        var actor: ActorMark?
        if case .actor(let mark) = confinement { actor = mark }
        if case .thread = confinement { ThreadEnd.notify(of: currentThread()) }
        let entry = Entry(
            instance: .passUnretained(instance),
            database: ObjectIdentifier(instance.connection.database), path: path,
            readOnly: configuration.readOnly,
            isInMemory: configuration.inMemoryIdentifier != nil,
            encryptionKey: configuration.encryptionKey, actor: actor)
        return entries.withLock { entries in
            if entries.additions != additions { return false }
            entries.additions += 1
            if actor != nil { entries.haveActors = true }
            entries[confinement.key].append(entry)
            return true
        }
    }

    /// Removes the entries of an instance. Called by its deinitializer, on any thread.
    static func remove(_ instance: RealmInstance) {
        let address = Unmanaged.passUnretained(instance).toOpaque()
        let key = instance.confinement.key
        entries.withLock { $0[key].removeAll { $0.instance.toOpaque() == address } }
    }

    /// Invalidates the instances of the calling thread before the thread ends.
    ///
    /// Its identity can be reused by another thread, which must neither receive these instances nor
    /// use objects that still refer to them.
    fileprivate static func threadDidEnd() {
        let key = ConfinementKey.thread(currentThread())
        let instances = instances(of: key)
        entries.withLock { $0[key] = [] }
        for instance in instances { instance.threadDidEnd() }
        RunLoopWork.threadDidEnd()
    }

    /// Stops the program if the file is open with conflicting settings.
    private static func requireCompatible(
        _ configuration: Realm.Configuration, _ path: String
    ) {
        let conflict = entries.withLock { entries in
            entries.byConfinement.values.joined().lazy.filter { $0.path.hasSameBytes(as: path) }
                .compactMap { $0.conflict(with: configuration) }.first
        }
        if let conflict { stopForConflict(conflict, path) }
    }

    /// The same for a file that is open under another path, such as a symbolic link.
    private static func requireCompatibleOfOtherPaths(
        _ configuration: Realm.Configuration, _ path: String
    ) {
        let databases = Database.opened(at: path)
        if databases.isEmpty { return }
        let identities = databases.map(ObjectIdentifier.init)
        let others = entries.withLock { entries in
            entries.byConfinement.values.joined().filter { identities.contains($0.database) }
                .compactMap { entry in
                    entry.conflict(with: configuration).flatMap { conflict in
                        entry.retainedInstance.map { (instance: $0, conflict: conflict) }
                    }
                }
        }
        if let conflict = others.first?.conflict { stopForConflict(conflict, path) }
    }

    private static func stopForConflict(_ conflict: String, _ path: String) -> Never {
        stop("Realm at path '\(path)' already opened with different \(conflict)")
    }
}

/// A hook that notifies `RealmCache` when a thread that has opened a Realm ends.
private enum ThreadEnd {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { _ in RealmCache.threadDidEnd() }
        if code != 0 { stop("No thread-specific data is left (error \(code)).") }
        return key
    }()

    /// Registers the calling thread. The value must not be null, because the destructor is not
    /// called for a null value; the identity of the thread serves as one.
    static func notify(of thread: UInt) {
        let code = pthread_setspecific(key, UnsafeRawPointer(bitPattern: thread))
        if code != 0 { stop("Thread-specific data cannot be set (error \(code)).") }
    }
}
