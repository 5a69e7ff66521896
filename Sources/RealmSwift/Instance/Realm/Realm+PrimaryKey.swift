import StorageEngine

/// The kind of a class's primary key, which selects the lookup for a key given by an application.
enum _PrimaryKeyForm {
    /// An `Int` or `Int64`, for which every integer is a valid key.
    case integer
    case string
    /// Another type, whose keys are converted, or no primary key.
    case other

    init(_ model: ClassModel) {
        guard let position = model.primaryKey else {
            self = .other
            return
        }
        let type = model.properties[position].valueType
        if type == Int.self || type == Int64.self {
            self = .integer
        } else if type == String.self {
            self = .string
        } else {
            self = .other
        }
    }
}

extension Realm {
    @usableFromInline
    func _object(_ type: ObjectBase.Type, withIntegerKey key: Int) -> ObjectBase? {
        let managedClass = instance.managedClass(forLookupOf: type)
        guard managedClass.keyForm == .integer else {
            return managedClass.object(forPrimaryKey: key)
        }
        return managedClass.object(forScalarKey: .integer(Int64(key)))
    }

    @usableFromInline
    func _object(_ type: ObjectBase.Type, withStringKey key: String) -> ObjectBase? {
        let managedClass = instance.managedClass(forLookupOf: type)
        guard managedClass.keyForm == .string else {
            return managedClass.object(forPrimaryKey: key)
        }
        return key._withScalar { managedClass.object(forScalarKey: $0) }
    }

    @usableFromInline
    func _object<KeyType>(_ type: ObjectBase.Type, withKey key: KeyType) -> ObjectBase? {
        instance.managedClass(forLookupOf: type).object(forPrimaryKey: key)
    }
}

extension RealmInstance {
    @inline(__always)
    fileprivate func managedClass(forLookupOf type: ObjectBase.Type) -> ManagedClass {
        checkThread()
        resumeReading()
        connection.releaseExcessMemory()
        return managedClass(for: type)
    }
}

extension ManagedClass {
    @inline(__always)
    fileprivate func object(forScalarKey key: Scalar) -> ObjectBase? {
        guard let table else { return nil }
        let found = attempt {
            let key = try table.find(primaryKey: key)
            return try key.flatMap { key in try table.location(of: key).map { (key, $0) } }
        }
        guard let (key, location) = found else { return nil }
        let object = makeUnplaced(key: key.rawValue)
        // Place the object at once, because a lookup is usually followed by a read.
        object._place(at: location, stamp: context.pointee.stamp.pointee)
        return object
    }

    func object(forPrimaryKey key: Any) -> ObjectBase? {
        guard let position = model.primaryKey else {
            stop("'\(model.name)' does not have a primary key")
        }
        let property = model.properties[position]
        realm.scratch.reset()
        guard let scalar = property.storedForm(of: key, realm.scratch) else {
            stop(model.invalidValue(key, for: property))
        }
        return object(forScalarKey: scalar)
    }
}
