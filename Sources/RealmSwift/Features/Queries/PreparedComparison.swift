import StorageEngine

/// A key path resolved in a class, together with an operator: the part that comparisons with
/// different constants share.
///
/// It is a class because a resolved key path is expensive to copy for each query. It refers to
/// classes of a Realm instance, and is used only on the thread of that instance.
final class PreparedComparison {
    private let resolution: ConstantResolution
    /// The fast test for constants of the property's own type; nil if there is none.
    private let test: ColumnComparison?

    init(_ resolution: ConstantResolution) {
        self.resolution = resolution
        test = ColumnComparison(resolution)
    }

    /// Returns the condition for a value or a list.
    ///
    /// - Throws: ``InvalidPredicate`` if the constant does not fit the key path.
    func condition(_ constant: OperandSyntax) throws -> QueryCondition {
        if let condition = test?.condition(constant) { return condition }
        return try resolution.condition(PredicateOperand(constant))
    }
}

/// The fast path for the comparison of a property with constants of its own type, using rules that
/// the engine implements too.
///
/// Anything else takes the slow path through ``ConstantResolution``, with the same result.
private struct ColumnComparison {
    private enum Operation {
        case compare(Comparison)
        case between
        case isIn
    }

    private let column: Int
    private let type: ValueType
    private let operation: Operation

    init?(_ resolution: ConstantResolution) {
        let (path, comparison) = (resolution.path, resolution.comparison)
        guard path.hops.isEmpty, path.operation == nil, comparison.options.isEmpty,
            case .property(let property, let column) = path.end,
            property.shape.collection == .none
        else { return nil }
        guard property.shape.type == .int || property.shape.type == .string else { return nil }
        switch comparison.operation {
        case .equal: operation = .compare(.equal)
        case .less: operation = .compare(.less)
        case .lessOrEqual: operation = .compare(.lessOrEqual)
        case .greater: operation = .compare(.greater)
        case .greaterOrEqual: operation = .compare(.greaterOrEqual)
        case .between where property.shape.type == .int: operation = .between
        case .isIn: operation = .isIn
        default: return nil
        }
        self.column = column
        type = property.shape.type
    }

    /// Returns the condition; nil for constants that do not have the property's type.
    func condition(_ constant: OperandSyntax) -> QueryCondition? {
        guard let test = test(constant) else { return nil }
        return .value(column: column, test)
    }

    private func test(_ constant: OperandSyntax) -> ValueTest? {
        switch (operation, constant) {
        case (.compare(let comparison), .value(let value)):
            return scalar(value).map { .compare(comparison, $0) }
        case (.between, .list(let bounds)) where bounds.count == 2:
            guard let first = scalar(bounds[0]), let last = scalar(bounds[1]) else { return nil }
            return .range(from: first, to: last, includesLast: true)
        case (.isIn, .list(let elements)):
            return scalars(elements).map { .isIn($0) }
        case (.isIn, .value(let elements?)):
            guard type == .int, Swift.type(of: elements) == [Int].self,
                let elements = elements as? [Int]
            else { return nil }
            return .isIn(elements.map { .integer(Int64($0)) })
        default: return nil
        }
    }

    private func scalars(_ values: [Any?]) -> [OwnedScalar]? {
        var scalars: [OwnedScalar] = []
        scalars.reserveCapacity(values.count)
        for value in values {
            guard let scalar = scalar(value) else { return nil }
            scalars.append(scalar)
        }
        return scalars
    }

    /// Returns a constant of the property's type; nil for other values. Metatypes are compared,
    /// because failing casts are slow.
    private func scalar(_ value: Any?) -> OwnedScalar? {
        guard let value else { return nil }
        if type == .int {
            guard Swift.type(of: value) == Int.self, let value = value as? Int else { return nil }
            return .integer(Int64(value))
        }
        guard Swift.type(of: value) == String.self, let value = value as? String else { return nil }
        return .bytes(Array(value.utf8))
    }
}
