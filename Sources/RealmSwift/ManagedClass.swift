import StorageEngine

/// A model class in one Realm instance: its table, and what the accessors of its objects share.
///
/// Lives as long as its Realm instance. `invalidate()` retires it for good; the Realm makes
/// another one for the objects it hands out afterwards.
final class ManagedClass {
    // Safe because the Realm owns this object, and whoever uses it holds the Realm. A checked
    // reference would cost two atomic operations for each property that is written.
    unowned(unsafe) let realm: RealmInstance
    let model: ClassModel
    /// Nil only in a Realm opened for reading whose file lacks the class.
    let table: Table?
    /// Read by every property access; owned by this object.
    let context: UnsafeMutablePointer<_AccessContext>
    /// For each property, its position among the table's columns.
    let columns: [Int]
    /// For each column, the property it belongs to; nil if the class lacks it.
    private let propertyOfColumn: [Int?]
    /// -1 without a primary key.
    let primaryKeyColumn: Int
    private(set) var isValid = true
    private var linkTargets: [ManagedClass?]
    /// The first key that the current write transaction made: all keys from here on vanish when it
    /// is cancelled.
    private var firstNewKey: Int64?
    /// First new key of each cancelled write transaction that made objects of this class.
    private var cancelled: [UInt32: Int64] = [:]

    init(model: ClassModel, realm: RealmInstance) throws {
        self.realm = realm
        self.model = model
        table = try realm.connection.table(named: model.name)
        let stored = table?.definition.columns ?? []
        let positions = Dictionary(
            stored.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        columns = model.properties.indices.map { positions[model.properties[$0].name] ?? $0 }
        var owners = [Int?](repeating: nil, count: max(stored.count, columns.count))
        for (property, column) in columns.enumerated() { owners[column] = property }
        propertyOfColumn = owners
        primaryKeyColumn = model.primaryKey.map { [columns] in columns[$0] } ?? -1
        linkTargets = Array(repeating: nil, count: owners.count)
        context = .allocate(capacity: 1)
        context.initialize(
            to: _AccessContext(
                thread: realm.thread, stamp: realm.connection.layoutStamp,
                columns: ManagedClass.slots(model: model, columns: columns, table: table),
                isWriting: realm.writeFlag,
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
        slots.initialize(repeating: _ColumnSlot(index: 0, id: 0), count: count)
        for (property, column) in zip(model.properties, columns) {
            slots[property.offset / 2] = _ColumnSlot(
                index: UInt16(column), id: table?.columnID(column) ?? 0)
        }
        return slots
    }

    var existingTable: Table {
        guard let table else {
            stop("Realm at path '\(realm.path)' has no objects of type '\(model.name)'.")
        }
        return table
    }

    func property(ofColumn column: Int) -> PropertyModel {
        guard let property = propertyOfColumn[column] else {
            stop("Column \(column) of '\(model.name)' belongs to no property.")
        }
        return model.properties[property]
    }

    /// The class that the links in a column lead to.
    func linkTarget(column: Int) -> ManagedClass {
        if let target = linkTargets[column] { return target }
        guard let type = property(ofColumn: column).shape.linkedClass else {
            stop("Property '\(model.name).\(property(ofColumn: column).name)' is not a link.")
        }
        let target = realm.managedClass(for: type)
        linkTargets[column] = target
        return target
    }

    /// Invalidates all accessors for good.
    func retire() {
        isValid = false
        context.pointee.thread = 0
        linkTargets = []
    }

    // MARK: Accessors

    /// A new accessor of an object that is known to exist.
    func makeAccessor(key: Int64) -> ObjectBase {
        let object = model.type.init()
        // A list made by the initialiser is not the object's list.
        for position in model.lists {
            let property = model.properties[position]
            property.wrapper.reset(at: object._storage(at: property.offset))
        }
        object._attach(to: self, key: key)
        return object
    }

    /// The row of an object; nil if it does not exist any more.
    func locate(key: Int64, birth: UInt32) -> RowLocation? {
        guard isValid, !wasCancelled(key: key, birth: birth), let table else { return nil }
        realm.resumeReading()
        return attempt { try table.location(of: ObjectKey(rawValue: key)) }
    }

    func isAlive(key: Int64, birth: UInt32) -> Bool {
        guard isValid, !wasCancelled(key: key, birth: birth), let table else { return false }
        realm.resumeReading()
        return attempt { try table.contains(ObjectKey(rawValue: key)) }
    }

    // MARK: Cancelled transactions
    //
    // A cancelled transaction gives its keys back, so the next one may use them again. An accessor
    // therefore remembers the transaction it was made in: if that one was cancelled and made the
    // key, the accessor stays invalid whatever the key means now.

    func noteInsertion(of key: Int64) {
        if firstNewKey == nil { firstNewKey = key }
    }

    func transactionDidEnd(_ transaction: UInt32, cancelled isCancelled: Bool) {
        if isCancelled, let firstNewKey { cancelled[transaction] = firstNewKey }
        firstNewKey = nil
    }

    private func wasCancelled(key: Int64, birth: UInt32) -> Bool {
        guard !cancelled.isEmpty, let first = cancelled[birth] else { return false }
        return key >= first
    }
}
