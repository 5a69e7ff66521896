import CRealmSystem
import Glibc
import StorageEngine
import Synchronization

/// What the instance of a frozen Realm has in place of what a live one keeps for its thread.
///
/// Any number of threads read a frozen Realm at the same time, without a lock. So whatever they
/// reach is complete before another thread can reach it: the connection has loaded the roots of all
/// trees, and an object is placed in its row when it is made. What is made on the way, such as the
/// classes here, is published as a whole.
final class FrozenState: Sendable {
    /// The model classes that were used so far.
    let classes = Published<[ObjectIdentifier: ManagedClass]>()
    /// The classes of ``DynamicObject``s that were used so far, by name.
    let dynamicClasses = Published<[String: ManagedClass]>()
    /// Of all classes: nothing is ever cancelled.
    // Unchecked because nothing is noted there.
    nonisolated(unsafe) let cancelledKeys = CancelledKeys()
    /// The layout stamp of the connection, which never changes; 0, which is never one, once
    /// everything that was read from the Realm is invalidated. That is found out by this word
    /// alone, because other threads may be reading.
    // Unchecked because it is read and written atomically.
    nonisolated(unsafe) let stamp: UnsafeMutablePointer<UInt64>
    /// Never reused, unlike the address of the instance.
    private let identity = FrozenState.lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue
    private static let lastIdentity = Atomic<UInt64>(0)

    /// Makes the state of a frozen Realm, whose connection is complete.
    init(_ connection: Connection) {
        stamp = .allocate(capacity: 1)
        stamp.initialize(to: connection.layoutStamp.pointee)
    }

    deinit { stamp.deallocate() }

    var isInvalidated: Bool { realm_load_acquire_64(stamp) == 0 }

    func invalidate() { realm_store_release_64(stamp, 0) }

    /// Memory of the calling thread for values on their way to the engine.
    func scratch(of realm: RealmInstance) -> _Scratch {
        ThreadScratches.current.scratch(identity, of: realm)
    }
}

/// The scratch memory of one thread for the frozen Realms that it used last.
private final class ThreadScratches {
    private var entries: [(identity: UInt64, scratch: _Scratch)] = []
    /// More Realms are not used at a time, by code that encodes values of its own within another
    /// search.
    private static let maximumCount = 4
    /// For what is sought: one value at a time.
    private static let byteCount = 1 << 10

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { content in
            if let content { Unmanaged<ThreadScratches>.fromOpaque(content).release() }
        }
        if code != 0 { stop("No thread-specific data is left (error \(code)).") }
        return key
    }()

    static var current: ThreadScratches {
        if let known = pthread_getspecific(key) {
            return Unmanaged<ThreadScratches>.fromOpaque(known).takeUnretainedValue()
        }
        let made = ThreadScratches()
        let code = pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        if code != 0 { stop("Thread-specific data cannot be set (error \(code)).") }
        return made
    }

    func scratch(_ identity: UInt64, of realm: RealmInstance) -> _Scratch {
        if let known = entries.first(where: { $0.identity == identity }) { return known.scratch }
        let scratch: _Scratch
        if entries.count == Self.maximumCount {
            scratch = entries.removeFirst().scratch
            scratch.adopt(realm)
        } else {
            scratch = _Scratch(realm: realm, byteCount: Self.byteCount)
        }
        entries.append((identity, scratch))
        return scratch
    }
}

/// The frozen Realms of the process. There is one for each version of a file and kind of live Realm
/// (``RealmInstance/canStandFor(_:)``), so that objects which different threads have frozen can be
/// equal.
///
/// Entries are bare pointers, which are safe for the reasons that ``RealmCache`` gives.
enum FrozenRealms {
    private struct Key: Hashable {
        let database: ObjectIdentifier
        let version: UInt64
    }

    // Unchecked because the instances of frozen Realms are used by all threads.
    private struct Entry: @unchecked Sendable {
        let instance: Unmanaged<RealmInstance>

        /// The instance with a new reference; nil if the last reference is already gone.
        var retainedInstance: RealmInstance? {
            ReferenceCounts.retainUnlessDeallocating(instance)
                ? instance.takeRetainedValue() : nil
        }
    }

    private static let entriesOfProcess = ProcessLocal { Locked<[Key: [Entry]]>([:]) }
    private static var entries: Locked<[Key: [Entry]]> { entriesOfProcess.value }

    /// Returns the frozen Realm of the version that a live one shows, which is being used by its
    /// thread.
    static func instance(of realm: RealmInstance) throws -> RealmInstance {
        let made = realm.frozen(try Connection(freezing: realm.connection))
        let key = key(of: made)
        // References are released outside of the lock, because the last one enters it.
        let known: [RealmInstance] = entries.withLock { entries in
            let known = (entries[key] ?? []).compactMap(\.retainedInstance)
            if known.contains(where: { $0.canStandFor(made) }) { return known }
            entries[key, default: []].append(Entry(instance: .passUnretained(made)))
            return known
        }
        return known.first { $0.canStandFor(made) } ?? made
    }

    /// Returns the frozen Realm of the version that a live one shows if there is one.
    static func existing(for realm: RealmInstance) -> RealmInstance? {
        let key = Key(
            database: ObjectIdentifier(realm.connection.database),
            version: realm.connection.version)
        let known = entries.withLock { ($0[key] ?? []).compactMap(\.retainedInstance) }
        return known.first { $0.canStandFor(realm) }
    }

    /// Removes an instance. Called by its deinitializer, on any thread.
    static func remove(_ instance: RealmInstance) {
        let address = Unmanaged.passUnretained(instance).toOpaque()
        let key = key(of: instance)
        entries.withLock { entries in
            entries[key]?.removeAll { $0.instance.toOpaque() == address }
            if entries[key]?.isEmpty == true { entries[key] = nil }
        }
    }

    private static func key(of instance: RealmInstance) -> Key {
        Key(
            database: ObjectIdentifier(instance.connection.database),
            version: instance.connection.version)
    }
}

extension RealmInstance {
    /// Returns the frozen Realm with this one's settings that reads with a connection.
    func frozen(_ connection: Connection) -> RealmInstance {
        RealmInstance(
            configuration: configuration, path: path, schema: schema, connection: connection,
            confinement: .everywhere, frozen: FrozenState(connection))
    }

    /// Whether this frozen Realm can be used where another one of its version was asked for: it has
    /// the same classes and settings. So what is frozen leads back to the Realm that froze it,
    /// whichever threads have frozen the version before.
    fileprivate func canStandFor(_ other: RealmInstance) -> Bool {
        frozen?.isInvalidated == false && suits(other.configuration, other.schema)
            && other.schema.covers(schema) && path.hasSameBytes(as: other.path)
            && configuration.maximumNumberOfActiveVersions
                == other.configuration.maximumNumberOfActiveVersions
    }
}
