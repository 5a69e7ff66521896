import StorageEngine

/// A comparison of two Swift values by the rules of queries.
struct UnmanagedTest {
    private let operation: ComparisonSyntax.Operation
    private let options: StringOptions
    /// The type of the property on the left; nil for values that are compared without conversion.
    private let type: ValueType?

    init(_ comparison: ComparisonSyntax, type: ValueType?) {
        self.init(operation: comparison.operation, options: comparison.options, type: type)
    }

    /// Returns whether two values are equal as constants of a predicate.
    static func areSame(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        UnmanagedTest(operation: .equal, options: [], type: nil).equals(left, right)
    }

    private init(
        operation: ComparisonSyntax.Operation, options: StringOptions, type: ValueType?
    ) {
        self.operation = operation
        self.options = options
        self.type = type
    }

    func passes(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch operation {
        case .equal: return equals(left, right)
        case .notEqual: return !equals(left, right)
        case .isIn:
            guard case .list(let elements) = right else { return false }
            return elements.contains { equals(left, $0) }
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return false }
            return isOrdered(left, .greaterOrEqual, with: bounds[0])
                && isOrdered(left, .lessOrEqual, with: bounds[1])
        case .less: return isOrdered(left, .less, with: right)
        case .lessOrEqual: return isOrdered(left, .lessOrEqual, with: right)
        case .greater: return isOrdered(left, .greater, with: right)
        case .greaterOrEqual: return isOrdered(left, .greaterOrEqual, with: right)
        case .beginsWith, .endsWith, .contains, .like, .matches: return finds(right, in: left)
        }
    }

    private func isOrdered(
        _ left: PredicateValue, _ order: Comparison, with right: PredicateValue
    ) -> Bool {
        if case .null = right, case .scalar(.string, _) = left, type == .string {
            return order == .greater || order == .greaterOrEqual
        }
        guard case .scalar = left, case .scalar = right else { return false }
        return matches(left, order, with: right)
    }

    private func matches(
        _ left: PredicateValue, _ comparison: Comparison, with right: PredicateValue
    ) -> Bool {
        let right = type.map { right.converted(to: $0) } ?? right
        return left.withMixed { left in right.withMixed { left.matches(comparison, $0) } }
    }

    private func equals(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        if let left = left.text, let right = right.text {
            return TextComparison(pattern: .whole, options: options).matches(left, right)
        }
        switch (left, right) {
        case (.null, .null): return true
        case (.scalar, .scalar): return matches(left, .equal, with: right)
        case (.object(let left), .object(let right)): return Self.areSame(left, right)
        case (.members(let left), .members(let right)): return haveEqualMembers(left, right)
        case (.list(let left), .list(let right)):
            return left.count == right.count && zip(left, right).allSatisfy(equals)
        case (.map(let left), .map(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.key == $1.key && equals($0.value, $1.value) }
        default: return false
        }
    }

    /// Returns whether both are the same instance or accessors of the same row.
    private static func areSame(_ left: ObjectBase, _ right: ObjectBase) -> Bool {
        if left === right { return true }
        guard let itsClass = left._managedClass, itsClass === right._managedClass else {
            return false
        }
        return left._key == right._key && !left.isInvalidated && !right.isInvalidated
    }

    private func haveEqualMembers(_ left: EmbeddedObject, _ right: EmbeddedObject) -> Bool {
        guard Swift.type(of: left) == Swift.type(of: right) else { return false }
        return left._model.properties.allSatisfy { property in
            guard let first = PredicateValue(left.value(forKey: property.name)),
                let second = PredicateValue(right.value(forKey: property.name))
            else { return false }
            return equals(first, second)
        }
    }

    private func finds(_ sought: PredicateValue, in value: PredicateValue) -> Bool {
        guard let pattern = operation.textPattern else { return false }
        let text = TextComparison(pattern: pattern, options: options)
        if let value = value.text, let sought = sought.text { return text.matches(value, sought) }
        if case .scalar(.data, .bytes(let value)) = value,
            case .scalar(.data, .bytes(let sought)) = sought
        {
            return text.matches(value, sought)
        }
        return false
    }
}

extension PredicateValue {
    /// The bytes of a string; nil for other values.
    fileprivate var text: [UInt8]? {
        if case .scalar(.string, .bytes(let bytes)) = self { bytes } else { nil }
    }
}

extension TextComparison {
    fileprivate func matches(_ text: [UInt8], _ sought: [UInt8]) -> Bool {
        text.withUnsafeBytes { text in sought.withUnsafeBytes { matches(text, $0) } }
    }
}
