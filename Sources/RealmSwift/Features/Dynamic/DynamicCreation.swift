import StorageEngine

/// A creator of objects whose class is known only by name. It also sets their properties from
/// values given by the application.
///
/// If the program has the class, an object of that class is made, with its defaults. Otherwise a
/// row is assembled from the values. Links and collections are filled later, from a queue, so that
/// chains need no deep recursion.
final class DynamicCreation {
    let realm: RealmInstance
    let update: Realm.UpdatePolicy
    private var pending: [(object: ObjectBase, property: PropertyModel, value: Any?)] = []
    private var isCompleting = false

    init(_ realm: RealmInstance, _ update: Realm.UpdatePolicy) {
        self.realm = realm
        self.update = update
    }

    /// Creates an object. Returns nil if the transaction has failed.
    func create(_ managedClass: ManagedClass, from value: Any) -> DynamicObject? {
        if let type = realm.schema[managedClass.model.name]?.type {
            return accessor(of: realm.create(type, from: value, update: update), managedClass)
        }
        let given = values(of: value, for: managedClass.model)
        let row = row(of: managedClass, given)
        guard let key = managedClass.store(row, update: update, given: Set(given.keys)) else {
            return nil
        }
        return completed(managedClass, key, given: given)
    }

    /// Sets a property of a dynamic object. A value that does not fit stops the program.
    func set(_ property: PropertyModel, of object: ObjectBase, to value: Any?) {
        if property.shape.type == .embedded {
            setEmbedded(property, of: object, to: value)
        } else {
            object._set(resolve(value, for: property), of: property, in: object._model)
        }
    }

    // MARK: Rows

    /// Returns the values of the properties, in scratch memory.
    func row(
        of managedClass: ManagedClass, _ given: [String: Any?]
    ) -> UnsafeMutableBufferPointer<Scalar> {
        let model = managedClass.model
        realm.scratch.reset()
        let row = realm.scratch.row(columns: managedClass.columns.count)
        for (property, column) in zip(model.properties, managedClass.columns) {
            if property.isDeferred {
                row[column] = .null
            } else if let value = given[property.name] {
                guard let scalar = property.valueType.storedForm(of: value, realm.scratch) else {
                    stop(model.invalidValue(value, for: property))
                }
                row[column] = scalar
            } else {
                row[column] = property.valueType.defaultForm(realm.scratch)
            }
        }
        return row
    }

    /// Returns the object of a new or updated row, after setting its links and collections.
    @discardableResult
    func completed(
        _ managedClass: ManagedClass, _ key: Int64, given: [String: Any?]
    ) -> DynamicObject {
        let object = managedClass.makeAccessor(key: key)
        for property in managedClass.model.properties where property.isDeferred {
            if let value = given[property.name] { pending.append((object, property, value)) }
        }
        if !isCompleting {
            isCompleting = true
            while let (object, property, value) = pending.popLast() {
                set(property, of: object, to: value)
            }
            isCompleting = false
        }
        return unsafeDowncast(object, to: DynamicObject.self)
    }

    /// Returns the values of the properties that a value contains, by property name.
    func values(of value: Any, for model: ClassModel) -> [String: Any?] {
        if let object = asObject(value) {
            let source = object._model
            let entries = model.properties.map { property -> (String, Any?) in
                guard let origin = source[property.name] else {
                    model.stopForMissing(property, in: object)
                }
                return (property.name, origin.wrapper.value(of: object, at: origin.offset))
            }
            return Dictionary(uniqueKeysWithValues: entries)
        }
        switch value {
        case let dictionary as [String: Any]: return dictionary
        case let array as [Any]:
            model.requireFit(array)
            return Dictionary(
                uniqueKeysWithValues: zip(model.properties, array).map { ($0.name, $1) })
        default: model.stopForUnusable(value)
        }
    }

    // MARK: Links

    /// Returns the value for a property. Values that describe objects are replaced by existing
    /// objects.
    private func resolve(_ value: Any?, for property: PropertyModel) -> Any? {
        guard property.shape.isLink, let value = unwrapped(value),
            let name = property.linkedClassName
        else { return value }
        let target = realm.dynamicClass(named: name)
        switch property.shape.collection {
        case .none: return linkable(value, target)
        case .map:
            return linkableEntries(of: value, target) ?? value
        case .list, .set:
            guard let elements = value as? any Sequence else { return value }
            return anyElements(elements).map { $0.map { linkable($0, target) } }
        }
    }

    /// Returns the entries as objects; nil if a value does not fit.
    private func linkableEntries(
        of value: Any, _ target: ManagedClass
    ) -> Map<String, DynamicObject?>? {
        guard let entries = entriesOfAnyMap(value) else { return nil }
        let map = Map<String, DynamicObject?>()
        for (key, value) in entries {
            guard let value = unwrapped(value) else {
                map[key] = .some(nil)
                continue
            }
            guard let object = linkable(value, target) as? DynamicObject else { return nil }
            map[key] = object
        }
        return map
    }

    /// Returns a dynamic object for a value. A value that does not fit is returned unchanged.
    private func linkable(_ value: Any, _ target: ManagedClass) -> Any {
        guard let object = asObject(value) else {
            let isFitting = value is [String: Any] || value is [Any]
            return isFitting ? create(target, from: value) ?? value : value
        }
        if object._context == nil {
            guard object._model.name == target.model.name else { return value }
            _ = realm.addGraph(object, update: update)
        } else if object._realm !== realm {
            return create(target, from: object) ?? value
        }
        return accessor(of: object, target) ?? value
    }

    private func accessor(of object: ObjectBase, _ managedClass: ManagedClass) -> DynamicObject? {
        guard object._managedClass?.table === managedClass.table else { return nil }
        return unsafeDowncast(managedClass.makeAccessor(key: object._key), to: DynamicObject.self)
    }
}
