import StorageEngine

/// A resolver of the comparison of a key path with a constant. It checks that both can be compared,
/// and makes the condition.
struct ConstantResolution {
    let resolver: PredicateResolver
    /// The comparison. One side is a constant, or contains placeholders for one.
    let comparison: ComparisonSyntax
    let path: ResolvedKeyPath

    init(
        _ resolver: PredicateResolver, _ comparison: ComparisonSyntax, of path: KeyPathSyntax
    ) throws {
        self.resolver = resolver
        self.comparison = comparison
        self.path = try resolver.resolve(path)
        try requireQualifier()
    }

    func error(_ message: String) -> InvalidPredicate {
        resolver.error(message, at: comparison.position)
    }

    private func requireQualifier() throws {
        if path.leadsToMany, comparison.qualifier == nil {
            throw error(
                "Key paths that include a collection property must use aggregate operations")
        }
        if !path.leadsToMany, comparison.qualifier != nil {
            throw error(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property")
        }
    }

    /// The side that is not the key path.
    var constant: OperandSyntax {
        if case .keyPath = comparison.right { comparison.left } else { comparison.right }
    }

    /// Returns the comparison with a constant in the form used to explain plans.
    func name(_ operand: PredicateOperand) -> String {
        var comparison = comparison
        if case .keyPath = comparison.right {
            comparison.left = operand.syntax
        } else {
            comparison.right = operand.syntax
        }
        return comparison.description
    }

    /// Returns the condition for the comparison with a constant.
    func condition(_ operand: PredicateOperand) throws -> QueryCondition {
        path.bound(try conditionAtStart(operand))
    }

    /// Returns the condition on the object at the start of the path.
    private func conditionAtStart(_ operand: PredicateOperand) throws -> QueryCondition {
        if operand.mayBeShape, let shape = unwrapped(operand.given) as? any RLMGeospatial {
            return try within(shape)
        }
        if case .object = path.end {
            let keys = try elements(operand).map { try object($0, as: path.last) }
            return path.through(inverted(.keys(keys.compactMap { $0 })))
        }
        if let condition = try memberwise(operand) { return condition }
        if let condition = try membership(operand) { return path.through(condition) }
        let test = try test(operand)
        guard let queryPath = path.queryPath else { throw error("The path has no values.") }
        switch path.operation {
        case .count?: return test.condition(.count(queryPath), name: name(operand))
        case .aggregate(let aggregate)?:
            return test.condition(.aggregate(aggregate, queryPath), name: name(operand))
        case nil: break
        }
        // `IN` is `==` with each element of a list.
        let matchesNullLinks =
            try comparison.operation != .notEqual && path.mayEndAtNullLink
            && test.passes(.null, resolver.realm.connection)
        switch path.end {
        case .property(let property, let column)
        where property.shape.collection == .none && !test.readsCollections:
            let condition = test.condition(
                column: column, type: property.shape.type, name: name(operand))
            return path.through(condition, matchesNullLinks: matchesNullLinks)
        case .property, .referrers, .keys, .entry, .part, .object:
            let condition = test.condition(.values(queryPath), name: name(operand))
            guard matchesNullLinks else { return condition }
            return .or([path.endsAtNullLink, condition])
        }
    }

    /// Returns the condition that a link, or one in a collection, refers to a given object; nil for
    /// all other comparisons. The backlinks of the object find the matches.
    private func membership(_ operand: PredicateOperand) throws -> QueryCondition? {
        guard comparison.operation == .equal, path.operation == nil,
            case .object? = operand.value, let value = operand.value, let target = path.targetClass
        else { return nil }
        switch path.end {
        case .property(_, let column): return .link(column: column, try keys(of: value, target))
        case .referrers(let hop):
            guard case .referrers(let table) = hop.kind else { return nil }
            return .referrer(table: table, column: hop.column, try keys(of: value, target))
        case .object, .keys, .entry, .part: return nil
        }
    }

    private func keys(
        of value: PredicateValue, _ target: ManagedClass
    ) throws -> QueryCondition {
        .keys(try object(value, as: target).map { [$0] } ?? [])
    }

    // MARK: Objects

    /// Returns the constants of `==`, `!=` and `IN`.
    func elements(_ operand: PredicateOperand) throws -> [PredicateValue] {
        switch comparison.operation {
        case .equal, .notEqual: return [try required(operand)]
        case .isIn: return try list(operand)
        default: throw unsupported(.link)
        }
    }

    private func inverted(_ condition: QueryCondition) -> QueryCondition {
        comparison.operation == .notEqual ? .not(condition) : condition
    }

    /// Returns the key of an object; nil if it is not in the Realm.
    private func object(_ value: PredicateValue, as target: ManagedClass) throws -> ObjectKey? {
        switch value {
        case .null: return nil
        case .object(let object):
            guard let itsClass = object._managedClass, !object.isInvalidated else { return nil }
            if itsClass.realm !== resolver.realm {
                throw error("Object must be from the Realm being queried")
            }
            guard itsClass.table === target.table else {
                throw uncomparable(object, to: target.model.name)
            }
            return ObjectKey(rawValue: object._key)
        case .scalar, .members, .list, .map: throw uncomparable(value.given, to: target.model.name)
        }
    }

    // MARK: Tests

    private func test(_ operand: PredicateOperand) throws -> ConstantTest {
        guard let type = path.type else { throw error("The path has no values.") }
        switch comparison.operation {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith,
            .endsWith, .contains, .like, .matches:
            return try test(try required(operand), operand.given, of: type)
        case .between: return try between(operand, type)
        case .isIn:
            return .anyOf(
                try list(operand).map { try test($0, operand.given, of: type, as: .equal) })
        }
    }

    private func test(
        _ value: PredicateValue, _ given: Any?, of type: ValueType,
        as operation: ComparisonSyntax.Operation? = nil
    ) throws -> ConstantTest {
        let operation = operation ?? comparison.operation
        try PredicateTypes.require(operation, comparison.options, on: testedType(type)) {
            error($0)
        }
        try requireComparable(value, given, with: type)
        let isEquality = operation == .equal || operation == .notEqual
        if case .null = value {
            switch operation {
            case .equal: return .null(isEqual: true)
            case .notEqual: return .null(isEqual: false)
            // Nil comes before all strings, but is not ordered relative to other values.
            case .greater where type == .string, .greaterOrEqual where type == .string:
                return .null(isEqual: false)
            default: return ConstantTest { _ in false }
            }
        }
        if value.isCollection { return .collection(value, operation, in: resolver.realm) }
        if case .object = value { return try objectTest(value, operation) }
        if let pattern = operation.textPattern, case .scalar(let kind, .bytes(let bytes)) = value {
            return .text(pattern, comparison.options, for: bytes, of: kind, in: type)
        }
        if isEquality, !comparison.options.isEmpty, case .scalar(.string, .bytes(let text)) = value
        {
            var test = ConstantTest.text(
                .whole, comparison.options, for: text, of: .string, in: type)
            test.isInverted = operation == .notEqual
            return test
        }
        guard let comparison = operation.comparison else { throw unsupported(type) }
        return .comparing(comparison, value, as: testedType(type))
    }

    /// Returns the test for a link at the end of the path.
    private func objectTest(
        _ value: PredicateValue, _ operation: ComparisonSyntax.Operation
    ) throws -> ConstantTest {
        var test: ConstantTest
        if let link = try link(to: value) {
            let stored = path.type == .mixed ? nil : OwnedScalar.integer(link.key.rawValue)
            test = ConstantTest(stored: stored.map { .compare(.equal, $0) }) {
                $0.matches(.equal, .link(link))
            }
        } else {
            test = ConstantTest { _ in false }
        }
        test.isInverted = operation == .notEqual
        return test
    }

    private func link(to value: PredicateValue) throws -> TypedLink? {
        if let target = path.targetClass {
            let key = try object(value, as: target)
            return key.map { TypedLink(table: target.existingTable.number, key: $0) }
        }
        guard case .object(let object) = value, let itsClass = object._managedClass else {
            return nil
        }
        let key = try self.object(value, as: itsClass)
        return key.map { TypedLink(table: itsClass.existingTable.number, key: $0) }
    }

    private func between(_ operand: PredicateOperand, _ type: ValueType) throws -> ConstantTest {
        guard case .list(let bounds)? = operand.value else {
            throw error("object must be of type NSArray for BETWEEN operations")
        }
        guard bounds.count == 2 else {
            throw error("NSArray object must contain exactly two objects for BETWEEN operations")
        }
        try PredicateTypes.require(.between, comparison.options, on: testedType(type)) { error($0) }
        for bound in bounds {
            try requireComparable(bound, operand.given, with: type)
            if bound.isNull { throw uncomparable(bound.given ?? operand.given, to: type.name) }
        }
        return .between(bounds[0], bounds[1], as: testedType(type))
    }
}
