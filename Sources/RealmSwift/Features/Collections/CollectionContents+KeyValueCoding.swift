import Foundation
import StorageEngine

extension CollectionContents {
    /// The elements in the form of dynamic interfaces.
    private var elements: [Any] {
        switch source {
        case .stored(_, _, let elements): elements().map { boxed($0) ?? NSNull() }
        case .values(let values, _): values.map { boxed($0) ?? NSNull() }
        case .results, .links, .objects: objects
        }
    }

    /// The elements of a collection of objects.
    private var objects: [ObjectBase] {
        switch source {
        case .results(let query):
            query.keys.unpacked.map { query.managedClass.makeAccessor(key: $0) }
        case .links(let keys, let target): keys.map { target.makeAccessor(key: $0) }
        case .objects(let objects, _): objects
        case .stored, .values: []
        }
    }

    func value(forKey key: String) -> [Any] {
        if key == "self" { return elements }
        guard let model else { stop("Property '\(key)' not found in a collection of values.") }
        requireProperty(key, of: model)
        return objects.map { $0.value(forKey: key) ?? NSNull() }
    }

    /// Returns the values of a property; for a set, as a `Set`.
    func anyValue(forKey key: String) -> Any {
        let values = value(forKey: key)
        return kindName == SetHandle.kindName ? asSet(values) : values
    }

    private func asSet(_ values: [Any]) -> Any { Set(values.compactMap { $0 as? AnyHashable }) }

    /// Returns the values of a property without duplicates.
    func distinctValues(forKey key: String) -> [Any] { distinct(value(forKey: key)) }

    /// Stops the program if the property does not exist. Keys that every object supports besides
    /// its properties are left to the object.
    private func requireProperty(_ key: String, of model: ClassModel) {
        if key != "invalidated" { _ = property(named: key, of: model) }
    }

    func value(forKeyPath keyPath: String) -> Any? {
        if keyPath.hasPrefix("@") { return resultOfOperator(in: keyPath) }
        if !keyPath.contains(".") { return anyValue(forKey: keyPath) }
        let values: [Any] = objects.map { $0.value(forKeyPath: keyPath) ?? NSNull() }
        return kindName == SetHandle.kindName ? asSet(values) : values
    }

    func setValue(_ value: Any?, forKey key: String) {
        if let realm, !realm.isWriting {
            stop("Cannot modify \(kindName) outside of a write transaction.")
        }
        guard let model else { stop("Property '\(key)' not found in a collection of values.") }
        requireProperty(key, of: model)
        if setStored(value, forKey: key) { return }
        for object in objects { object.setValue(value, forKey: key) }
    }

    // MARK: Operators

    /// Evaluates `@operator.property`. The property is `self` for a collection of values.
    private func resultOfOperator(in keyPath: String) -> Any? {
        let parts = keyPath.dropFirst().split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if name == "count" { return NSNumber(value: elements.count) }
        guard let operation = CollectionOperator(name) else {
            stop("Unsupported KVC collection operator found in key path '\(keyPath)'")
        }
        guard parts.count == 2, !parts[1].isEmpty else {
            stop("Missing key path for KVC collection operator \(name) in key path '\(keyPath)'")
        }
        let property = String(parts[1])
        if property.contains(".") {
            stop("Nested key paths are not supported yet for KVC collection operators.")
        }
        switch operation {
        case .aggregate(let aggregate):
            return boxed(aggregate.run(over: self, property: property))
        case .union(let isOfArrays, let isDistinct):
            let values = value(forKey: property).filter { !($0 is NSNull) }
            let union = isOfArrays ? values.flatMap { flattened($0) } : values
            return isDistinct ? distinct(union) : union
        }
    }

    private func flattened(_ value: Any) -> [Any] {
        (value as? any Sequence).map { anyElements($0).map { boxed($0) ?? NSNull() } } ?? [value]
    }

    /// Returns the values without duplicates.
    private func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            let identity =
                (value as? String).map { AnyHashable(StoredText($0)) } ?? (value as? AnyHashable)
            return identity.map { seen.insert($0).inserted } ?? true
        }
    }
}

/// An operator in a key path, applied to the values of a property.
private enum CollectionOperator {
    case aggregate(Aggregate)
    case union(isOfArrays: Bool, isDistinct: Bool)

    init?(_ name: String) {
        if let aggregate = Aggregate(rawValue: name) {
            self = .aggregate(aggregate)
            return
        }
        switch name {
        case "unionOfObjects": self = .union(isOfArrays: false, isDistinct: false)
        case "distinctUnionOfObjects": self = .union(isOfArrays: false, isDistinct: true)
        case "unionOfArrays": self = .union(isOfArrays: true, isDistinct: false)
        case "distinctUnionOfArrays": self = .union(isOfArrays: true, isDistinct: true)
        default: return nil
        }
    }
}
