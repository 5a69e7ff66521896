import Foundation
import StorageEngine

/// An aggregate of all values of a property, or of a collection of values. Nil values are ignored.
enum Aggregate: String {
    case min, max, sum
    case average = "avg"

    /// Returns the result in the form of dynamic interfaces. Without values, the result of a sum is
    /// zero and all other results are nil.
    ///
    /// A type that the aggregate does not support stops the program. `property` is nil for a
    /// collection of values.
    func run(over contents: CollectionContents, property name: String?) -> Any? {
        guard let model = contents.model else {
            if let name, name != "self" {
                stop("Property '\(name)' not found in a collection of values.")
            }
            return runOverValues(contents)
        }
        guard let name else { stop("An aggregate of objects needs a property.") }
        let property = contents.property(named: name, of: model)
        let type = property.shape.collection == .none ? property.shape.type : nil
        requireSupported(type) { "\(property.typeDescription) property '\(model.name).\(name)'" }
        let position = model.properties.firstIndex { $0.name == name }
        guard let position, let type else { return nil }
        switch contents.source {
        case .results(let query):
            let column = query.managedClass.columns[position]
            return query.realm.connection.searching {
                if let plan = query.planOfAggregates { return run(over: plan, column, type: type) }
                return run(
                    over: query.keys.unpacked, of: query.managedClass, column: column, type: type)
            }
        case .links(let keys, let managedClass):
            return run(
                over: keys, of: managedClass, column: managedClass.columns[position], type: type)
        case .objects(let objects, _):
            var accumulator = AggregateAccumulator(self, type)
            for object in objects {
                accumulator.add(
                    unmanaged: property.wrapper.value(of: object, at: property.offset))
            }
            return accumulator.result
        case .stored, .values: return nil
        }
    }

    private func runOverValues(_ contents: CollectionContents) -> Any? {
        switch contents.source {
        case .stored(let type, let forEach, _):
            requireSupported(type) { "\(type.name) \(contents.kindName.lowercased())" }
            return contents.realm?.read(absent: AggregateAccumulator(self, type).result) {
                var accumulator = AggregateAccumulator(self, type)
                try forEach {
                    accumulator.add($0)
                    return true
                }
                return accumulator.result
            } ?? nil
        case .values(let values, let type):
            requireSupported(type) { "\(type.name) \(contents.kindName.lowercased())" }
            var accumulator = AggregateAccumulator(self, type)
            for value in values { accumulator.add(unmanaged: value) }
            return accumulator.result
        case .results, .links, .objects: return nil
        }
    }

    func requireSupported(_ type: ValueType?, _ place: () -> String) {
        if let type, isSupported(for: type) { return }
        stop("Operation '\(rawValue)' not supported for \(place())")
    }

    func isSupported(for type: ValueType) -> Bool {
        switch type.traits.family {
        case .number, .mixed: true
        case .date: self == .min || self == .max
        case .bool, .string, .data, .identifier, .link: false
        }
    }

    /// Aggregates the values of the objects with the given keys, one by one.
    private func run(
        over keys: ContiguousArray<Int64>, of managedClass: ManagedClass, column: Int,
        type: ValueType
    ) -> Any? {
        attempt {
            var accumulator = AggregateAccumulator(self, type)
            try managedClass.forEachValue(column, of: keys) { accumulator.add($0) }
            return accumulator.result
        }
    }

    /// Aggregates a column of the objects of a query plan. The engine processes whole columns of
    /// numbers at once. Values are added in key order, whatever the sort order of the objects.
    private func run(over plan: QueryPlan, _ column: Int, type: ValueType) -> Any? {
        if type.traits.addition == .decimals {
            return attempt {
                var accumulator = AggregateAccumulator(self, type)
                try plan.forEachValue(column) { accumulator.add($0) }
                return accumulator.result
            }
        }
        return attempt {
            switch self {
            case .min: return Self.result(try plan.minimum(column), type)
            case .max: return Self.result(try plan.maximum(column), type)
            case .average: return try plan.sum(column).average
            case .sum: return Self.result(try plan.sum(column), type)
            }
        }
    }

    /// Returns the result for the values of a group.
    func result(of summary: GroupSummary, type: ValueType) -> Any? {
        switch self {
        case .min: Self.result(summary.minimum, type)
        case .max: Self.result(summary.maximum, type)
        case .average: summary.sum.average
        case .sum: Self.result(summary.sum, type)
        }
    }

    private static func result(_ extreme: Scalar?, _ type: ValueType) -> Any? {
        extreme.flatMap { MixedValue($0, storedAs: type) }?.aggregateResult
    }

    private static func result(_ sum: ColumnSum, _ type: ValueType) -> Any {
        type.traits.addition == .integers
            ? AggregateAccumulator.sum(of: sum.integer) : sum.floating
    }
}
