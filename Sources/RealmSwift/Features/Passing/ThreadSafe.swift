import StorageEngine

/// A property wrapper that makes an object or collection available to all threads.
///
/// Each read returns the object or collection as a Realm of the reading thread sees it, which may
/// be a newer version; nil if it was deleted.
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
        let configuration: Realm.Configuration
        let version: UInt64
    }

    private let content: Locked<Content?>

    /// Creates the wrapper of a value.
    ///
    /// - Precondition: The value is nil or managed.
    public init(wrappedValue: T?) { content = Locked(Self.content(of: wrappedValue)) }

    /// The object or collection, in a Realm of the calling thread. Opening a Realm that fails stops
    /// the program.
    public var wrappedValue: T? {
        get {
            guard let content = content.withLock({ $0 }) else { return nil }
            let instance = attempt {
                try RealmCache.instance(for: content.configuration)
            }
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
        attempt { try instance.connection.waitUntilPublished() }
        return Content(
            value: value, configuration: instance.configuration,
            version: instance.connection.version)
    }
}
