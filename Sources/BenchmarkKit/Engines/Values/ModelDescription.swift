import StorageEngine
import ToolSupport

/// A workload over classes that are made up for it, as a suite file describes it. It needs no
/// Swift: its tables are those of the storage engine.
struct ModelDescription: Codable, Equatable, Sendable {
    var name: String
    var summary: String?
    var classes: [ModelClass]
    var operations: [Operation]

    struct ModelClass: Codable, Equatable, Sendable {
        var name: String
        /// The objects in the file before the measurement.
        var objects: Int
        var properties: [Property]
    }

    struct Property: Codable, Equatable, Sendable {
        var name: String
        var type: PropertyType
        var primaryKey: Bool?
        var indexed: Bool?
        /// The share of objects without a value, from 0 to 1; nil for a property that always has
        /// one.
        var nulls: Double?
        /// The least and the greatest number, both included.
        var range: [Double]?
        /// The least and the greatest number of letters or bytes.
        var length: [Int]?
        /// The number of different values; nil for as many as there may be.
        var distinct: Int?
        var distribution: Distribution?
        /// The class that links lead to.
        var target: String?
    }

    enum PropertyType: String, Codable, CaseIterable, Sendable {
        case bool, int, float, double, string, data, date, link
    }

    enum Distribution: String, Codable, CaseIterable, Sendable {
        case uniform, zipfian
    }

    struct Operation: Codable, Equatable, Sendable {
        enum Kind: String, Codable, CaseIterable, Sendable {
            case insert, update, delete, read
        }

        enum Choice: String, Codable, CaseIterable, Sendable {
            case uniform, zipfian, latest
        }

        var `do`: Kind
        var `class`: String
        /// How often the operation is chosen, relative to the others.
        var share: Double
        /// The properties that are read or given other values; nil for all but a primary key.
        var properties: [String]?
        /// Which objects are more popular than others.
        var choice: Choice?
    }

    /// The objects in the file before the measurement, of all classes.
    var objects: Int { classes.map(\.objects).reduce(0, +) }
}

extension ModelDescription.Property {
    var isPrimaryKey: Bool { primaryKey ?? false }

    var column: ColumnDefinition {
        let type: ValueType =
            switch type {
            case .bool: .bool
            case .int: .int
            case .float: .float
            case .double: .double
            case .string: .string
            case .data: .data
            case .date: .date
            case .link: .link
            }
        return ColumnDefinition(
            name: name, type: type, isOptional: nulls != nil, isPrimaryKey: isPrimaryKey,
            isIndexed: indexed ?? false, linkTarget: target)
    }
}

extension ModelDescription.ModelClass {
    var table: TableDefinition { TableDefinition(name: name, columns: properties.map(\.column)) }

    var primaryKey: Int? { properties.firstIndex { $0.isPrimaryKey } }
}

// MARK: Checks

extension ModelDescription {
    /// The first mistake, as a sentence that says where it is; nil if the model can be run.
    func problem() -> String? {
        let isPlain = name.allSatisfy {
            $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-")
        }
        if !isPlain || name.isEmpty {
            return "'\(name)' cannot be the name of a model: lower-case letters, digits and '-' "
                + "can."
        }
        if classes.isEmpty { return "the model '\(name)' has no classes." }
        if operations.isEmpty { return "the model '\(name)' has no operations." }
        for (index, own) in classes.enumerated() {
            let place = "class '\(own.name)' of the model '\(name)'"
            if own.name.isEmpty { return "class \(index + 1) of the model '\(name)' has no name." }
            if classes[..<index].contains(where: { $0.name == own.name }) {
                return "the model '\(name)' has two classes named '\(own.name)'."
            }
            if !(0...1_000_000_000).contains(own.objects) {
                return "'objects' of the \(place) must be from 0 to 1000000000."
            }
            if own.properties.isEmpty { return "the \(place) has no properties." }
            for (position, property) in own.properties.enumerated() {
                if own.properties[..<position].contains(where: { $0.name == property.name }) {
                    return "the \(place) has two properties named '\(property.name)'."
                }
                if let problem = problem(of: property, earlier: classes[..<index]) {
                    return "property '\(property.name)' of the \(place): \(problem)"
                }
            }
            if own.properties.count(where: \.isPrimaryKey) > 1 {
                return "the \(place) has two primary keys."
            }
        }
        for (index, operation) in operations.enumerated() {
            if let problem = problem(of: operation) {
                return "operation \(index + 1) of the model '\(name)': \(problem)"
            }
        }
        return nil
    }

