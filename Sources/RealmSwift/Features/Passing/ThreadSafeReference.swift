import StorageEngine

/// A reference to an object or collection that can be passed to another thread, queue or actor.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///     let realm = try! Realm(configuration: configuration, queue: queue)
///     guard let person = realm.resolve(reference) else { return }   // it was deleted
///     try! realm.write { person.name = "Jane" }
/// }
/// ```
/// A reference can be resolved once. Until then, or until it is released, it pins the version that
/// its Realm showed when it was made. Copies share this.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    fileprivate let box: ReferenceBox<Confined>

    /// Creates a reference to an object or collection. Must be called where its Realm is confined.
    ///
    /// - Precondition: The object or collection is managed, and neither deleted nor invalidated.
    public init(to threadConfined: Confined) {
        guard let instance = threadConfined.realm?.instance else {
            stop(
                "Cannot construct reference to unmanaged object, which can be passed across "
                    + "threads directly")
        }
        instance.checkThread()
        if threadConfined.isInvalidated {
            stop("Cannot construct reference to invalidated object")
        }
        box = ReferenceBox(threadConfined, in: instance)
    }

    /// A Boolean value that indicates whether the reference was resolved.
    public var isInvalidated: Bool { box.isResolved }
}

extension Realm {
    /// Returns the object or collection of a reference in this Realm; nil if it was deleted, or if
    /// it belongs to another file.
    ///
    /// If this Realm shows an older version than the reference, it moves to the newest one.
    ///
    /// - Precondition: The reference was not resolved before.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        instance.checkThread()
        instance.resumeReading()
        return reference.box.resolve(in: self)
    }
}

/// What the copies of a reference share.
private final class ReferenceBox<Confined: ThreadConfined>: Sendable {
    // Unchecked because the referent is confined: other threads only read what never changes of it
    // (which class, key, column or query it stands for).
    private struct Content: @unchecked Sendable {
        let referent: Confined
        /// Reads the version that the Realm showed, which it pins.
        let version: Connection
    }

    private let content: Locked<Content?>

    init(_ referent: Confined, in instance: RealmInstance) {
        instance.resumeReading()
        let version = attempt { try instance.settledConnection() }
        content = Locked(Content(referent: referent, version: version))
    }

    var isResolved: Bool { content.withLock { $0 == nil } }

    func resolve(in realm: Realm) -> Confined? {
        let taken = content.withLock { content in
            defer { content = nil }
            return content
        }
        guard let taken else { stop("Can only resolve a thread safe reference once.") }
        let instance = realm.instance
        guard taken.version.database === instance.connection.database else { return nil }
        attempt { try instance.catchUp(with: taken.version.version) }
        return taken.referent._counterpart(in: realm)
    }
}
