import CRealmSystem
import StorageEngine

extension ObjectBase {
    /// True when the cached row is where the object lies now, and this is the Realm's thread.
    @inlinable @inline(__always)
    final var _isPlaced: Bool {
        let context = _context.unsafelyUnwrapped
        return context.pointee.thread == realm_thread_identity()
            && context.pointee.stamp.pointee == _stamp
    }

    @inlinable @inline(__always)
    final var _node: Node { Node(_leaf.unsafelyUnwrapped) }

    @inlinable @inline(__always)
    final func _column(_ offset: Int) -> _ColumnSlot {
        _context.unsafelyUnwrapped.pointee.columns[offset &>> 1]
    }

    /// Reads a property whose row has moved, or whose value is not in the leaf itself, and
    /// places the object, so that the next read is a fast one.
    ///
    /// `releasenone`: whatever this releases, the caller's reference to the object is not part of
    /// it, so callers need not retain the object around the call.
    @_effects(releasenone) @inline(never) @usableFromInline
    final func _readSlowly(_ offset: Int) -> Scalar {
        let managedClass = _requireAlive()
        let column = Int(_column(offset).index)
        do {
            let location = RowLocation(leaf: _node, row: Int(_row))
            return try managedClass.existingTable.value(column, at: location)
        } catch {
            stop(error)
        }
    }

    /// Writes a property of a managed object.
    @inline(never) @usableFromInline
    final func _write(_ scalar: Scalar, _ offset: Int) {
        let managedClass = _requireWritable(offset)
        let column = Int(_column(offset).index)
        if case .bytes(let bytes) = scalar, bytes.count > RealmInstance.maximumValueSize {
            stop(managedClass.model.tooLarge(column: column, of: managedClass, size: bytes.count))
        }
        do {
            try managedClass.existingTable.set(column, of: ObjectKey(rawValue: _key), to: scalar)
        } catch {
            stop(error)
        }
    }

    /// Stops unless the property at `offset` may be written now.
    @discardableResult
    final func _requireWritable(_ offset: Int) -> ManagedClass {
        let managedClass = _requireAlive()
        guard _context.unsafelyUnwrapped.pointee.isWriting.pointee else {
            stop(
                "Attempting to modify object outside of a write transaction - "
                    + "call beginWriteTransaction on an RLMRealm instance first.")
        }
        if Int(_column(offset).index) == managedClass.primaryKeyColumn {
            stop("Primary key can't be changed after an object is inserted.")
        }
        return managedClass
    }

    /// Stops unless this is the Realm's thread and the object exists; places the object.
    @discardableResult
    final func _requireAlive() -> ManagedClass {
        guard let managedClass = _managedClass else { stop("The object is not managed.") }
        if _isPlaced { return managedClass }
        let realm = managedClass.realm
        realm.checkThread()
        guard let location = managedClass.locate(key: _key, birth: _birth) else {
            stop("Object has been deleted or invalidated.")
        }
        _place(at: location, stamp: realm.connection.layoutStamp.pointee)
        return managedClass
    }
}
