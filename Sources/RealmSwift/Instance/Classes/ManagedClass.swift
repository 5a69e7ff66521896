import CRealmSystem
import StorageEngine

/// A model class in one Realm instance: its table, and the state that the accessors of its objects
/// share.
///
/// A managed class lives as long as its Realm instance.
final class ManagedClass {
    // Safe because the Realm owns this object, and all users of this object retain the Realm. A
    // checked reference would cost two atomic operations per property write.
    unowned(unsafe) let realm: RealmInstance
    let model: ClassModel
    /// The table of the class; nil only in a read-only Realm whose file lacks the class.
    let table: Table?
    // The same as `realm` and `table`, for accesses without reference counting.
    private let uncountedRealm: Unmanaged<RealmInstance>
    private let uncountedTable: Unmanaged<Table>?
    /// The data that every property access reads. Owned by this object.
    let context: UnsafeMutablePointer<_AccessContext>
    /// The column of each property.
    let columns: [Int]
    /// The property of each column; nil if the class has none.
    private let propertyOfColumn: [Int?]
    /// The column of the primary key; -1 if there is none.
    let primaryKeyColumn: Int
    /// The class of the links of each column. The references are unowned, because classes that link
    /// to each other would form a retain cycle and keep the file open. The Realm instance retains
    /// all of its classes.
    // Words that are read and written atomically, because threads that use a frozen Realm may find
    // the same class at once.
    private let linkTargets: UnsafeMutablePointer<UInt64>
    /// The origins of the linking-objects properties read so far, by the offset of the property.
    @exclusivity(unchecked) private var backlinkOrigins:
        ContiguousArray<(offset: Int, origin: BacklinkOrigin)> = []
    /// The names of properties that were looked up last, each at its length modulo their number;
    /// empty until the first one.
    @exclusivity(unchecked) private var recentNames:
        ContiguousArray<(name: String, position: Int)?> = []
    /// Unowned, because the Realm retains it.
    private let cancelledKeys: Unmanaged<CancelledKeys>
    /// The kind of the primary key, which selects the lookup of an integer or string key; see
    /// `Realm.object`.
    let keyForm: _PrimaryKeyForm
    /// Whether the Realm is frozen: its objects are placed in their rows when they are made, and
    /// nothing is kept here for the next use.
    let isFrozen: Bool

