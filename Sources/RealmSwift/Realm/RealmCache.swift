import Foundation
import StorageEngine

/// The Realm instances of the process, by thread. Keeps none of them alive.
///
/// An entry is a bare pointer, not a weak reference: a weak reference would move the instance's
/// reference counts to a side table, and every accessor that is made or dropped counts. That is
/// safe for two reasons:
/// 1. An instance takes its entry out, under the lock, before its memory goes. So a pointer that is
///    found under the lock points to an instance, though perhaps to one whose last reference has
///    just gone on another thread.
/// 2. A reference is taken under the lock by counting first and looking afterwards; see
///    `ReferenceCounts.retainUnlessDeallocating`.
///
/// References taken are dropped outside the lock, because dropping the last one enters it.
///
/// A forked child begins with none: the instances of its parent are of no use to it, and a thread
/// of its own may have the identity of one of the parent's.
enum RealmCache {
    /// Sendable because instances are looked into by their own thread only; other threads read
    /// the settings beside the pointer.
    private struct Entry: @unchecked Sendable {
        let instance: Unmanaged<RealmInstance>
        let path: String
        let readOnly: Bool
        let isInMemory: Bool
        let encryptionKey: Data?

        /// Nil if the last reference has gone.
        var retainedInstance: RealmInstance? {
            ReferenceCounts.retainUnlessDeallocating(instance)
                ? instance.takeRetainedValue() : nil
        }
    }

    private static let entriesOfProcess = ProcessLocal { Locked<[UInt: [Entry]]>([:]) }
    private static var entries: Locked<[UInt: [Entry]]> { entriesOfProcess.value }

    /// The instance of this thread, opened now if there is none.
    static func instance(for configuration: Realm.Configuration) throws -> RealmInstance {
        let path = try configuration.path
        if configuration.fileURL != nil, configuration.durability == .memoryOnly {
            stop("Cannot set `durability` to `memoryOnly` when `fileURL` is set.")
        }
        requireCompatible(configuration, path)
        let schema = SchemaModel.of(configuration)
        let present = instancesOfThread(at: path)
        if let known = present.first(where: { $0.suits(configuration, schema) }) { return known }
        let database = try RealmInstance.openDatabase(configuration, path: path)
        // The thread may have it under another path, such as that of a symbolic link.
        let known = instancesOfThread().first {
            $0.connection.database === database && $0.suits(configuration, schema)
        }
        let instance =
            try known
            ?? RealmInstance.open(database, configuration, path: path, schema: schema)
        add(instance, configuration, path)
        return instance
    }

    /// Whether an instance of this thread is in a write transaction on a database.
    static func isWriting(to database: Database) -> Bool {
        instancesOfThread().contains { $0.isWriting && $0.connection.database === database }
    }

    /// Whether an error comes from a write transaction that is open on this thread. That has failed
    /// then.
    static func isFailureOfTransaction(_ error: any Error) -> Bool {
        guard let error = error as? StorageError else { return false }
        return instancesOfThread().contains {
            $0.connection.database.path == error.path && $0.hasFailed(with: error)
        }
    }

    /// The instance whose write transaction, on this thread, has failed; nil if none has.
    static var failedInstance: RealmInstance? {
        instancesOfThread().first { $0.isInFailedTransaction }
    }

    // MARK: Entries

    private static func instancesOfThread() -> [RealmInstance] {
        let thread = currentThread()
        return entries.withLock { $0[thread]?.compactMap(\.retainedInstance) ?? [] }
    }

    private static func instancesOfThread(at path: String) -> [RealmInstance] {
        let thread = currentThread()
        return entries.withLock { entries in
            entries[thread]?.filter { $0.path.hasSameBytes(as: path) }
                .compactMap(\.retainedInstance) ?? []
        }
    }

    /// `path`: by which it was asked for. An instance has an entry for each path.
    private static func add(
        _ instance: RealmInstance, _ configuration: Realm.Configuration, _ path: String
    ) {
        ThreadEnd.notify(of: currentThread())
        let entry = Entry(
            instance: .passUnretained(instance), path: path,
            readOnly: configuration.readOnly,
            isInMemory: configuration.inMemoryIdentifier != nil,
            encryptionKey: configuration.encryptionKey)
        let thread = instance.thread
        entries.withLock { $0[thread, default: []].append(entry) }
    }

    /// Called by the instance's deinitialiser, on whichever thread it runs.
    static func remove(_ instance: RealmInstance) {
        let address = Unmanaged.passUnretained(instance).toOpaque()
        let thread = instance.thread
        entries.withLock { entries in
            entries[thread]?.removeAll { $0.instance.toOpaque() == address }
            if entries[thread]?.isEmpty == true { entries[thread] = nil }
        }
    }

    /// Called by a thread before it ends. Its identity may become another thread's, which must not
    /// be given its instances, nor be allowed to use what still refers to them.
    fileprivate static func threadDidEnd() {
        let instances = instancesOfThread()
        let thread = currentThread()
        entries.withLock { $0[thread] = nil }
        for instance in instances { instance.threadDidEnd() }
    }

    /// Stops if the file is open with settings that exclude each other.
    private static func requireCompatible(
        _ configuration: Realm.Configuration, _ path: String
    ) {
        let isInMemory = configuration.inMemoryIdentifier != nil
        let conflict: String? = entries.withLock { entries in
            for entry in entries.values.joined() where entry.path.hasSameBytes(as: path) {
                if entry.readOnly != configuration.readOnly { return "read permissions" }
                if entry.isInMemory != isInMemory { return "inMemory settings" }
                if !isInMemory, entry.encryptionKey != configuration.encryptionKey {
                    return "encryption key"
                }
            }
            return nil
        }
        if let conflict {
            stop("Realm at path '\(path)' already opened with different \(conflict)")
        }
    }
}

/// Calls `RealmCache` when a thread ends that has opened a Realm.
private enum ThreadEnd {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { _ in RealmCache.threadDidEnd() }
        if code != 0 { stop("No thread-specific data is left (error \(code)).") }
        return key
    }()

    /// The calling thread's identity serves as the value, because a key without one is passed over.
    static func notify(of thread: UInt) {
        let code = pthread_setspecific(key, UnsafeRawPointer(bitPattern: thread))
        if code != 0 { stop("Thread-specific data cannot be set (error \(code)).") }
    }
}
