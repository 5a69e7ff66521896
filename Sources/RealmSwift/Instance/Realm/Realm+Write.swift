import Foundation
import StorageEngine

extension Realm {
    /// The behavior of adding an object whose primary key already exists.
    public enum UpdatePolicy: Int, Sendable {
        /// The program stops.
        case error = 1
        /// The values that differ are written. Embedded objects are kept and updated in the same
        /// way, matched by position in lists and by key in maps.
        case modified = 3
        /// All given values are written.
        case all = 2
    }

    // MARK: Transactions

    /// Runs a function in a write transaction, and commits the transaction.
    ///
    /// This method waits while another thread or process writes. It returns once the transaction
    /// has the configured durability. If the block throws, the transaction is cancelled and the
    /// error is rethrown. If the block calls ``cancelWrite()``, nothing is written. Transactions
    /// cannot be nested.
    ///
    /// A failure of the environment inside the block, such as a full disk, does not stop the
    /// program. From the first failure on, the transaction behaves as follows:
    ///
    /// - Changes have no effect. Objects given to ``add(_:update:)-(Object,_)`` stay unmanaged,
    ///   and ``create(_:value:update:)`` returns unmanaged objects.
    /// - Reads see the version from before the transaction. Objects added in the transaction are
    ///   invalidated; they read as the defaults of their types, with empty collections. An element
    ///   that a collection no longer has reads as zero, nil or such an object.
    /// - At the end of the block the transaction is cancelled, and this method throws the error.
    ///
    /// - Parameters:
    ///   - tokens: Tokens of this Realm's observers that are not told of this transaction, because
    ///     the program has shown its changes already.
    ///   - block: The function.
    /// - Returns: The result of the block.
    /// - Throws: The error of the block, or ``Realm/Error`` if a change or the commit fails.
    /// - Precondition: The Realm is not read-only, and no write transaction on the same file is
    ///   open on this thread.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        do { try instance.beginWrite() } catch { throw Error.of(error) }
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction and moves the Realm to the newest version.
    ///
    /// This method waits while another thread or process writes. The transaction ends with
    /// ``commitWrite(withoutNotifying:)``, ``cancelWrite()``, ``invalidate()`` or the end of the
    /// thread. Until then other writers are locked out, and `Realm()` returns the same Realm on
    /// this thread, even if the program holds no reference to it.
    ///
    /// A failure of the file stops the program. Use ``write(withoutNotifying:_:)`` to handle
    /// failures.
    ///
    /// - Precondition: The Realm is not read-only, and no write transaction on the same file is
    ///   open on this thread.
    public func beginWrite() { attempt { try instance.beginWrite() } }

    /// Commits the write transaction, and returns once its changes are durable.
    ///
    /// - Parameter tokens: Tokens of this Realm's observers that are not told of this transaction,
    ///   because the program has shown its changes already. Tokens that have ended are ignored.
    /// - Throws: ``Realm/Error`` if the commit or an earlier change failed. The transaction then
    ///   has no effect, unless the message says that its outcome is unknown, or that it was
    ///   committed and only cannot be read.
    /// - Precondition: A write transaction is open.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        for token in tokens {
            // A token that stands for nothing any more belongs to no Realm.
            guard let observed = token.observedInstance, observed !== instance else { continue }
            stop("Incorrect Realm: only notifications for the Realm being modified can be skipped.")
        }
        do { try instance.commitWrite(withoutNotifying: tokens) } catch { throw Error.of(error) }
    }

    /// Cancels the write transaction and discards its changes.
    ///
    /// Objects that were added in the transaction become invalidated; they do not become unmanaged
    /// again. Objects that were deleted in it exist again, but instances that the deletion
    /// invalidated stay invalidated: fetch the objects again. There is one exception: an instance
    /// of an embedded object that was replaced by another one is valid again, unless it was
    /// accessed in the meantime.
    ///
    /// - Precondition: A write transaction is open.
    public func cancelWrite() { instance.cancelWrite() }

    /// A Boolean value that indicates whether a write transaction is open on this Realm.
    public var isInWriteTransaction: Bool {
        instance.checkThread()
        return instance.isWriting
    }

    // MARK: Adding

    /// Adds an unmanaged object and the unmanaged objects that it references. The instances become
    /// managed.
    ///
    /// An object that this Realm already manages is left unchanged.
    ///
    /// - Parameters:
    ///   - object: The object to add.
    ///   - update: The behavior if an object with the same primary key exists. The default stops
    ///     the program, and is the only valid value for a class without a primary key.
    /// - Precondition: A write transaction is open. The object was not deleted and is not managed
    ///   by another Realm.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        instance.requireWriting()
        if instance.isInFailedTransaction { return }
        if object._context != nil {
            requireAddable(object)
            return
        }
        requireCreatable(instance.managedClass(for: type(of: object)).model, update)
        _ = instance.addGraph(object, update: update)
    }

    /// Adds the objects of a sequence, each as ``add(_:update:)-(Object,_)`` does.
    public func add<S: Sequence>(
        _ objects: S, update: UpdatePolicy = .error
    ) where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Creates an object from a value and adds it.
    ///
    /// Unmanaged objects in the value are copied. Nil or `NSNull` for a list, set or map gives an
    /// empty collection. Properties without a given value get their defaults; when an existing
    /// object is updated, they keep their values.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - value: A dictionary with property names as keys, an array with values in the order of
    ///     the properties, or another object.
    ///   - update: The behavior if an object with the same primary key exists. The default stops
    ///     the program, and is the only valid value for a class without a primary key.
    /// - Precondition: A write transaction is open, and all values match the types of their
    ///   properties.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> T {
        instance.requireWriting()
        requireCreatable(instance.managedClass(for: type).model, update)
        let object = instance.create(type, from: value, update: update)
        return unsafeDowncast(object, to: type)
    }

    private func requireAddable(_ object: Object) {
        if object._realm === instance && !object.isInvalidated { return }
        if object._realm === instance {
            stop("Adding a deleted or invalidated object to a Realm is not permitted")
        }
        stop(
            "Object is already managed by another Realm. Use create instead to copy it into this "
                + "Realm.")
    }

    /// Stops the program if objects of the class cannot be created directly, or not with the update
    /// policy.
    func requireCreatable(_ model: ClassModel, _ update: UpdatePolicy) {
        if model.isEmbedded { stop("Embedded objects cannot be created directly") }
        if update != .error && model.primaryKey == nil {
            stop("'\(model.name)' does not have a primary key and can not be updated")
        }
    }
}