    private func problem(of property: Property, earlier: ArraySlice<ModelClass>) -> String? {
        if property.name.isEmpty { return "it has no name." }
        if let idle = idleKey(of: property) { return idle }
        if let range = property.range, range.count != 2 || range[0] > range[1] {
            return "'range' is a list of two numbers, the least and the greatest."
        }
        if property.type == .int, let range = property.range,
            range.contains(where: { abs($0) > 9e15 || $0 != $0.rounded() })
        {
            return "'range' of an int has whole numbers of at most 9e15."
        }
        if let length = property.length,
            length.count != 2 || length[0] > length[1] || length[0] < 0 || length[1] > 1_000_000
        {
            return "'length' is a list of two numbers from 0 to 1000000, the least and the "
                + "greatest."
        }
        if let nulls = property.nulls, !(0...1).contains(nulls) {
            return "'nulls' is a share from 0 to 1."
        }
        if let distinct = property.distinct, !(1...1_000_000_000).contains(distinct) {
            return "'distinct' must be from 1 to 1000000000."
        }
        if property.indexed == true, property.column.type.traits.indexKeyKind == nil {
            return "a property of the type '\(property.type)' cannot be indexed."
        }
        if property.isPrimaryKey, property.type != .int, property.type != .string {
            return "a primary key is an int or a string."
        }
        guard property.type == .link else { return nil }
        guard let target = property.target else { return "a link needs a 'target'." }
        guard let found = earlier.first(where: { $0.name == target }) else {
            return NameSuggestion.message(
                kind: "earlier class", name: target, among: earlier.map(\.name))
        }
        if found.objects == 0 { return "its target '\(target)' has no objects before the run." }
        if operations.contains(where: { $0.do == .delete && $0.class == target }) {
            return "its target '\(target)' must not be deleted from, so that the result is known."
        }
        return nil
    }

    /// The sentence about the first key without effect; nil if each has one.
    private func idleKey(of property: Property) -> String? {
        let given: [(key: String, isGiven: Bool)] = [
            ("nulls", property.nulls != nil), ("range", property.range != nil),
            ("length", property.length != nil), ("distinct", property.distinct != nil),
            ("distribution", property.distribution != nil), ("target", property.target != nil),
        ]
        var heeded: Set<String>
        switch property.type {
        case .bool: heeded = ["nulls"]
        case .int, .float, .double, .date: heeded = ["nulls", "range", "distinct", "distribution"]
        case .string, .data: heeded = ["nulls", "length", "distinct", "distribution"]
        case .link: heeded = ["nulls", "distribution", "target"]
        }
        if property.isPrimaryKey { heeded = property.type == .string ? ["length"] : [] }
        // Without a number of values, all that there may be are equally frequent.
        if property.type != .link, property.distinct == nil { heeded.remove("distribution") }
        guard let idle = given.first(where: { $0.isGiven && !heeded.contains($0.key) }) else {
            return nil
        }
        let reason =
            property.isPrimaryKey
            ? "of a primary key"
            : idle.key == "distribution" && property.type != .bool
                ? "without 'distinct'" : "for the type '\(property.type)'"
        return "'\(idle.key)' has no effect \(reason)."
    }

    private func problem(of operation: Operation) -> String? {
        guard let own = classes.first(where: { $0.name == operation.class }) else {
            return NameSuggestion.message(
                kind: "class", name: operation.class, among: classes.map(\.name))
        }
        if !(operation.share > 0 && operation.share <= 1e9) {
            return "'share' must be above 0 and at most 1000000000."
        }
        switch operation.do {
        case .insert:
            if operation.properties != nil { return "'properties' has no effect on an insert." }
            if operation.choice != nil { return "'choice' has no effect on an insert." }
        case .delete:
            if operation.properties != nil { return "'properties' has no effect on a delete." }
        case .read, .update:
            for name in operation.properties ?? [] {
                guard let property = own.properties.first(where: { $0.name == name }) else {
                    return NameSuggestion.message(
                        kind: "property of '\(own.name)'", name: name,
                        among: own.properties.map(\.name))
                }
                if operation.do == .update, property.isPrimaryKey {
                    return "the primary key '\(name)' cannot be updated."
                }
            }
            if operation.properties?.isEmpty == true { return "'properties' is an empty list." }
            if columns(of: operation).isEmpty { return "'\(own.name)' has nothing to update." }
        }
        return nil
    }

    /// The positions of the properties that an operation reads or gives other values.
    func columns(of operation: Operation) -> [Int] {
        guard let own = classes.first(where: { $0.name == operation.class }) else { return [] }
        return own.properties.indices.filter { index in
            let property = own.properties[index]
            return operation.properties?.contains(property.name)
                ?? (operation.do == .read || !property.isPrimaryKey)
        }
    }
}
