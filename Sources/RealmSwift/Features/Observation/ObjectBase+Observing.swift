import Dispatch
import StorageEngine

extension ObjectBase {
    /// Registers a handler of the changes of this object, which gets an object of the handler's
    /// Realm.
    func observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (ObjectChange<ObjectBase>) -> Void
    ) -> NotificationToken {
        let observable = observable(keyPaths)
        guard let queue else { return observable.observe(block) }
        let older = observable.realm.pinnedForObserving()
        return QueuedToken(on: queue, observable.realm, since: older) { realm, older in
            guard let object = self._counterpart(in: Realm(instance: realm)) else {
                block(.deleted)
                return nil
            }
            return object.observable(keyPaths).observe(since: older, block)
        }
    }

    /// This object, to be observed. Stops the program for an unmanaged or deleted one.
    func observable(_ keyPaths: [String]?) -> ObservableThing<ObjectChange<ObjectBase>> {
        observable(keyPaths) { managedClass in
            let declared = managedClass.model.declared
            let keyPaths = keyPaths?.isEmpty == true ? nil : keyPaths
            var paths: [Int: [String]] = [:]
            for keyPath in keyPaths ?? managedClass.model.properties.map(\.name) {
                let name = keyPath.prefix { $0 != "." }
                // An unknown name stops the program when its path is followed.
                let position = declared.firstIndex { $0.name == name } ?? -1
                paths[position, default: []].append(keyPath)
            }
            return paths.sorted { $0.key < $1.key }.map {
                ObservedObject.Part(number: $0.key, paths: $0.value, oldPosition: $0.key)
            }
        } _: { [self] changes in
            changes.properties.map { position, old in
                let property = _model.declared[position]
                let isSingle = property.shape.collection == .none
                return PropertyChange(
                    name: property.name, oldValue: old.flatMap { oldValue($0, at: position) },
                    newValue: isSingle ? _value(ofPropertyNamed: property.name) ?? nil : nil)
            }
        }
    }

    /// This object with some parts, to be observed.
    ///
    /// - Parameters:
    ///   - keyPaths: What tells the parts from others.
    ///   - parts: Returns the parts of an object of the class, in another Realm.
    ///   - propertyChanges: Returns the changes of the parts, where the handler is called.
    func observable(
        _ keyPaths: [String]?, of view: ObjectIdentifier? = nil,
        _ parts: @escaping (ManagedClass) -> [ObservedObject.Part],
        _ propertyChanges: @escaping (ObjectChanges) -> [PropertyChange]
    ) -> ObservableThing<ObjectChange<ObjectBase>> {
        guard let realm = _realm, let managedClass = _managedClass else {
            stop("Only objects which are managed by a Realm support change notifications")
        }
        _requireAlive()
        let key = ObjectKey(rawValue: _key)
        let subject = ObservedSubject.object(
            of: ClassIdentity(managedClass), key: _key, as: view)
        return ObservableThing(
            realm: realm, identity: ObservedIdentity(subject, keyPaths), isInitial: false,
            isOver: { [self] in isInvalidated },
            make: { realm in
                let managedClass = realm.counterpart(of: managedClass)
                return ObservedObject(managedClass, key, parts: parts(managedClass))
            },
            makeTranslation: { [self] in
                { [self] report in
                    switch report {
                    case .object(let changes):
                        // It may exist again after `invalidate()` or a cancelled deletion, but not
                        // for this accessor.
                        return isInvalidated ? nil : .change(self, propertyChanges(changes))
                    case .deletion: return .deleted
                    case .initial, .collection, .elements, .map:
                        stop("An object reports the changes of an object.")
                    }
                }
            })
    }

    /// Returns a stored value of the declared property at a position as the application sees it. A
    /// link to an object that does not exist any more is nil.
    func oldValue(_ stored: OwnedScalar, at position: Int) -> Any? {
        let property = _model.declared[position]
        guard let type = property.valueType as? any RealmCollectionValue.Type,
            let managedClass = _managedClass,
            let position = managedClass.model.position(ofStored: property.name)
        else { return nil }
        if property.shape.type == .mixed {
            return stored.withScalar { AnyRealmValue.oldValue($0, in: managedClass.realm) }
        }
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

extension AnyRealmValue {
    /// Returns a value as the application sees it. A list or map, which is not there any more, and
    /// a link to an object that does not exist any more, are nil.
    fileprivate static func oldValue(_ stored: Scalar, in realm: RealmInstance) -> Any? {
        guard let value = MixedValue(stored) else { return nil }
        if let plain = AnyRealmValue(plain: value) { return _eraseElement(plain) }
        guard case .link(let link) = value else { return nil }
        let target = realm.managedClass(ofTable: link.table)
        guard target.isAlive(key: link.key.rawValue, birth: realm.generation),
            let object = target.makeAccessor(key: link.key.rawValue) as? Object
        else { return nil }
        return _eraseElement(.object(object))
    }
}

extension RealmCollectionValue {
    /// Returns a stored value as the application sees it, without its type.
    fileprivate static func erased(_ scalar: Scalar, _ source: _LinkSource?) -> Any? {
        _eraseElement(_decode(scalar, source))
    }
}
