import Foundation

/// Turns values that an application gives, such as dictionaries, into objects and properties.
public struct _ValueConversion {
    /// Objects of this Realm are linked to as they are; all others are copied. Nil: no object is
    /// copied.
    let realm: RealmInstance?
    /// For each object made, the properties that its value gave. The objects are kept alive, so
    /// that identifiers stay unique.
    final class Record {
        var given: [ObjectIdentifier: Set<String>] = [:]
        var made: [ObjectBase] = []
        var copies: [ObjectIdentifier: ObjectBase] = [:]
    }
    let record = Record()

    var given: [ObjectIdentifier: Set<String>] { record.given }

    init(realm: RealmInstance?) { self.realm = realm }

    static var detached: _ValueConversion { _ValueConversion(realm: nil) }

    /// An object of class `type` for a link; nil if the value does not fit.
    func object(of type: ObjectBase.Type, from value: Any) -> ObjectBase? {
        if let object = value as? ObjectBase, Swift.type(of: object) == type {
            if realm == nil || object._realm === realm { return object }
        }
        let isFitting =
            value is ObjectBase || value is [String: Any] || value is [AnyHashable: Any]
            || value is [Any]
        return isFitting ? make(type, from: value) : nil
    }

    /// A new unmanaged object with the given values.
    func make(_ type: ObjectBase.Type, from value: Any) -> ObjectBase {
        if let source = value as? ObjectBase {
            if let copy = record.copies[ObjectIdentifier(source)] { return copy }
            let copy = type.init()
            record.copies[ObjectIdentifier(source)] = copy
            record.made.append(source)
            fill(copy, from: source)
            return copy
        }
        let object = type.init()
        fill(object, from: value)
        return object
    }

    func fill(_ object: ObjectBase, from value: Any) {
        let model = ClassModel.of(type(of: object))
        var names: Set<String> = []
        switch value {
        case let source as ObjectBase:
            names = fill(object, of: model, fromObject: source)
        case let dictionary as [String: Any]:
            for property in model.properties {
                guard let value = dictionary[property.name] else { continue }
                set(property, of: object, to: value, model)
                names.insert(property.name)
            }
        case let array as [Any]:
            if array.count > model.properties.count {
                stop(
                    "Invalid array input: more values (\(array.count)) than properties "
                        + "(\(model.properties.count)).")
            }
            for (property, value) in zip(model.properties, array) {
                set(property, of: object, to: value, model)
                names.insert(property.name)
            }
        default:
            stop(
                "Invalid value '\(value)' of type '\(type(of: value))' to initialize object of "
                    + "type '\(model.name)'.")
        }
        record.given[ObjectIdentifier(object)] = names
        record.made.append(object)
    }

    private func fill(
        _ object: ObjectBase, of model: ClassModel, fromObject source: ObjectBase
    ) -> Set<String> {
        let sourceModel = ClassModel.of(type(of: source))
        for property in model.properties {
            guard let origin = sourceModel[property.name] else {
                stop(
                    "Invalid value '\(source)' to initialize object of type '\(model.name)': "
                        + "missing key '\(property.name)'")
            }
            set(
                property, of: object,
                to: origin.wrapper.value(of: source, at: origin.offset), model)
        }
        return Set(model.properties.map(\.name))
    }

    private func set(
        _ property: PropertyModel, of object: ObjectBase, to value: Any?, _ model: ClassModel
    ) {
        guard property.wrapper.setValue(value, of: object, at: property.offset, self) else {
            stop(model.invalidValue(value, for: property))
        }
    }
}
