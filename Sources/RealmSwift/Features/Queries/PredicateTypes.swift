import StorageEngine

/// The rules for operators and types: which types an operator supports, and which values can be
/// compared.
enum PredicateTypes {
    /// Throws the result of `error` for a message if a type does not support an operator.
    static func require(
        _ operation: ComparisonSyntax.Operation, _ options: StringOptions, on type: ValueType,
        _ error: (String) -> InvalidPredicate
    ) throws {
        if !supports(operation, type) {
            throw error("Operator '\(operation.rawValue)' not supported for type '\(type.name)'")
        }
        let isOrder = operation.comparison.map { $0 != .equal && $0 != .notEqual } ?? false
        if isOrder, !options.isEmpty {
            throw error("Lexicographical comparisons must be case-sensitive")
        }
        if operation == .like, options.contains(.diacriticInsensitive) {
            throw error("Operator 'LIKE' not supported with diacritic-insensitive modifier.")
        }
    }

    private static func supports(
        _ operation: ComparisonSyntax.Operation, _ type: ValueType
    ) -> Bool {
        switch operation {
        case .equal, .notEqual, .isIn: true
        case .less, .lessOrEqual, .greater, .greaterOrEqual: type.traits.family.isOrdered
        case .between:
            switch type.traits.family {
            case .number, .date, .mixed: true
            case .bool, .string, .data, .identifier, .link: false
            }
        case .beginsWith, .endsWith, .contains:
            switch type.traits.family {
            case .string, .data, .mixed: true
            case .bool, .number, .date, .identifier, .link: false
            }
        case .like:
            switch type.traits.family {
            case .string, .mixed: true
            case .bool, .number, .data, .date, .identifier, .link: false
            }
        case .matches: false
        }
    }

    /// Returns whether values of a type can be compared with a non-null value.
    static func mayCompare(_ type: ValueType, with value: PredicateValue) -> Bool {
        switch type.traits.family {
        case .mixed: value.isScalar || value.isObject
        case .link: value.isObject
        case .number: value.isNumber
        case .bool:
            if case .scalar(.int, .integer(let number)) = value {
                number == 0 || number == 1
            } else {
                value.scalarType == type
            }
        case .string, .data, .date, .identifier: value.scalarType == type
        }
    }
}

extension ComparisonSyntax.Operation {
    /// The comparison for equality and order operators; nil for other operators.
    var comparison: Comparison? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
    }

    /// The pattern for operators that search for one string in another; nil for other operators.
    var textPattern: TextPattern? {
        switch self {
        case .beginsWith: .prefix
        case .endsWith: .suffix
        case .contains: .contained
        case .like: .wildcards
        default: nil
        }
    }
}