    init(model: ClassModel, realm: RealmInstance) throws {
        self.realm = realm
        self.model = model
        table = try realm.connection.table(named: model.name)
        uncountedRealm = .passUnretained(realm)
        uncountedTable = table.map(Unmanaged.passUnretained)
        let stored = table?.definition.columns ?? []
        let positions = Dictionary(
            stored.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        columns = model.properties.indices.map { positions[model.properties[$0].columnName] ?? $0 }
        var owners = [Int?](repeating: nil, count: max(stored.count, columns.count))
        for (property, column) in columns.enumerated() { owners[column] = property }
        propertyOfColumn = owners
        primaryKeyColumn = model.primaryKey.map { [columns] in columns[$0] } ?? -1
        linkTargets = .allocate(capacity: owners.count)
        linkTargets.initialize(repeating: 0, count: owners.count)
        isFrozen = realm.isFrozen
        keyForm = _PrimaryKeyForm(model)
        cancelledKeys = .passUnretained(realm.cancelledKeys(ofClass: model.name))
        context = .allocate(capacity: 1)
        context.initialize(
            to: _AccessContext(
                thread: isFrozen ? _AccessContext.everyThread : realm.thread,
                stamp: realm.frozen?.stamp ?? realm.connection.layoutStamp,
                columns: ManagedClass.slots(model: model, columns: columns, table: table),
                writeState: realm.writeState,
                // A migration may change keys.
                primaryKeyColumn: realm.isMigrating ? -1 : primaryKeyColumn,
                owner: Unmanaged.passUnretained(self).toOpaque()))
    }

    deinit {
        linkTargets.deallocate()
        context.pointee.columns.deallocate()
        context.deallocate()
    }

    private static func slots(
        model: ClassModel, columns: [Int], table: Table?
    ) -> UnsafeMutablePointer<_ColumnSlot> {
        let count = (model.properties.map(\.offset).max() ?? 0) / 2 + 1
        let slots = UnsafeMutablePointer<_ColumnSlot>.allocate(capacity: count)
        let nowhere = ColumnTag(ColumnFormat(id: .max, kind: .integer))
        slots.initialize(repeating: _ColumnSlot(index: 0, tag: nowhere), count: count)
        for (property, column) in zip(model.properties, columns) {
            slots[property.offset / 2] = _ColumnSlot(
                index: UInt16(column), tag: table?.columnTag(column) ?? nowhere)
        }
        return slots
    }

    var existingTable: Table {
        guard let table else { stopWithoutTable() }
        return table
    }

    /// Calls `body` with the table without counting a reference, for accesses to single values.
    @inline(__always)
    func withTable<Result>(_ body: (Table) throws -> Result) rethrows -> Result {
        guard let uncountedTable else { stopWithoutTable() }
        return try uncountedTable._withUnsafeGuaranteedRef(body)
    }

    private func stopWithoutTable() -> Never {
        stop("Realm at path '\(realm.path)' has no objects of type '\(model.name)'.")
    }

    func property(ofColumn column: Int) -> PropertyModel {
        guard let property = propertyOfColumn[column] else {
            stop("Column \(column) of '\(model.name)' belongs to no property.")
        }
        return model.properties[property]
    }

    /// Returns the position of a stored property. Only for a thread of the Realm.
    ///
    /// Who reads many objects gives the same strings each time, mostly literals. Comparing one with
    /// itself compares two words, and takes a tenth of the time of hashing it.
    func position(ofStored name: String) -> Int? {
        if isFrozen { return model.position(ofStored: name) }
        if recentNames.isEmpty { recentNames = .init(repeating: nil, count: 8) }
        let slot = name.utf8.count % recentNames.count
        if let recent = recentNames[slot], recent.name == name { return recent.position }
        guard let position = model.position(ofStored: name) else { return nil }
        recentNames[slot] = (name, position)
        return position
    }

    /// Returns the class of the objects that the links in a column refer to.
    func linkTarget(column: Int) -> ManagedClass {
        if let target = UnsafeRawPointer(
            bitPattern: UInt(realm_load_acquire_64(linkTargets + column)))
        {
            return Unmanaged<ManagedClass>.fromOpaque(target).takeUnretainedValue()
        }
        let property = property(ofColumn: column)
        guard let type = property.shape.linkedClass, let name = property.linkedClassName else {
            stop("Property '\(model.name).\(property.name)' is not a link.")
        }
        let target = model.type._linkTarget(type, named: name, in: realm)
        realm_store_release_64(
            linkTargets + column,
            UInt64(UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())))
        return target
    }

    /// Returns the origin of the linking-objects property at an offset: the property with a name in
    /// objects of a type.
    @inline(__always)
    func backlinkOrigin(
        ofPropertyAt offset: Int, in type: ObjectBase.Type, named name: String
    ) -> BacklinkOrigin {
        for position in backlinkOrigins.indices where backlinkOrigins[position].offset == offset {
            return backlinkOrigins[position].origin
        }
        return findBacklinkOrigin(ofPropertyAt: offset, in: type, named: name)
    }

    @inline(never)
    private func findBacklinkOrigin(
        ofPropertyAt offset: Int, in type: ObjectBase.Type, named name: String
    ) -> BacklinkOrigin {
        let managedClass = realm.managedClass(for: type)
        let properties = managedClass.model.properties
        guard let position = properties.firstIndex(where: { $0.name == name }) else {
            stop(
                "Property '\(name)' not found in object of type '\(managedClass.model.name)'")
        }
        let origin = BacklinkOrigin(
            managedClass: .passUnretained(managedClass), column: managedClass.columns[position])
        if !isFrozen { backlinkOrigins.append((offset, origin)) }
        return origin
    }

