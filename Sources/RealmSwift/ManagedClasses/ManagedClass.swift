import StorageEngine

/// A model class in one Realm instance: its table, and what the accessors of its objects share.
///
/// Lives as long as its Realm instance.
final class ManagedClass {
    // Safe because the Realm owns this object, and whoever uses it holds the Realm. A checked
    // reference would cost two atomic operations for each property that is written.
    unowned(unsafe) let realm: RealmInstance
    let model: ClassModel
    /// Nil only in a Realm opened for reading whose file lacks the class.
    let table: Table?
    // The same as `realm` and `table`, for uses that are to cost no counting at all.
    private let uncountedRealm: Unmanaged<RealmInstance>
    private let uncountedTable: Unmanaged<Table>?
    /// Read by every property access; owned by this object.
    let context: UnsafeMutablePointer<_AccessContext>
    /// For each property, its position among the table's columns.
    let columns: [Int]
    /// For each column, the property it belongs to; nil if the class lacks it.
    private let propertyOfColumn: [Int?]
    /// -1 without a primary key.
    let primaryKeyColumn: Int
    /// Uncounted, because classes that link to each other would keep each other, and the file, open:
    /// the Realm instance keeps all of its classes.
    @exclusivity(unchecked) private var linkTargets: [Unmanaged<ManagedClass>?]
    /// For the offsets of properties of linking objects that were read.
    @exclusivity(unchecked) private var backlinkOrigins:
        ContiguousArray<(offset: Int, origin: BacklinkOrigin)> = []
    /// Uncounted: the Realm keeps it.
    private let cancelledKeys: Unmanaged<CancelledKeys>
    /// How a primary key given as an integer or a string is looked up; see `Realm.object`.
    let keyForm: _PrimaryKeyForm

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
        linkTargets = Array(repeating: nil, count: owners.count)
        keyForm = _PrimaryKeyForm(model)
        cancelledKeys = .passUnretained(realm.cancelledKeys(ofClass: model.name))
        context = .allocate(capacity: 1)
        context.initialize(
            to: _AccessContext(
                thread: realm.thread, stamp: realm.connection.layoutStamp,
                columns: ManagedClass.slots(model: model, columns: columns, table: table),
                writeState: realm.writeState, primaryKeyColumn: primaryKeyColumn,
                owner: Unmanaged.passUnretained(self).toOpaque()))
    }

    deinit {
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

    /// Calls `body` with the table, without counting a reference to it: for reading and writing
    /// single values.
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

    /// The class that the links in a column lead to.
    func linkTarget(column: Int) -> ManagedClass {
        if let target = linkTargets[column] { return target.takeUnretainedValue() }
        let property = property(ofColumn: column)
        guard let type = property.shape.linkedClass, let name = property.linkedClassName else {
            stop("Property '\(model.name).\(property.name)' is not a link.")
        }
        let target =
            model.hasStorage ? realm.managedClass(for: type) : realm.dynamicClass(named: name)
        linkTargets[column] = .passUnretained(target)
        return target
    }

    /// What the linking objects at an offset of this class's objects come from: the property of a
    /// name in objects of a type.
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
        backlinkOrigins.append((offset, origin))
        return origin
    }

    /// Visits the objects of this class that refer to another through a column; see `Table`.
    @inline(__always)
    func forEachReference(
        to target: ObjectKey, at location: RowLocation, in column: Int,
        _ body: (ObjectKey, Int) throws -> Bool
    ) throws {
        guard let uncountedTable else { return }
        try uncountedTable._withUnsafeGuaranteedRef {
            try $0.forEachReference(to: target, at: location, in: column, body)
        }
    }

    /// No thread may use the accessors any more.
    func threadDidEnd() { context.pointee.thread = 0 }

    // MARK: Accessors

    /// A new accessor of an object that is known to exist.
    func makeAccessor(key: Int64) -> ObjectBase {
        let object = model.type.init()
        // A collection made by the initialiser is not the object's.
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

    /// The row of an object; nil if it does not exist any more.
    func locate(key: Int64, birth: UInt32) -> RowLocation? {
        let isCancelled = withCancelledKeys { $0.invalidated(key, birth: birth) }
        guard !isCancelled, let uncountedTable else { return nil }
        let isValid = uncountedRealm._withUnsafeGuaranteedRef { realm in
            guard birth >= realm.firstValidGeneration else { return false }
            realm.resumeReading()
            return true
        }
        guard isValid else { return nil }
        return uncountedTable._withUnsafeGuaranteedRef { table in
            attempt { try table.location(of: ObjectKey(rawValue: key)) }
        }
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

    func isValid(birth: UInt32) -> Bool { birth >= realm.firstValidGeneration }

    // MARK: What the write transaction does

    func noteInsertion(of key: Int64) { withCancelledKeys { $0.noteInsertion(of: key) } }
    func noteDeletion(of key: Int64) { withCancelledKeys { $0.noteDeletion(of: key) } }
    func noteDeletionOfAll() { withCancelledKeys { $0.noteDeletionOfAll() } }

    @inline(__always)
    private func withCancelledKeys<Result>(_ body: (CancelledKeys) -> Result) -> Result {
        cancelledKeys._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the objects of this class that the cancelled transaction had deleted, and
    /// that are there again.
    func forEachRestored(_ body: (ObjectKey) throws -> Void) throws {
        guard let table else { return }
        let cancelledKeys = cancelledKeys.takeUnretainedValue()
        if cancelledKeys.isEmptied {
            try table.forEachLeaf { leaf, _ in
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
