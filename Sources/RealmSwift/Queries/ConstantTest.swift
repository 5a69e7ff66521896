import StorageEngine

/// A comparison of values of one type with a constant.
struct ConstantTest {
    /// As the engine tests stored values of the type; nil if it does not.
    var stored: ValueTest?
    /// Whether what matches is everything else.
    var isInverted = false
    /// The same for values one by one. Not inverted.
    let matches: (MixedValue) -> Bool

    init(stored: ValueTest? = nil, matches: @escaping (MixedValue) -> Bool) {
        self.stored = stored
        self.matches = matches
    }

    /// Whether a value passes, inversion included.
    func passes(_ value: MixedValue) -> Bool { matches(value) != isInverted }

    /// Of a property of the type.
    func condition(
        column: Int, type: ValueType, name: @autoclosure () -> String
    ) -> QueryCondition {
        let matches = matches
        let test =
            stored
            ?? .satisfies(name: name()) { MixedValue($0, storedAs: type).map(matches) ?? false }
        let condition = QueryCondition.value(column: column, test)
        return isInverted ? .not(condition) : condition
    }

    /// Of one of several values.
    func condition(_ expression: QueryExpression, name: String) -> QueryCondition {
        let matches = matches
        let isInverted = isInverted
        return .values(expression, name: name) { matches($0) != isInverted }
    }
}

// MARK: Making

extension ConstantTest {
    /// Any value compared with null.
    static func null(isEqual: Bool) -> ConstantTest {
        var test = ConstantTest(stored: .isNull) { $0.matches(.equal, .null) }
        test.isInverted = !isEqual
        return test
    }

    /// - Parameter value: one that may be compared with values of the type.
    static func comparing(
        _ comparison: Comparison, _ value: PredicateValue, as type: ValueType
    ) -> ConstantTest {
        if comparison == .notEqual {
            var test = comparing(.equal, value, as: type)
            test.isInverted = true
            return test
        }
        let value = value.converted(to: type)
        return ConstantTest(
            stored: value.stored(as: type).map { .compare(comparison, $0) }
        ) { other in value.withMixed { other.matches(comparison, $0) } }
    }

    /// Both bounds included.
    static func between(
        _ first: PredicateValue, _ last: PredicateValue, as type: ValueType
    ) -> ConstantTest {
        let low = comparing(.greaterOrEqual, first, as: type)
        let high = comparing(.lessOrEqual, last, as: type)
        var stored: ValueTest?
        if let first = first.converted(to: type).stored(as: type),
            let last = last.converted(to: type).stored(as: type)
        {
            stored = .range(from: first, to: last, includesLast: true)
        }
        return ConstantTest(stored: stored) { low.matches($0) && high.matches($0) }
    }

    static func anyOf(_ tests: [ConstantTest]) -> ConstantTest {
        var values: [OwnedScalar] = []
        for test in tests {
            guard case .compare(.equal, let value)? = test.stored, !test.isInverted else {
                return ConstantTest { value in tests.contains { $0.passes(value) } }
            }
            values.append(value)
        }
        return ConstantTest(stored: .isIn(values)) { value in tests.contains { $0.passes(value) } }
    }

    /// Strings and data.
    static func text(
        _ pattern: TextPattern, _ options: StringOptions, _ sought: [UInt8], as type: ValueType
    ) -> ConstantTest {
        var stored: ValueTest?
        if options.isEmpty, type != .mixed {
            switch pattern {
            case .whole: stored = .compare(.equal, .bytes(sought))
            case .prefix: stored = .hasPrefix(sought)
            case .suffix: stored = .hasSuffix(sought)
            case .contained: stored = .contains(sought)
            case .wildcards: stored = nil
            }
        }
        let test = TextComparison(pattern: pattern, options: options).test(for: sought)
        return ConstantTest(stored: stored) { value in
            switch value {
            case .string(let bytes): test(bytes)
            case .data(let bytes): test(bytes)
            default: false
            }
        }
    }
}

extension PredicateValue {
    /// Booleans and numbers stand for each other. A `Float` property is compared with the nearest
    /// `Float`, so that `== 0.1` finds 0.1.
    fileprivate func converted(to type: ValueType) -> PredicateValue {
        switch (type, self) {
        case (.float, _):
            if let double { return .scalar(.float, .float(Float(double))) }
            return asNumber
        case (.bool, .scalar(.int, let value)): return .scalar(.bool, value)
        case (.int, _), (.double, _), (.decimal128, _): return asNumber
        default: return self
        }
    }

    private var asNumber: PredicateValue {
        if case .scalar(.bool, let value) = self { .scalar(.int, value) } else { self }
    }

    /// The value in the form of a column, where that is exactly the same value, and the engine
    /// compares as predicates do.
    fileprivate func stored(as type: ValueType) -> OwnedScalar? {
        guard case .scalar(let ownType, let value) = self, type != .decimal128 else { return nil }
        if ownType == type { return value }
        switch (type, value) {
        case (.int, .double(let number)): return Int64(exactly: number).map { .integer($0) }
        case (.int, .float(let number)): return Int64(exactly: number).map { .integer($0) }
        case (.double, .float(let number)): return .double(Double(number))
        case (.double, .integer(let number)): return Double(exactly: number).map { .double($0) }
        case (.float, .integer(let number)): return Float(exactly: number).map { .float($0) }
        default: return nil
        }
    }
}