    /// Calls `body` with the objects of this class that refer to another object through a column;
    /// see `Table`.
    @inline(__always)
    func forEachReference(
        to target: ObjectKey, at location: RowLocation, in column: Int,
        _ body: (ObjectKey, Int) throws(StorageError) -> Bool
    ) throws {
        guard let uncountedTable else { return }
        try uncountedTable._withUnsafeGuaranteedRef {
            try $0.forEachReference(to: target, at: location, in: column, body)
        }
    }

    /// Invalidates the accessors for all threads.
    func threadDidEnd() { context.pointee.thread = 0 }

    // MARK: Accessors

    /// Returns a new accessor of an object that is known to exist.
    func makeAccessor(key: Int64) -> ObjectBase {
        let object = makeUnplaced(key: key)
        if isFrozen { placeForGood(object) }
        return object
    }

    /// Returns a new accessor that the caller places in its row.
    @inline(__always)
    func makeUnplaced(key: Int64) -> ObjectBase {
        let object = model.type.init()
        // Collections made by the initializer are not the collections of the stored object.
        if model.hasCollections { resetCollections(of: object) }
        object._attach(to: self, key: key)
        return object
    }

    private func resetCollections(of object: ObjectBase) {
        for position in model.collections {
            let property = model.properties[position]
            property.wrapper.reset(at: object._storage(at: property.offset))
        }
    }

    /// Returns the location of an object's row; nil if the object no longer exists.
    func locate(key: Int64, birth: UInt32) -> RowLocation? {
        let isCancelled = withCancelledKeys { $0.invalidated(key, birth: birth) }
        guard !isCancelled, let uncountedTable else { return nil }
        let isValid = uncountedRealm._withUnsafeGuaranteedRef { realm in
            guard realm.isValid(birth) else { return false }
            realm.resumeReading()
            return true
        }
        guard isValid else { return nil }
        return uncountedTable._withUnsafeGuaranteedRef { table in
            attempt { try table.location(of: ObjectKey(rawValue: key)) }
        }
    }

    /// Places an accessor of a frozen Realm in its row, where it stays. An object that does not
    /// exist gets no place, and is invalidated.
    private func placeForGood(_ object: ObjectBase) {
        guard let location = locate(key: object._key, birth: object._birth) else { return }
        object._place(at: location, stamp: realm.connection.layoutStamp.pointee)
    }

    func isAlive(key: Int64, birth: UInt32) -> Bool { locate(key: key, birth: birth) != nil }

    /// Writes a value of an object in the open write transaction.
    @inline(__always)
    func set(_ column: Int, of key: ObjectKey, to value: Scalar) {
        do {
            try withTable { try $0.set(column, of: key, to: value) }
        } catch {
            realm.fail(error)
        }
    }

    func isValid(birth: UInt32) -> Bool {
        uncountedRealm._withUnsafeGuaranteedRef { $0.isValid(birth) }
    }

    // MARK: What the write transaction does

    func noteInsertion(of key: Int64) { withCancelledKeys { $0.noteInsertion(of: key) } }
    func noteDeletion(of key: Int64) { withCancelledKeys { $0.noteDeletion(of: key) } }
    func noteDeletionOfAll() { withCancelledKeys { $0.noteDeletionOfAll() } }

    @inline(__always)
    private func withCancelledKeys<Result>(_ body: (CancelledKeys) -> Result) -> Result {
        cancelledKeys._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the objects of this class that the cancelled transaction had deleted and
    /// that exist again.
    func forEachRestored(
        _ body: (ObjectKey) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let table else { return }
        let cancelledKeys = cancelledKeys.takeUnretainedValue()
        if cancelledKeys.isEmptied {
            try table.forEachLeaf { leaf, _ throws(StorageError) in
                for row in 0..<leaf.rowCount {
                    try body(table.key(at: RowLocation(leaf: leaf, row: row)))
                }
                return true
            }
        } else {
            for key in cancelledKeys.deleted.joined() {
                let key = ObjectKey(rawValue: key)
                if try table.contains(key) { try body(key) }
            }
        }
    }
}
