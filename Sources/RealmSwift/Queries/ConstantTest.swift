import StorageEngine

/// A comparison of values of one type with a constant.
struct ConstantTest {
    /// As the engine tests stored values of the type; nil if it does not.
    var stored: ValueTest?
    /// Whether what matches is everything else.
    var isInverted = false
    /// The same for values one by one. Not inverted.
    private var form: Form

    private enum Form {
        case values((MixedValue) -> Bool)
        /// Looks into lists and maps, which may be damaged.
        case collections((MixedValue) throws -> Bool)
    }

    init(stored: ValueTest? = nil, matches: @escaping (MixedValue) -> Bool) {
        self.stored = stored
        form = .values(matches)
    }

    private static func readingCollections(
        _ matches: @escaping (MixedValue) throws -> Bool
    ) -> ConstantTest {
        var test = ConstantTest { _ in false }
        test.form = .collections(matches)
        return test
    }

    var readsCollections: Bool {
        if case .collections = form { true } else { false }
    }

    /// Whether a value passes, inversion included.
    func passes(_ value: MixedValue) throws -> Bool {
        switch form {
        case .values(let matches): matches(value) != isInverted
        case .collections(let matches): try matches(value) != isInverted
        }
    }

    /// Of a property of the type.
    func condition(
        column: Int, type: ValueType, name: @autoclosure () -> String
    ) -> QueryCondition {
        guard case .values(let matches) = form else {
            return condition(.values(QueryPath(end: .column(column))), name: name())
        }
        let test =
            stored
            ?? .satisfies(name: name()) { MixedValue($0, storedAs: type).map(matches) ?? false }
        let condition = QueryCondition.value(column: column, test)
        return isInverted ? .not(condition) : condition
    }

    /// Of one of several values.
    func condition(_ expression: QueryExpression, name: String) -> QueryCondition {
        .values(expression, name: name) { try passes($0) }
    }
}

// MARK: Making

extension ConstantTest {
    /// Any value compared with null.
    static func null(isEqual: Bool) -> ConstantTest {
        var test = ConstantTest(stored: .isNull) { $0.matches(.equal, MixedValue.null) }
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
        ) { $0.matches(comparison, value) }
    }

    /// Both bounds included.
    static func between(
        _ first: PredicateValue, _ last: PredicateValue, as type: ValueType
    ) -> ConstantTest {
        let (low, high) = (first.converted(to: type), last.converted(to: type))
        var stored: ValueTest?
        if let low = low.stored(as: type), let high = high.stored(as: type) {
            stored = .range(from: low, to: high, includesLast: true)
        }
        return ConstantTest(stored: stored) {
            $0.matches(.greaterOrEqual, low) && $0.matches(.lessOrEqual, high)
        }
    }

    static func anyOf(_ tests: [ConstantTest]) -> ConstantTest {
        var values: [OwnedScalar] = []
        for test in tests {
            guard case .compare(.equal, let value)? = test.stored, !test.isInverted else {
                return anyOfClosures(tests)
            }
            values.append(value)
        }
        var test = anyOfClosures(tests)
        test.stored = .isIn(values)
        return test
    }

    private static func anyOfClosures(_ tests: [ConstantTest]) -> ConstantTest {
        var closures: [(MixedValue) -> Bool] = []
        for test in tests {
            guard case .values(let matches) = test.form, !test.isInverted else {
                return readingCollections { value in
                    try tests.contains { try $0.passes(value) }
                }
            }
            closures.append(matches)
        }
        return ConstantTest { value in closures.contains { $0(value) } }
    }

    /// Lists and maps inside of mixed values, element by element.
    ///
    /// - Parameter operation: equality, or its opposite.
    static func collection(
        _ value: PredicateValue, _ operation: ComparisonSyntax.Operation, _ connection: Connection
    ) -> ConstantTest {
        var test = readingCollections { try value.equals($0, connection) }
        test.isInverted = operation == .notEqual
        return test
    }

    /// - Parameters:
    ///   - kind: string or data: no text equals data of the same bytes, or is a part of such.
    ///   - type: of the values that are tested.
    static func text(
        _ pattern: TextPattern, _ options: StringOptions, _ sought: [UInt8], of kind: ValueType,
        in type: ValueType
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
            case .string(let bytes): kind == .string && test(bytes)
            case .data(let bytes): kind == .data && test(bytes)
            default: false
            }
        }
    }
}

extension MixedValue {
    fileprivate func matches(_ comparison: Comparison, _ value: PredicateValue) -> Bool {
        value.withMixed { matches(comparison, $0) }
    }
}

extension PredicateValue {
    /// Booleans and numbers stand for each other. A `Float` property is compared with the nearest
    /// `Float`, so that `== 0.1` finds 0.1.
    func converted(to type: ValueType) -> PredicateValue {
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
