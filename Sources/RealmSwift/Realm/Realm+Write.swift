import Foundation
import StorageEngine

extension Realm {
    /// What adding does when an object with the same primary key exists.
    public enum UpdatePolicy: Int, Sendable {
        /// Stops the program.
        case error = 1
        /// Writes those values that differ. Embedded objects stay and take on what differs: in lists
        /// by position, in maps by key.
        case modified = 3
        /// Writes all given values.
        case all = 2
    }

    // MARK: Transactions

    /// Runs `block` in a write transaction, and returns what it returns once the transaction is
    /// committed and durable.
    ///
    /// Waits while another thread or process writes. If the block throws, the transaction is
    /// cancelled and the error thrown on. If the block calls ``cancelWrite()``, nothing is written.
    /// Transactions cannot be nested.
    ///
    /// A full disk, and other failures that no program can exclude, do not stop the members that
    /// change or read a Realm inside of the block. From the first one on changes do nothing: objects
    /// given to ``add(_:update:)`` stay unmanaged, ``create(_:value:update:)`` returns unmanaged
    /// objects. What is read is what was there before the transaction; objects that it had added
    /// are invalidated, and have the defaults of their types as values and empty collections, and
    /// an element that a collection has no more reads as zero, nil or such an object. Then the
    /// transaction is cancelled, and the error thrown here.
    ///
    /// - Throws: the error of the block, or ``Realm/Error`` if a change or the commit fails.
    @discardableResult
    public func write<Result>(_ block: () throws -> Result) throws -> Result {
        do { try instance.beginWrite() } catch { throw Error.of(error) }
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        if isInWriteTransaction { try commitWrite() }
        return result
    }

    /// Begins a write transaction and moves the Realm to the newest version. Waits while another
    /// thread or process writes.
    ///
    /// The transaction ends with ``commitWrite()``, ``cancelWrite()``, ``invalidate()``, or the
    /// thread, and not before: until then it locks other writers out, and `Realm()` gives the same
    /// Realm on this thread, though nothing refers to it meanwhile.
    ///
    /// Stops the program inside a write transaction, on a read-only Realm, and if the file fails.
    /// Use ``write(_:)`` to handle failures.
    public func beginWrite() { attempt { try instance.beginWrite() } }

    /// Ends the write transaction, and returns once its changes are durable.
    ///
    /// - Throws: ``Realm/Error`` if the commit, or a change before it, has failed; the transaction
    ///   has then left nothing behind, unless the message says that its outcome is not known.
    public func commitWrite() throws {
        do { try instance.commitWrite() } catch { throw Error.of(error) }
    }

    /// Ends the write transaction and takes back its changes.
    ///
    /// Objects that were added in it become invalid; they do not turn back into unmanaged ones.
    /// Those that were deleted in it are in the Realm again, but the instances that the deletion
    /// invalidated stay invalid: find the objects anew. Only the instance of an embedded object
    /// that lost its place to another one is valid again, if nobody has asked meanwhile.
    public func cancelWrite() { instance.cancelWrite() }

    /// Whether a write transaction has begun on this thread's Realm and not ended.
    public var isInWriteTransaction: Bool {
        instance.checkThread()
        return instance.isWriting
    }

    // MARK: Adding

    /// Adds an unmanaged object, and the unmanaged objects that it leads to. The instances become
    /// managed. An object of this Realm is left as it is.
    ///
    /// Needs a write transaction. A primary key that exists already stops the program, unless
    /// `update` says otherwise; so does an object that was deleted, or belongs to another Realm.
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

    /// Adds the objects of a sequence, each as ``add(_:update:)`` does.
    public func add<S: Sequence>(
        _ objects: S, update: UpdatePolicy = .error
    ) where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Creates an object from a dictionary with property names as keys, an array with values in
    /// the order of the properties, or another object, which is copied. Unmanaged objects among the
    /// values are copied too; nil or `NSNull` in the place of a list, set or map gives an empty one.
    ///
    /// Properties without a given value keep their defaults; when an existing object is updated,
    /// they keep their values. A value that does not fit its property stops the program.
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
}
