import Foundation
import StorageEngine

/// A database of objects, as one thread sees it.
///
/// A Realm shows one version of the data until ``refresh()``, or the beginning of a write
/// transaction, moves it to the newest. It may be used on the thread that opened it only, and so
/// may the objects and collections obtained from it; anything else stops the program. Opening the
/// same file again on the same thread gives an equal Realm and costs little, so Realms need not be
/// kept: the file is closed with the last reference to a Realm, object or collection, but not
/// within a write transaction.
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
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes.
    public init() throws { try self.init(configuration: .defaultConfiguration) }

    /// Opens the Realm that a configuration describes, creating the file if there is none.
    ///
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes.
    public init(configuration: Configuration) throws {
        do { instance = try RealmCache.instance(for: configuration) } catch {
            throw Error.of(error)
        }
    }

    /// Opens the file at `fileURL`, otherwise as the default configuration says.
    ///
    /// - Throws: ``Realm/Error`` if the file cannot be opened or does not fit the classes.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// The classes that this Realm stores.
    public var schema: Schema { Schema(model: instance.schema) }

    /// The configuration in effect, including the classes found by discovery.
    public var configuration: Configuration { instance.configuration }

    // MARK: Reading

    /// All objects of a class. Objects of its subclasses are not among them.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let isDecoded = !(type is ObjectBase.Type)
        let managedClass = instance.managedClass(forFetching: type._fetchedClass)
        return Results(query: ResultsQuery(managedClass, isDecoded: isDecoded))
    }

    /// The object with the given primary key; nil if there is none.
    ///
    /// A key that does not fit the class's primary key, or a class without one, stops the program.
    @inlinable
    public func object<Element: Object, KeyType>(
        ofType type: Element.Type, forPrimaryKey key: KeyType
    ) -> Element? {
        // The casts vanish where the type of the key is known. They spare the usual keys the way
        // through existential values.
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

    /// Whether the Realm holds no object of any of its classes.
    public var isEmpty: Bool {
        instance.checkThread()
        return instance.schema.classes.allSatisfy { model in
            guard let table = instance.managedClass(for: model.type).table else { return true }
            instance.resumeReading()
            return attempt { try table.count() } == 0
        }
    }

    /// Moves the Realm to the newest version. Returns whether there was a newer one; inside a
    /// write transaction there is none.
    @discardableResult
    public func refresh() -> Bool { attempt { try instance.refresh() } }

    /// Gives up the version that the Realm shows, and invalidates all objects and collections
    /// obtained from it. A write transaction under way is cancelled. The Realm itself can go on
    /// being used: it reads the newest version.
    public func invalidate() { instance.invalidate() }
}

extension Realm: Equatable {
    /// Whether both are the same Realm on the same thread.
    public static func == (left: Realm, right: Realm) -> Bool { left.instance === right.instance }
}

extension RealmInstance {
    func managedClass(forFetching type: ObjectBase.Type) -> ManagedClass {
        checkThread()
        resumeReading()
        return managedClass(for: type)
    }
}
