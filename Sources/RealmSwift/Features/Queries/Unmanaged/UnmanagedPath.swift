import StorageEngine

/// The values at the end of a key path that starts from a Swift object or another value.
struct UnmanagedPath {
    private let syntax: KeyPathSyntax
    private let evaluation: UnmanagedEvaluation
    /// The values so far. Collections are not expanded yet.
    private(set) var values: [Any?]
    /// The class of the objects among the values; nil for other values.
    private var model: ClassModel?
    /// The property from which the values were read.
    private var property: PropertyModel?
    /// Whether the values are collections. They are expanded to their elements unless a subscript
    /// follows.
    private var areCollections = false
    private var crossesCollections = false
    private var takesAllParts = false
    private var isCutShort = false
    private var operation: String?

    init(_ start: Any?, _ syntax: KeyPathSyntax, in evaluation: UnmanagedEvaluation) {
        self.syntax = syntax
        self.evaluation = evaluation
        values = [start]
        model = (unwrapped(start) as? ObjectBase)?._model
    }

    /// Whether the path can lead to several values, of which any is compared.
    var leadsToMany: Bool { operation == nil && crossesCollections }

    /// Whether a link along a path to one value is nil.
    var endsAtNullLink: Bool { isCutShort && !leadsToMany && operation == nil && !takesAllParts }

    /// The type of the compared values; nil for values of any type, which are compared without
    /// conversion.
    var type: ValueType? {
        switch operation {
        case nil: property?.shape.type
        case "count": .int
        default: nil
        }
    }

    /// Follows the steps of a key path.
    ///
    /// - Throws: ``InvalidPredicate`` for an unknown name, or an invalid operator or subscript.
    mutating func follow(_ steps: [KeyPathSyntax.Step]) throws {
        for step in steps {
            switch step {
            case .name(let name): try follow(name)
            case .operation(let name): try follow(operation: name)
            case .key(let key): try follow(key: key)
            case .index, .anyElement: try takeParts(step)
            }
        }
        if areCollections { takeApart() }
        if let operation { values = [try result(of: operation)] }
    }

    private func invalid(_ reason: String) -> InvalidPredicate {
        evaluation.error("Invalid keypath '\(syntax)': \(reason)", at: syntax.position)
    }

    // MARK: Names

    private mutating func follow(_ name: String) throws {
        if areCollections { takeApart() }
        guard let model else {
            throw invalid("'\(name)' follows what is no object.")
        }
        guard let next = model[name] else {
            throw evaluation.error(
                "Property '\(name)' not found in object of type '\(model.name)'",
                at: syntax.position)
        }
        let objects = values.compactMap { unwrapped($0) as? ObjectBase }
        if objects.isEmpty { isCutShort = true }
        values = objects.map { object in
            (object._model[name] ?? next).value(of: object)
        }
        property = next
        self.model = next.shape.linkedClass.map { ClassModel.of($0) }
        areCollections = next.shape.collection != .none
    }

    /// Replaces collections with their elements.
    private mutating func takeApart() {
        values = values.flatMap { Self.elements(of: $0) }
        areCollections = false
        crossesCollections = true
    }

    private static func elements(of value: Any?) -> [Any?] {
        switch unwrapped(value) {
        case let map as any RealmKeyedCollection: values(of: map)
        case let sequence as any Sequence: anyElements(sequence)
        default: []
        }
    }

    private static func values<Map: RealmKeyedCollection>(of map: Map) -> [Any?] {
        map.values.map { $0 }
    }

    private static func keys<Map: RealmKeyedCollection>(of map: Map) -> [Any?] {
        map.keys.map(\._storedKey)
    }

    // MARK: Subscripts

    private mutating func follow(key: String) throws {
        guard areCollections, property?.shape.collection == .map else {
            return try takeParts(.key(key))
        }
        values = values.map { value in
            (unwrapped(value) as? any RealmKeyedCollection).flatMap { Self.value(of: $0, key) }
        }
        areCollections = false
    }

    private static func value<Map: RealmKeyedCollection>(of map: Map, _ key: String) -> Any? {
        map[Map.Key(_storedKey: key)].flatMap { $0 as Any? }
    }

    /// Follows a subscript into lists and maps within mixed values.
    private mutating func takeParts(_ step: KeyPathSyntax.Step) throws {
        guard property == nil || property?.shape.type == .mixed else {
            throw invalid("Subscripts follow dictionaries and mixed values.")
        }
        if case .anyElement = step { takesAllParts = true }
        values = values.flatMap { Self.parts(step, of: $0) }
        if values.isEmpty, !takesAllParts { values = [nil] }
        areCollections = false
    }

    private static func parts(_ step: KeyPathSyntax.Step, of value: Any?) -> [Any?] {
        let list: [Any?]
        switch unwrapped(value) {
        case AnyRealmValue.list(let elements)?: list = elements.map { $0 }
        case let elements as List<AnyRealmValue>: list = elements.map { $0 }
        case AnyRealmValue.dictionary(let map)?: return parts(step, of: map)
        case let map as Map<String, AnyRealmValue>: return parts(step, of: map)
        default: return []
        }
        switch step {
        case .anyElement: return list
        case .index(let index):
            let position = index < 0 ? list.count + index : index
            return list.indices.contains(position) ? [list[position]] : []
        case .name, .operation, .key: return []
        }
    }

    private static func parts(
        _ step: KeyPathSyntax.Step, of map: Map<String, AnyRealmValue>
    ) -> [Any?] {
        switch step {
        case .anyElement: map.values.map { $0 }
        case .key(let key): map[key].map { [$0] } ?? []
        case .name, .operation, .index: []
        }
    }

    // MARK: Operators

    private mutating func follow(operation name: String) throws {
        switch name {
        case "count", "min", "max", "sum", "avg":
            if operation != nil {
                throw invalid("at most one collection operation per keypath is supported.")
            }
            operation = name
        case "allKeys":
            guard areCollections, property?.shape.collection == .map else {
                throw invalid("@allKeys must follow a dictionary property.")
            }
            values = values.flatMap { value in
                (unwrapped(value) as? any RealmKeyedCollection).map { Self.keys(of: $0) } ?? []
            }
            areCollections = false
            crossesCollections = true
            property = nil
        case "allValues":
            guard areCollections, property?.shape.collection == .map else {
                throw invalid("@allValues must follow a dictionary property.")
            }
        default: throw invalid("Unsupported collection operation '@\(name)'")
        }
    }

    private func result(of operation: String) throws -> Any? {
        guard let aggregate = Aggregate(rawValue: operation) else {
            return crossesCollections ? values.count : values.count { unwrapped($0) != nil }
        }
        guard let type = property?.shape.type, aggregate.isSupported(for: type) else {
            throw invalid(
                "@\(operation) can only be applied to a collection of numeric values.")
        }
        var accumulator = AggregateAccumulator(aggregate, type)
        for value in values { accumulator.add(unmanaged: value) }
        return accumulator.result
    }
}

extension PropertyModel {
    fileprivate func value(of object: ObjectBase) -> Any? { wrapper.value(of: object, at: offset) }
}
