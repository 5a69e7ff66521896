import StorageEngine

/// A resolver of the comparison of two key paths. It checks that their ends can be compared, and
/// makes the condition.
struct PairResolution {
    private let resolver: PredicateResolver
    private let comparison: ComparisonSyntax

    init(_ resolver: PredicateResolver, _ comparison: ComparisonSyntax) {
        self.resolver = resolver
        self.comparison = comparison
    }

    private func error(_ message: String) -> InvalidPredicate {
        resolver.error(message, at: comparison.position)
    }

    func condition(_ left: KeyPathSyntax, _ right: KeyPathSyntax) throws -> QueryCondition {
        let left = try resolver.resolve(left)
        let right = try resolver.resolve(right)
        try requireQualifier(left, right)
        try requireSameType(left, right)
        let type = comparedType(left) ?? comparedType(right) ?? .mixed
        try PredicateTypes.require(comparison.operation, comparison.options, on: type) { error($0) }
        let pairs = QueryCondition.pairs(
            left.expression, right.expression, name: comparison.description, try test())
        guard holdsOfNullLinks, left.mayEndAtNullLink, right.mayEndAtNullLink else { return pairs }
        return .or([
            .and([left.bound(left.endsAtNullLink), right.bound(right.endsAtNullLink)]), pairs,
        ])
    }

    /// Whether the comparison holds if both paths end at a null link. Such paths are equal.
    private var holdsOfNullLinks: Bool {
        switch comparison.operation {
        case .equal, .lessOrEqual, .greaterOrEqual: true
        default: false
        }
    }

    // MARK: Checks

    private func requireQualifier(_ left: ResolvedKeyPath, _ right: ResolvedKeyPath) throws {
        if left.operation != nil, right.operation != nil {
            throw error(
                "Key paths including aggregate operations cannot be compared with other aggregate "
                    + "operations.")
        }
        if left.leadsToMany, right.leadsToMany {
            throw error("Comparing two collection columns is not permitted.")
        }
        let leadsToMany = left.leadsToMany || right.leadsToMany
        let isIn = comparison.operation == .isIn && right.leadsToMany
        if leadsToMany, comparison.qualifier == nil, !isIn {
            throw error(
                "Key paths that include a collection property must use aggregate operations")
        }
        if !leadsToMany, comparison.qualifier != nil {
            throw error(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property")
        }
        if comparison.operation == .between || (comparison.operation == .isIn && !isIn) {
            let isBetween = comparison.operation == .between
            throw error(
                "Predicate with \(comparison.operation.rawValue) operator must compare a KeyPath "
                    + "with an aggregate\(isBetween ? " with two values" : "")")
        }
    }

    private func requireSameType(_ left: ResolvedKeyPath, _ right: ResolvedKeyPath) throws {
        let (first, second) = (comparedType(left), comparedType(right))
        let hasOperation = left.operation != nil || right.operation != nil
        if hasOperation, let first, let second {
            if first.traits.family == .number, second.traits.family == .number { return }
            if first == second { return }
        }
        let sameClass = left.targetClass?.table === right.targetClass?.table
        if !hasOperation, isSame(first, second), sameClass { return }
        throw error(
            "Property type mismatch between \(name(left, first)) and \(name(right, second))")
    }

    private func isSame(_ first: ValueType?, _ second: ValueType?) -> Bool {
        func leadsToObject(_ type: ValueType?) -> Bool {
            type == nil || type == .link || type == .embedded
        }
        return first == second || leadsToObject(first) && leadsToObject(second)
    }

    private func name(_ path: ResolvedKeyPath, _ type: ValueType?) -> String {
        path.targetClass?.model.name ?? type?.name ?? ""
    }

    /// Returns the type of the compared values; nil for objects themselves.
    private func comparedType(_ path: ResolvedKeyPath) -> ValueType? {
        switch path.operation {
        case .count: .int
        case .aggregate(.average), .aggregate(.sum): path.type == .mixed ? .decimal128 : .double
        case .aggregate(.minimum), .aggregate(.maximum), nil: path.type
        }
    }

    // MARK: Making

    private func test() throws -> (MixedValue, MixedValue, Connection) throws(StorageError) -> Bool
    {
        let operation = comparison.operation == .isIn ? .equal : comparison.operation
        let options = comparison.options
        if let pattern = operation.textPattern {
            let text = TextComparison(pattern: pattern, options: options)
            return { left, right, _ in
                if case .string(let left) = left, case .string(let right) = right {
                    return text.matches(left, right)
                }
                if case .data(let left) = left, case .data(let right) = right {
                    return text.matches(left, right)
                }
                return false
            }
        }
        guard let order = operation.comparison else {
            throw error("Operator '\(operation.rawValue)' compares no two properties")
        }
        if options.isEmpty {
            return { left, right, connection throws(StorageError) in
                try connection.matches(left, order, with: right)
            }
        }
        let text = TextComparison(pattern: .whole, options: options)
        return { left, right, connection throws(StorageError) in
            guard case .string(let first) = left, case .string(let second) = right else {
                return try connection.matches(left, order, with: right)
            }
            return text.matches(first, second) == (order == .equal)
        }
    }
}
