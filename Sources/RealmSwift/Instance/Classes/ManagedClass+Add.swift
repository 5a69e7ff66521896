import Foundation
import StorageEngine

extension ManagedClass {
    /// Returns the key of an object for a link or an element of a collection, and adds the object
    /// if necessary. Returns nil if the transaction has failed.
    func keyOfLinked(
        _ object: ObjectBase, in place: LinkPlace, update: Realm.UpdatePolicy
    ) -> Int64? {
        if realm.hasFailed { return nil }
        if model.isEmbedded { stop(place.textForManagedEmbedded) }
        if object._context != nil {
            requireOwn(object, in: place)
            return object._key
        }
        requireExactType(object, in: place)
        return realm.addGraph(object, update: update)
    }

    /// Stops the program unless a managed object exists and belongs to this class and this Realm.
    private func requireOwn(_ object: ObjectBase, in place: LinkPlace) {
        if object.isInvalidated {
            stop("Adding a deleted or invalidated object to a Realm is not permitted")
        }
        guard let other = object._managedClass, other.realm === realm else {
            stop(
                "Object is already managed by another Realm. Use create instead to copy it into "
                    + "this Realm.")
        }
        if other.table !== table { stopBecause(object, isIn: place) }
    }

    func requireExactType(_ object: ObjectBase, in place: LinkPlace) {
        if type(of: object) != model.type { stopBecause(object, isIn: place) }
    }

    private func stopBecause(_ object: ObjectBase, isIn place: LinkPlace) -> Never {
        stop(place.text(forObjectOf: object._model.name, insteadOf: model.name))
    }

    /// Writes an unmanaged object into the table, without its links, and makes the instance the
    /// accessor of the new or updated row. Returns the key; nil if the transaction has failed, in
    /// which case the object stays unmanaged.
    func addRow(of object: ObjectBase, update: Realm.UpdatePolicy) -> Int64? {
        if realm.hasFailed { return nil }
        // Properties that are not given take no part in an update; their types may not even have a
        // default.
        let given = update == .error ? nil : realm.givenProperties(of: object)
        var row = gather(object, given: given)
        if update != .error, let existing = existingKey(row) {
            updateRow(of: existing, from: object, update: update, given: given)
            return realm.hasFailed ? nil : existing
        }
        if given != nil { row = gather(object) }
        let isDeferred = realm.scratch.hasDeferredValues
        guard let key = insertRow(UnsafeBufferPointer(row)) else {
            return nil
        }
        object._attach(to: self, key: key)
        if isDeferred {
            realm.completeLater(
                _Addition(object: object, to: self, update: update, isNew: true, given: nil))
        }
        return key
    }

    /// Returns the stored forms of an unmanaged object's properties, in scratch memory. Properties
    /// that are not in `given` are null; nil means all properties. `hasDeferredValues` of the
    /// scratch memory indicates whether some values have no stored form yet.
    func gather(
        _ object: ObjectBase, given: Set<String>? = nil
    ) -> UnsafeMutableBufferPointer<Scalar> {
        let scratch = realm.scratch
        let row = scratch.row(columns: columns.count)
        let unmapped = realm.conversion?.unmappedValues(of: object)
        if given != nil || unmapped != nil {
            scratch.gather { gather(object, given, unmapped: unmapped, into: row) }
            return row
        }
        scratch.gather {
            for position in columns.indices {
                // Accessed field by field, because a copy of the structure would count references.
                row[columns[position]] = model.properties[position].valueType._gather(
                    object._storage(at: model.properties[position].offset), scratch)
            }
        }
        return row
    }

    /// Fills a row with the given properties, including values that are stored as given.
    private func gather(
        _ object: ObjectBase, _ given: Set<String>?, unmapped: [Int: Any]?,
        into row: UnsafeMutableBufferPointer<Scalar>
    ) {
        for (position, property) in model.properties.enumerated() {
            let column = columns[position]
            if let given, !property.isPrimaryKey, !given.contains(property.name) {
                row[column] = .null
            } else if let value = unmapped?[position] {
                row[column] = storedForm(of: value, for: property)
            } else {
                row[column] = property.valueType._gather(
                    object._storage(at: property.offset), realm.scratch)
            }
        }
    }

    private func storedForm(of value: Any, for property: PropertyModel) -> Scalar {
        if property.isDeferred { return realm.scratch._defer() }
        guard let scalar = property.valueType._storedType.storedForm(of: value, realm.scratch)
        else { stop(model.invalidValue(value, for: property)) }
        return scalar
    }

    /// Inserts a row and returns the key of the new object; nil if the transaction has failed.
    func insertRow(_ row: UnsafeBufferPointer<Scalar>) -> Int64? {
        if realm.hasFailed { return nil }
        do throws(StorageError) {
            let key = try existingTable.insert(row).rawValue
            noteInsertion(of: key)
            return key
        } catch  where error.code == .duplicateKey {
            stop(
                "Attempting to create an object of type '\(model.name)' with an existing primary "
                    + "key value '\(text(ofPrimaryKey: row[primaryKeyColumn]))'.")
        } catch  where error.code == .valueTooLarge {
            requireSizes(row)
            stop(error)
        } catch {
            realm.fail(error)
            return nil
        }
    }

    /// Stops the program if a string or data value exceeds the size limit.
    func requireSizes(_ row: UnsafeBufferPointer<Scalar>) {
        for (column, value) in row.enumerated() {
            guard case .bytes(let bytes) = value else { continue }
            if bytes.count > RealmInstance.maximumValueSize {
                stop(model.tooLarge(column: column, of: self, size: bytes.count))
            }
        }
    }

    func existingKey(_ row: UnsafeMutableBufferPointer<Scalar>) -> Int64? {
        guard primaryKeyColumn >= 0 else { return nil }
        let found = realm.change { try existingTable.find(primaryKey: row[primaryKeyColumn]) }
        return (found ?? nil)?.rawValue
    }

    private func text(ofPrimaryKey scalar: Scalar) -> String {
        if scalar.isNull { return "<null>" }
        let type = model.primaryKey.flatMap { model.properties[$0].shape.type.scalarType }
        return type.map { "\($0._decodeScalar(scalar))" } ?? ""
    }
}
