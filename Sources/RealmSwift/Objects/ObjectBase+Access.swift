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
        _requireAlive()
        let location = RowLocation(leaf: _node, row: Int(_row))
        let column = Int(_column(offset).index)
        return _owner._withUnsafeGuaranteedRef { managedClass in
            managedClass.withTable { table in attempt { try table.value(column, at: location) } }
        }
    }

    /// Writes a property of a managed object.
    @inline(never) @usableFromInline
    final func _write(_ scalar: Scalar, _ offset: Int) {
        guard _requireWritable(offset) else { return }
        let column = Int(_column(offset).index)
        _owner._withUnsafeGuaranteedRef { managedClass in
            if case .bytes(let bytes) = scalar, bytes.count > RealmInstance.maximumValueSize {
                stop(
                    managedClass.model.tooLarge(
                        column: column, of: managedClass, size: bytes.count))
            }
            managedClass.set(column, of: ObjectKey(rawValue: _key), to: scalar)
        }
    }

    /// Stops unless the property at `offset` may be written now. False if the transaction has
    /// failed, so that nothing is to be written.
    final func _requireWritable(_ offset: Int) -> Bool {
        _requireAlive()
        let context = _context.unsafelyUnwrapped
        let state = context.pointee.writeState.pointee
        if state == .none {
            stop(
                "Attempting to modify object outside of a write transaction - "
                    + "call beginWriteTransaction on an RLMRealm instance first.")
        }
        if Int(_column(offset).index) == context.pointee.primaryKeyColumn {
            stop("Primary key can't be changed after an object is inserted.")
        }
        return state == .open
    }

    /// Stops unless this is the Realm's thread and the object exists; places the object.
    @inline(__always)
    final func _requireAlive() {
        guard _context != nil else { stop("The object is not managed.") }
        if !_isPlaced && !_find() { _placeNowhere() }
    }

    /// Stops because the object does not exist, unless a failed transaction may be why: then it reads
    /// as one of the defaults, for this once.
    @inline(never)
    private final func _placeNowhere() {
        let row: RowLocation? = _owner._withUnsafeGuaranteedRef { managedClass in
            let realm = managedClass.realm
            return realm.isInFailedTransaction ? realm.absentRow : nil
        }
        guard let row else { stop("Object has been deleted or invalidated.") }
        _place(at: row, stamp: .max)
    }

    /// Looks the row up and places the object; false if it does not exist any more, and then it
    /// never will again.
    @inline(never)
    final func _find() -> Bool {
        _owner._withUnsafeGuaranteedRef { managedClass in
            let realm = managedClass.realm
            realm.checkThread()
            realm.connection.releaseExcessMemory()
            guard let location = managedClass.locate(key: _key, birth: _birth) else {
                // For good, also if a cancelled transaction brings the row back.
                _birth = RealmInstance.noGeneration
                return false
            }
            _place(at: location, stamp: realm.connection.layoutStamp.pointee)
            return true
        }
    }

    /// The class of a managed object in its Realm, uncounted: it lives as long as the Realm, which
    /// `_realm` holds.
    final var _owner: Unmanaged<ManagedClass> {
        .fromOpaque(_context.unsafelyUnwrapped.pointee.owner)
    }
}
