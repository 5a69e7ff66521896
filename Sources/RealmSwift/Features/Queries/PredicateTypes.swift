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
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            switch type {
            case .bool, .link, .embedded, .typedLink: false
            default: true
            }
        case .between:
            switch type {
            case .int, .float, .double, .decimal128, .date, .mixed: true
            default: false
            }
        case .beginsWith, .endsWith, .contains: type == .string || type == .data || type == .mixed
        case .like: type == .string || type == .mixed
        case .matches: false
        }
    }

    /// Returns whether values of a type can be compared with a non-null value.
    static func mayCompare(_ type: ValueType, with value: PredicateValue) -> Bool {
        switch (type, value) {
        case (.mixed, .scalar), (.mixed, .object): true
        case (.link, .object), (.embedded, .object), (.typedLink, .object): true
        case (.bool, .scalar(.bool, _)): true
        case (.bool, .scalar(.int, .integer(let number))): number == 0 || number == 1
        case (.int, _), (.float, _), (.double, _), (.decimal128, _): value.isNumber
        case (_, .scalar(let other, _)): type == other
        default: false
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
