import CRealmSystem
import Foundation
import StorageEngine

/// What all `Realm` values of one file on one thread share: the connection, the classes, and the
/// state of the transaction.
///
/// Used by the thread that opened it, and by no other.
final class RealmInstance {
    /// The largest string or data value, in bytes.
    static let maximumValueSize = 16 << 20

    let configuration: Realm.Configuration
    let path: String
    let schema: SchemaModel
    let connection: Connection
    /// Identity of the thread that may use this instance.
    let thread: UInt
    /// Raw memory, because every property that is written reads it.
    let writeFlag: UnsafeMutablePointer<Bool>
    private(set) var isWriting: Bool {
        get { writeFlag.pointee }
        set { writeFlag.pointee = newValue }
    }
    /// Counts write transactions; accessors remember the one they were made in.
    private(set) var transaction: UInt32 = 0
    private(set) var lastCommit: CommitStatistics?
    /// Objects that have their row but not yet their links and lists.
    var additions: [_Addition] = []
    private var isCompletingAdditions = false
    private(set) lazy var scratch = _Scratch(realm: self)
    private var classes: [ObjectIdentifier: ManagedClass] = [:]
    /// Accessors still point to these.
    private var retired: [ManagedClass] = []
    private var lastClass: (type: ObjectIdentifier, managedClass: ManagedClass)?
    private var isReading = true

    init(
        configuration: Realm.Configuration, path: String, schema: SchemaModel,
        connection: Connection
    ) {
        var configuration = configuration
        configuration.setDiscoveredTypes(schema.classes.map(\.type))
        self.configuration = configuration
        self.path = path
        self.schema = schema
        self.connection = connection
        thread = currentThread()
        writeFlag = .allocate(capacity: 1)
        writeFlag.initialize(to: false)
    }

    deinit {
        if isWriting { connection.rollback() }
        writeFlag.deallocate()
    }

    @inline(__always)
    func checkThread() {
        if thread != realm_thread_identity() { stop("Realm accessed from incorrect thread.") }
    }

    func requireWriting() {
        checkThread()
        if !isWriting {
            stop(
                "Can only add, remove, or create objects in a Realm in a write transaction - "
                    + "call beginWriteTransaction on an RLMRealm instance first.")
        }
    }

    /// The class of objects of exactly this type; stops when the Realm does not store them.
    func managedClass(for type: ObjectBase.Type) -> ManagedClass {
        let identifier = ObjectIdentifier(type)
        if let last = lastClass, last.type == identifier { return last.managedClass }
        let managedClass = classes[identifier] ?? makeManagedClass(for: type)
        lastClass = (identifier, managedClass)
        return managedClass
    }

    private func makeManagedClass(for type: ObjectBase.Type) -> ManagedClass {
        guard let model = schema[type] else {
            let name = type.className()
            stop(
                "Object type '\(name)' is not managed by the Realm. If using a custom "
                    + "`objectClasses` / `objectTypes` array in your configuration, add `\(name)` "
                    + "to the list of `objectClasses` / `objectTypes`.")
        }
        resumeReading()
        let managedClass = attempt { try ManagedClass(model: model, realm: self) }
        classes[ObjectIdentifier(type)] = managedClass
        return managedClass
    }

    // MARK: Transactions

    func beginWrite() throws {
        checkThread()
        if configuration.readOnly { stop("Can't perform transactions on read-only Realms.") }
        if isWriting { stop("The Realm is already in a write transaction") }
        try connection.beginWrite()
        isReading = true
        isWriting = true
        transaction &+= 1
    }

    func commitWrite() throws {
        checkThread()
        if !isWriting { stop("Can't commit a non-existing write transaction") }
        do {
            lastCommit = try connection.commit()
        } catch {
            // A failed commit leaves nothing of the transaction behind.
            if connection.isInWriteTransaction { connection.rollback() }
            endTransaction(cancelled: true)
            throw error
        }
        endTransaction(cancelled: false)
    }

    func cancelWrite() {
        checkThread()
        if !isWriting { stop("Can't cancel a non-existing write transaction") }
        connection.rollback()
        endTransaction(cancelled: true)
    }

    private func endTransaction(cancelled: Bool) {
        isWriting = false
        for managedClass in classes.values {
            managedClass.transactionDidEnd(transaction, cancelled: cancelled)
        }
    }

    /// Returns whether a newer version was there.
    func refresh() throws -> Bool {
        checkThread()
        if configuration.readOnly {
            stop("Read-only Realms do not change and cannot be refreshed.")
        }
        if isWriting { return false }
        isReading = true
        return try connection.refresh()
    }

    /// Ends the write transaction, gives up the version being read, and invalidates all objects.
    func invalidate() {
        checkThread()
        if isWriting { cancelWrite() }
        for managedClass in classes.values {
            managedClass.retire()
            retired.append(managedClass)
        }
        classes.removeAll()
        lastClass = nil
        connection.endRead()
        isReading = false
    }

    /// Reads again, at the newest version, after `invalidate()`.
    @inline(__always)
    func resumeReading() {
        if !isReading { startReading() }
    }

    private func startReading() {
        isReading = true
        attempt { _ = try connection.refresh() }
    }

    // MARK: Adding

    /// Adds an unmanaged object and everything it leads to; returns its key.
    func addGraph(_ object: ObjectBase, update: Realm.UpdatePolicy) -> Int64 {
        let key = managedClass(for: type(of: object)).addRow(
            of: object, update: update, given: givenProperties(of: object))
        // Called by an addition, the object's own addition stays queued behind it.
        if !isCompletingAdditions && !additions.isEmpty { completeAdditions() }
        return key
    }

    private func completeAdditions() {
        isCompletingAdditions = true
        while let addition = additions.popLast() { addition.complete() }
        isCompletingAdditions = false
    }

    /// While `create` runs: for each object made from a value, the properties that were given.
    var conversion: _ValueConversion?

    func givenProperties(of object: ObjectBase) -> Set<String>? {
        conversion?.given[ObjectIdentifier(object)]
    }
}

/// The identity of the calling thread.
func currentThread() -> UInt { UInt(realm_thread_identity()) }
