import StorageEngine

/// The object of one version with which a migration calls its function. It is used again for the
/// next object, unless the function has kept it.
struct MigrationAccessor {
    /// Where an object was when its leaf was read.
    struct Place {
        let row: RowLocation
        let stamp: UInt64
    }

    private let managedClass: ManagedClass
    private let soleReference: UInt64
    private var accessor: ObjectBase?

    init(_ managedClass: ManagedClass) {
        self.managedClass = managedClass
        soleReference = managedClass.model.isReusable ? ReferenceCounts.ofSoleReference : .max
    }

    var object: MigrationObject? {
        accessor.map { unsafeDowncast($0, to: DynamicObject.self) }
    }

    /// Moves to an object. Returns false if there is none with that key.
    mutating func stand(at key: ObjectKey) -> Bool {
        let realm = managedClass.realm
        realm.connection.releaseExcessMemory()
        guard let row = managedClass.locate(key: key.rawValue, birth: realm.generation) else {
            return false
        }
        let stamp = realm.connection.layoutStamp.pointee
        stand(at: key, Place(row: row, stamp: stamp))
        return true
    }

    /// Moves to an object that exists. If rows may have moved since the place was found, the object
    /// looks for it anew.
    mutating func stand(at key: ObjectKey, _ place: Place) {
        if ReferenceCounts.sole(&accessor, soleReference) == nil {
            accessor = managedClass.makeUnplaced(key: key.rawValue)
        }
        accessor?._key = key.rawValue
        accessor?._birth = managedClass.realm.generation
        accessor?._place(at: place.row, stamp: place.stamp)
    }
}
