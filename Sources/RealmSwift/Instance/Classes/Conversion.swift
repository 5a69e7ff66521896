import Foundation

/// A conversion of values given by the application, such as dictionaries, to unmanaged objects.
///
/// Objects within other objects are created at once and filled later, from a queue. A chain of any
/// length thus needs no deep recursion.
public final class _ValueConversion {
    /// The Realm whose objects are linked to as they are. All other objects are copied. If it is
    /// nil, no object is copied.
    let realm: RealmInstance?
    /// The properties for which values were given, by object made. Used for updates.
    private(set) var given: [ObjectIdentifier: Set<String>] = [:]
    private let notesGiven: Bool
    /// Whether unmanaged objects are added to the Realm themselves instead of being copied.
    private let adoptsObjects: Bool
    private var isFilling = false
    private var pending: [(object: ObjectBase, value: Any)] = []
    /// The copies made so far. An object that occurs again is not copied again, so cycles end.
    private var copies: [Source: ObjectBase] = [:]
    /// References to given and made objects, which keep their identifiers unique.
    private var kept: [ObjectBase] = []

    /// The values that cannot be mapped; nil until there is one.
    private var unmappables: Unmappables?

    /// The values that have the stored type of a property, but that the property's type cannot
    /// represent.
    private final class Unmappables {
        /// The last such value, and the type that cannot represent it.
        var last: (value: Any, type: Any.Type)?
        /// The values of each object made, by position of the property. They are stored as given.
        var values: [ObjectIdentifier: [Int: Any]] = [:]
    }

    /// An object to copy: a row of a Realm, or an unmanaged instance.
    private struct Source: Hashable {
        let owner: ObjectIdentifier
        let key: Int64
        let type: ObjectIdentifier

        init(_ object: ObjectBase, as type: ObjectBase.Type) {
            owner = object._managedClass.map { ObjectIdentifier($0) } ?? ObjectIdentifier(object)
            key = object._key
            self.type = ObjectIdentifier(type)
        }
    }

    init(realm: RealmInstance?, notesGiven: Bool = false, adoptsObjects: Bool = false) {
        self.realm = realm
        self.adoptsObjects = adoptsObjects
        self.notesGiven = notesGiven
    }

    static var detached: _ValueConversion { _ValueConversion(realm: nil) }

    // MARK: Making objects

    /// Returns an object of class `type` for a link; nil if the value does not fit.
    func object(of type: ObjectBase.Type, from value: Any) -> ObjectBase? {
        if let object = asObject(value) {
            return linkable(object, as: type) ?? make(type, from: object)
        }
        let isFitting =
            value is [String: Any] || value is [AnyHashable: Any] || value is [Any]
        return isFitting ? make(type, from: value) : nil
    }

    /// Returns the object itself if it is a valid target of the link; otherwise nil.
    private func linkable(_ object: ObjectBase, as type: ObjectBase.Type) -> ObjectBase? {
        guard let realm else { return Swift.type(of: object) == type ? object : nil }
        if adoptsObjects, object._context == nil, Swift.type(of: object) == type { return object }
        // An embedded object has one owner, so a second owner gets a copy.
        guard object._realm === realm, !(type is EmbeddedObject.Type) else { return nil }
        if Swift.type(of: object) == type { return object }
        let managedClass = realm.managedClass(for: type)
        guard object._managedClass?.table === managedClass.table else { return nil }
        return managedClass.makeAccessor(key: object._key)
    }

    /// Returns a new unmanaged object with the given values.
    func make(_ type: ObjectBase.Type, from value: Any) -> ObjectBase {
        // Embedded objects are not shared between places, so copies of them are not recorded.
        guard let value = asObject(value), !(type is EmbeddedObject.Type) else {
            let object = type.init()
            fill(object, from: value)
            return object
        }
        let source = Source(value, as: type)
        if let copy = copies[source] { return copy }
        let copy = type.init()
        copies[source] = copy
        fill(copy, from: value)
        return copy
    }

    /// Sets the values of an object: now, or, if another object is being filled, after that.
    func fill(_ object: ObjectBase, from value: Any) {
        pending.append((object, value))
        if !isFilling { fillPending() }
    }

    private func fillPending() {
        isFilling = true
        defer { isFilling = false }
        while let (object, value) = pending.popLast() { fillNow(object, from: value) }
    }

    /// Returns the result of `convert` with all new objects filled, for callers that read them at
    /// once.
    func filled<Value>(_ convert: () -> Value?) -> Value? {
        let outer = (pending: pending, isFilling: isFilling)
        pending = []
        isFilling = true
        let value = convert()
        fillPending()
        (pending, isFilling) = outer
        return value
    }

    // MARK: Filling

