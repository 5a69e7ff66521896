import Foundation
import StorageEngine

extension ManagedClass {
    /// The key of an object that a property or a list is to refer to, adding it if necessary.
    /// Nil if the transaction has failed.
    func keyOfLinked(_ object: ObjectBase, update: Realm.UpdatePolicy) -> Int64? {
        if object._context != nil {
            requireOwn(object)
            return object._key
        }
        requireExactType(object)
        return realm.addGraph(object, update: update)
    }

    /// Stops unless a managed object belongs to this class, to this Realm, and exists.
    private func requireOwn(_ object: ObjectBase) {
        if object.isInvalidated {
            stop("Adding a deleted or invalidated object to a Realm is not permitted")
        }
        guard let other = object._managedClass, other.realm === realm else {
            stop(
                "Object is already managed by another Realm. Use create instead to copy it into "
                    + "this Realm.")
        }
        requireExactType(object)
    }

    private func requireExactType(_ object: ObjectBase) {
        guard type(of: object) == model.type else {
            stop(
                "Object of type '\(type(of: object).className())' does not match RLMArray type "
                    + "'\(model.name)'.")
        }
    }

    /// Writes an unmanaged object into the table, without what it links to, and makes the instance
    /// the accessor of the new or updated row. Returns its key; if the transaction has failed, nil,
    /// and the object stays unmanaged.
    func addRow(
        of object: ObjectBase, update: Realm.UpdatePolicy, given: Set<String>? = nil
    ) -> Int64? {
        if realm.hasFailed { return nil }
        let scratch = realm.scratch
        scratch.reset()
        let row = scratch.row(columns: columns.count)
        for position in columns.indices {
            // Field by field: a copy of the whole would count references.
            row[columns[position]] = model.properties[position].valueType._gather(
                object._storage(at: model.properties[position].offset), scratch)
        }
        var isDeferred = scratch.hasDeferredValues
        var given = given
        let key: Int64
        if update != .error, let existing = existingKey(row) {
            updateRow(row, of: existing, update: update, given: given)
            key = existing
            // A collection that was never read is empty, and is to empty the stored one.
            for position in model.collections {
                let property = model.properties[position]
                _ = property.wrapper.value(of: object, at: property.offset)
                isDeferred = true
            }
        } else if let new = insertRow(UnsafeBufferPointer(row)) {
            key = new
            // Defaults count for a new object.
            given = nil
        } else {
            return nil
        }
        object._attach(to: self, key: key)
        if model.isEncodable { model.markManaged(object) }
        if isDeferred {
            realm.completeLater(
                _Addition(object: object, to: self, update: update, given: given))
        }
        return key
    }

    private func insertRow(_ row: UnsafeBufferPointer<Scalar>) -> Int64? {
        if realm.hasFailed { return nil }
        do {
            let key = try existingTable.insert(row).rawValue
            noteInsertion(of: key)
            return key
        } catch let error as StorageError where error.code == .duplicateKey {
            stop(
                "Attempting to create an object of type '\(model.name)' with an existing primary "
                    + "key value '\(text(of: row[primaryKeyColumn]))'.")
        } catch let error as StorageError where error.code == .valueTooLarge {
            for (column, value) in row.enumerated() {
                guard case .bytes(let bytes) = value else { continue }
                if bytes.count > RealmInstance.maximumValueSize {
                    stop(model.tooLarge(column: column, of: self, size: bytes.count))
                }
            }
            stop(error)
        } catch {
            realm.fail(error)
            return nil
        }
    }

    private func existingKey(_ row: UnsafeMutableBufferPointer<Scalar>) -> Int64? {
        guard primaryKeyColumn >= 0 else { return nil }
        let found = realm.change { try existingTable.find(primaryKey: row[primaryKeyColumn]) }
        return (found ?? nil)?.rawValue
    }

    /// Links and lists follow in the addition's second step.
    private func updateRow(
        _ row: UnsafeMutableBufferPointer<Scalar>, of key: Int64, update: Realm.UpdatePolicy,
        given: Set<String>?
    ) {
        let object = ObjectKey(rawValue: key)
        for (property, column) in zip(model.properties, columns) {
            if column == primaryKeyColumn || property.shape.collection != .none { continue }
            if let given, !given.contains(property.name) { continue }
            realm.change {
                if update == .modified {
                    let old = try existingTable.value(column, of: object)
                    if old.isIdentical(to: row[column]) { return }
                }
                try existingTable.set(column, of: object, to: row[column])
            }
        }
    }

    private func text(of scalar: Scalar) -> String {
        switch scalar {
        case .null: "<null>"
        case .integer(let value): "\(value)"
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .fixed16: UUID._decodeScalar(scalar).uuidString
        case .fixed12(let first, let second):
            withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) {
                $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        }
    }
}
