import CRealmSystem
import StorageEngine

extension ObjectBase {
    /// Whether the cached row location is current and this is a thread of the Realm.
    @inlinable @inline(__always)
    final var _isPlaced: Bool { _context.unsafelyUnwrapped.pointee.isCurrent(_stamp) }

    @inlinable @inline(__always)
    final var _node: Node { Node(_leaf.unsafelyUnwrapped) }

    @inlinable @inline(__always)
    final func _column(_ offset: Int) -> _ColumnSlot {
        _context.unsafelyUnwrapped.pointee.columns[offset &>> 1]
    }

    /// Reads a property on the slow path: the row has moved, or the leaf does not hold the value
    /// inline. Caches the location of the row, so that the next read takes the fast path.
    ///
    /// `releasenone`: nothing released in this function is the caller's reference to the object, so
    /// callers need not retain the object around the call.
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

    /// Stops the program unless the property at `offset` can be written now. Returns false if the
    /// transaction has failed and nothing is to be written.
    final func _requireWritable(_ offset: Int) -> Bool {
        _requireAlive()
        let context = _context.unsafelyUnwrapped
        let state = context.pointee.writeState.pointee
        if state == .none {
            if _isFrozen { stopForFrozen() }
            stop(
                "Attempting to modify object outside of a write transaction - "
                    + "call beginWriteTransaction on an RLMRealm instance first.")
        }
        if Int(_column(offset).index) == context.pointee.primaryKeyColumn {
            stop("Primary key can't be changed after an object is inserted.")
        }
        return state == .open
    }

    /// Stops the program unless this is the Realm's thread and the object exists. Caches the
    /// location of the row.
    @inline(__always)
    final func _requireAlive() {
        guard _context != nil else { stop("The object is not managed.") }
        if !_isPlaced && !_find() { _placeNowhere() }
    }

    /// Stops the program because the object does not exist, unless a failed transaction may have
    /// removed it. In that case the object reads as one with default values, for this access only.
    @inline(never)
    private final func _placeNowhere() {
        let row: RowLocation? = _owner._withUnsafeGuaranteedRef { managedClass in
            let realm = managedClass.realm
            return realm.isInFailedTransaction ? realm.absentRow : nil
        }
        guard let row else { stop("Object has been deleted or invalidated.") }
        _place(at: row, stamp: .max)
    }

    /// Looks up the row and caches its location. Returns false if the object no longer exists. Once
    /// the result is false, it stays false.
    @inline(never)
    final func _find() -> Bool {
        _owner._withUnsafeGuaranteedRef { managedClass in
            // An object of a frozen Realm was placed when it was made, and must not change.
            if managedClass.isFrozen { return managedClass.isValid(birth: _birth) && _leaf != nil }
            let realm = managedClass.realm
            realm.checkThread()
            realm.connection.releaseExcessMemory()
            // The thread of a Realm of a queue is not known to the fast check.
            if realm.connection.layoutStamp.pointee == _stamp { return true }
            guard let location = managedClass.locate(key: _key, birth: _birth) else {
                // The invalidation is permanent, even if a cancelled transaction restores the row.
                _birth = RealmInstance.noGeneration
                return false
            }
            _place(at: location, stamp: realm.connection.layoutStamp.pointee)
            return true
        }
    }

    /// Whether this is an object of a frozen Realm.
    final var _isFrozen: Bool {
        _context != nil && _owner._withUnsafeGuaranteedRef { $0.isFrozen }
    }

    /// The managed class of a managed object, as an unowned reference. The class lives as long as
    /// its Realm, which `_realm` retains.
    final var _owner: Unmanaged<ManagedClass> {
        .fromOpaque(_context.unsafelyUnwrapped.pointee.owner)
    }
}
