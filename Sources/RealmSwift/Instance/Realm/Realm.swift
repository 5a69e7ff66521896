import Foundation
import StorageEngine

/// A database of objects, as seen by one thread, by the blocks of one serial queue, or by an actor.
///
/// A Realm shows one version of the data until it moves to the newest version: with ``refresh()``,
/// at the beginning of a write transaction, or by itself (``autorefresh``). A Realm, and the
/// objects and collections obtained from it, can be used only on the thread, queue or actor that it
/// was opened for. Use elsewhere stops the program.
///
/// Opening the same file again on the same thread returns an equal Realm and is cheap, so there is
/// no need to keep Realms. The file is closed with the last reference to a Realm, object or
/// collection, but not during a write transaction.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write { realm.add(Dog(value: ["name": "Rex", "age": 3])) }
/// let dogs = realm.objects(Dog.self)
/// ```
public struct Realm {
    let instance: RealmInstance

    init(instance: RealmInstance) { self.instance = instance }

    /// Opens the Realm of the default configuration.
    ///
    /// - Parameter queue: The serial queue whose blocks use the Realm; nil for the thread that
    ///   opens it. The Realm must be opened on the queue.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens the Realm of a configuration, and creates the file if it does not exist.
    ///
    /// In an asynchronous function, `Realm(configuration:)` is
    /// ``init(configuration:downloadBeforeOpen:)``, which opens the Realm of the main actor. A task
    /// may go on on another thread after each `await`; open the Realm of a thread in a synchronous
    /// function.
    ///
    /// - Parameters:
    ///   - configuration: The file, and how to open it.
    ///   - queue: The serial queue whose blocks use the Realm; nil for the thread that opens it.
    ///     The Realm must be opened on the queue.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        let confinement = queue.map(Confinement.of) ?? .current
        if !confinement.isCurrent { stop("Realm opened from incorrect dispatch queue.") }
        do {
            instance = try RealmCache.instance(for: configuration, confinedTo: confinement)
        } catch {
            throw Error.of(error)
        }
    }

    /// Opens the file at `fileURL`, with the other settings of the default configuration.
    ///
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes.
    /// - Precondition: The settings do not conflict with each other, nor with those of the same
    ///   file if it is already open in this process.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// The classes that this Realm stores.
    public var schema: Schema { instance.schema.publicSchema }

    /// The configuration in effect, including the classes found by discovery.
    public var configuration: Configuration { instance.configuration }

    // MARK: Reading

    /// Returns the object with the given primary key; nil if there is none.
    ///
    /// - Precondition: The class has a primary key, and the type of the given key matches it.
    @inlinable
    public func object<Element: Object, KeyType>(
        ofType type: Element.Type, forPrimaryKey key: KeyType
    ) -> Element? {
        // The compiler removes the casts where the type of the key is known. Keys of the common
        // types thus avoid existential values.
        let found: ObjectBase?
        if let key = key as? Int {
            found = _object(type, withIntegerKey: key)
        } else if let key = key as? String {
            found = _object(type, withStringKey: key)
        } else {
            found = _object(type, withKey: key)
        }
        guard let found else { return nil }
        return unsafeDowncast(found, to: type)
    }

    /// A Boolean value that indicates whether the Realm holds no objects.
    public var isEmpty: Bool {
        instance.checkThread()
        return instance.schema.classes.allSatisfy { model in
            guard let table = instance.managedClass(for: model.type).table else { return true }
            instance.resumeReading()
            return attempt { try table.count() } == 0
        }
    }

    /// Moves the Realm to the newest version.
    ///
    /// - Returns: Whether there was a newer version. The result is always false in a write
    ///   transaction.
    /// - Precondition: The Realm is not read-only.
    @discardableResult
    public func refresh() -> Bool { attempt { try instance.refresh() } }

    /// Releases the version that the Realm shows, and invalidates all objects and collections
    /// obtained from it.
    ///
    /// An open write transaction is cancelled. The Realm itself stays usable: its next read sees
    /// the newest version.
    ///
    /// A frozen Realm is not usable any more, on any thread. Threads that froze the same version on
    /// their own share it, so it ends for them as well; freezing again gives another one. Its
    /// version is released with the last reference.
    public func invalidate() { instance.invalidate() }
}

extension Realm: Equatable {
    /// Returns a Boolean value that indicates whether both are the same Realm on the same thread.
    public static func == (left: Realm, right: Realm) -> Bool { left.instance === right.instance }
}

extension RealmInstance {
    func managedClass(forFetching type: ObjectBase.Type) -> ManagedClass {
        checkThread()
        resumeReading()
        return managedClass(for: type)
    }
}