    private func fillNow(_ object: ObjectBase, from value: Any) {
        let model = object._model
        var names: Set<String>? = notesGiven ? [] : nil
        if let source = asObject(value) {
            kept.append(source)
            fill(object, of: model, fromObject: source, names: &names)
        } else if let dictionary = value as? [String: Any] {
            fill(object, of: model, fromDictionary: dictionary, names: &names)
        } else if let array = value as? [Any] {
            fill(object, of: model, fromArray: array, names: &names)
        } else {
            model.stopForUnusable(value)
        }
        guard let names else { return }
        kept.append(object)
        given[ObjectIdentifier(object)] = names
    }

    private func fill(
        _ object: ObjectBase, of model: ClassModel, fromDictionary dictionary: [String: Any],
        names: inout Set<String>?
    ) {
        for property in model.properties {
            guard let value = dictionary[property.name] else { continue }
            set(property, of: object, to: value, in: model)
            names?.insert(property.name)
        }
    }

    private func fill(
        _ object: ObjectBase, of model: ClassModel, fromArray array: [Any],
        names: inout Set<String>?
    ) {
        model.requireFit(array)
        for (property, value) in zip(model.properties, array) {
            set(property, of: object, to: value, in: model)
            names?.insert(property.name)
        }
    }

    private func fill(
        _ object: ObjectBase, of model: ClassModel, fromObject source: ObjectBase,
        names: inout Set<String>?
    ) {
        let sourceModel = source._model
        for property in model.properties {
            guard let origin = sourceModel[property.name] else {
                model.stopForMissing(property, in: source)
            }
            let value = origin.wrapper.value(of: source, at: origin.offset)
            set(property, of: object, to: value, in: model)
            names?.insert(property.name)
        }
    }

    /// Sets a property of an unmanaged object. A value that does not fit stops the program.
    func set(
        _ property: PropertyModel, of object: ObjectBase, to value: Any?, in model: ClassModel
    ) {
        unmappables?.last = nil
        if property.wrapper.setValue(value, of: object, at: property.offset, by: self) { return }
        // An unmanaged object cannot hold such a value; it is recorded for the Realm.
        guard realm != nil, let unmappables, unmappables.last != nil, let value,
            let position = model.position(ofStored: property.name)
        else { stopForUnfit(value, for: property, of: model) }
        kept.append(object)
        unmappables.values[ObjectIdentifier(object), default: [:]][position] = value
    }

    // MARK: Values that no value of the type stands for

    /// Records a value of the stored type that `type` cannot represent.
    func noteUnmappable(_ value: Any, as type: Any.Type) {
        let unmappables = unmappables ?? Unmappables()
        unmappables.last = (value, type)
        self.unmappables = unmappables
    }

    /// Forgets what was noted last.
    func forgetUnmappable() { unmappables?.last = nil }

    /// Returns the values that are stored as given, by position of the property; nil if there are
    /// none.
    func unmappedValues(of object: ObjectBase) -> [Int: Any]? {
        unmappables?.values[ObjectIdentifier(object)]
    }

    /// Sets a property of a managed object. A value that does not fit stops the program.
    func set(
        _ property: PropertyModel, ofManaged object: ObjectBase, to value: Any?,
        in model: ClassModel
    ) {
        if isHeld(value, by: property, of: object) { return }
        unmappables?.last = nil
        if property.wrapper.setValue(value, of: object, at: property.offset, by: self) { return }
        if hasMetUnmappable {
            unmappables?.last = nil
            if property.storedWrapper.setValue(value, of: object, at: property.offset, by: self) {
                return
            }
        }
        stopForUnfit(value, for: property, of: model)
    }

    /// Returns whether a value is the embedded object that the property already holds. Any other
    /// managed embedded object is copied, because it belongs to its place.
    private func isHeld(
        _ value: Any?, by property: PropertyModel, of object: ObjectBase
    ) -> Bool {
        guard property.shape.type == .embedded, property.shape.collection == .none,
            let given = unwrapped(value).flatMap(asObject), given._context != nil,
            let managedClass = object._managedClass, object._requireWritable(property.offset)
        else { return false }
        let column = Int(object._column(property.offset).index)
        let slot = _ValueSlot(
            .property(managedClass, key: object._key, birth: object._birth, column: column))
        return managedClass.linkTarget(column: column).isHeld(given, in: slot)
    }

    private func stopForUnfit(
        _ value: Any?, for property: PropertyModel, of model: ClassModel
    ) -> Never {
        stopIfUnmappable()
        stop(model.invalidValue(value, for: property))
    }

    var hasMetUnmappable: Bool { unmappables?.last != nil }

    /// Stops the program if a value was recorded that its type cannot represent.
    func stopIfUnmappable() {
        guard let (value, type) = unmappables?.last else { return }
        stop("Could not convert value '\(described(value))' to type '\(type)'.")
    }
}
