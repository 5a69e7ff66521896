import Dispatch
import StorageEngine

extension ObjectBase {
    /// Registers a handler of the changes of this object.
    ///
    /// `block` gets an object of the handler's Realm.
    func observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (ObjectBase, ObjectChange<ObjectBase>) -> Void
    ) -> NotificationToken {
        guard let realm = _realm, let managedClass = _managedClass else {
            stop("Only objects which are managed by a Realm support change notifications")
        }
        _requireAlive()
        guard let queue else { return observe(keyPaths, managedClass, in: realm, block) }
        realm.requireObservable()
        let key = _key
        return QueuedToken(on: queue, realm) { realm in
            let managedClass = realm.counterpart(of: managedClass)
            guard managedClass.isAlive(key: key, birth: realm.generation) else {
                block(managedClass.makeAccessor(key: key), .deleted)
                return nil
            }
            return managedClass.makeAccessor(key: key).observe(keyPaths, on: nil, block)
        }
    }

    private func observe(
        _ keyPaths: [String]?, _ managedClass: ManagedClass, in realm: RealmInstance,
        _ block: @escaping (ObjectBase, ObjectChange<ObjectBase>) -> Void
    ) -> NotificationToken {
        let key = ObjectKey(rawValue: _key)
        let keyPaths = keyPaths?.isEmpty == true ? nil : keyPaths
        return realm.observe(
            isInitial: false,
            { ObservedObject($0.counterpart(of: managedClass), key, keyPaths: keyPaths) }
        ) { [self] report in
            switch report {
            case .object(let changes): block(self, .change(self, propertyChanges(changes)))
            case .deletion: block(self, .deleted)
            case .initial, .collection, .map: stop("An object reports the changes of an object.")
            }
        }
    }

    private func propertyChanges(_ changes: ObjectChanges) -> [PropertyChange] {
        changes.properties.map { position, old in
            let property = _model.declared[position]
            let isSingle = property.shape.collection == .none
            return PropertyChange(
                name: property.name, oldValue: old.flatMap { oldValue($0, of: property) },
                newValue: isSingle ? _value(ofPropertyNamed: property.name) ?? nil : nil)
        }
    }

    /// Returns a stored value of a property as the application sees it. A link to an object that
    /// does not exist any more is nil.
    private func oldValue(_ stored: OwnedScalar, of property: PropertyModel) -> Any? {
        guard let type = property.valueType as? any RealmCollectionValue.Type,
            let managedClass = _managedClass,
            let position = managedClass.model.position(ofStored: property.name)
        else { return nil }
        let column = managedClass.columns[position]
        let isLink = property.shape.type == .link || property.shape.type == .embedded
        let target = isLink ? managedClass.linkTarget(column: column) : nil
        return stored.withScalar { scalar in
            if let target, case .integer(let key) = scalar,
                !target.isAlive(key: key, birth: target.realm.generation)
            {
                return nil
            }
            return type.erased(
                scalar, target.map { _LinkSource(target: $0, birth: $0.realm.generation) })
        }
    }
}

extension RealmCollectionValue {
    /// Returns a stored value as the application sees it, without its type.
    fileprivate static func erased(_ scalar: Scalar, _ source: _LinkSource?) -> Any? {
        _eraseElement(_decode(scalar, source))
    }
}
