import StorageEngine

/// A property wrapper that makes an object or collection available to all threads.
///
/// Each read returns the object or collection as the Realm of the reader sees it, which may be a
/// newer version: the Realm of the actor to which the reader is isolated, if one is open, else that
/// of its queue, else that of its thread. The result is nil if the object or collection was
/// deleted, or if the file was moved or removed.
///
/// ```swift
/// @ThreadSafe var person: Person? = realm.objects(Person.self).first
/// queue.async { print(person?.name ?? "deleted") }
/// ```
/// The wrapper keeps the Realm of its value open.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    // Unchecked because the value is confined: other threads only read what never changes of it.
    private struct Content: @unchecked Sendable {
        let value: T
        let database: Database
        let configuration: Realm.Configuration
        let version: UInt64
    }

    private let content: Locked<Content?>

    /// Creates the wrapper of a value.
    ///
    /// - Precondition: The value is nil or managed.
    public init(wrappedValue: T?) { content = Locked(Self.content(of: wrappedValue)) }

    /// The object or collection, in the Realm of the caller. If a Realm has to be opened and cannot
    /// be, the program stops.
    public var wrappedValue: T? {
        get {
            guard let content = content.withLock({ $0 }) else { return nil }
            let found = attempt {
                try RealmCache.instanceHere(of: content.database, for: content.configuration)
            }
            guard let instance = found else { return nil }
            instance.resumeReading()
            attempt { try instance.catchUp(with: content.version) }
            return content.value._counterpart(in: Realm(instance: instance))
        }
        set {
            let new = Self.content(of: newValue)
            content.withLock { $0 = new }
        }
    }

    private static func content(of value: T?) -> Content? {
        guard let value else { return nil }
        guard let instance = value.realm?.instance else {
            stop("Only managed objects may be wrapped as thread safe.")
        }
        instance.checkThread()
        instance.resumeReading()
        instance.settle()
        return Content(
            value: value, database: instance.connection.database,
            configuration: instance.configuration,
            version: instance.connection.version)
    }
}
