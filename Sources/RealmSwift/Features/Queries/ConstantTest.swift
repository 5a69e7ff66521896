import StorageEngine

/// A comparison of values of one type with a constant.
struct ConstantTest {
    /// The test that the engine applies to stored values of the type; nil if it supports none.
    var stored: ValueTest?
    /// Whether the result is inverted.
    var isInverted = false
    /// The test of single values, before inversion.
    private var form: Form

    private enum Form {
        case values((MixedValue) -> Bool)
        /// A test that reads lists and maps, and can fail if they are damaged.
        case collections((MixedValue, Connection) throws(StorageError) -> Bool)
    }

    init(stored: ValueTest? = nil, matches: @escaping (MixedValue) -> Bool) {
        self.stored = stored
        form = .values(matches)
    }

    private static func readingCollections(
        _ matches: @escaping (MixedValue, Connection) throws(StorageError) -> Bool
    ) -> ConstantTest {
        var test = ConstantTest { _ in false }
        test.form = .collections(matches)
        return test
    }

    var readsCollections: Bool {
        if case .collections = form { true } else { false }
    }

    /// Returns whether a value passes the test, after inversion.
    ///
    /// - Parameter connection: Where the value comes from.
    func passes(_ value: MixedValue, _ connection: Connection) throws(StorageError) -> Bool {
        switch form {
        case .values(let matches): matches(value) != isInverted
        case .collections(let matches): try matches(value, connection) != isInverted
        }
    }

    /// Returns the condition on a property of the type.
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

    /// Returns the condition that one of several values passes.
    func condition(_ expression: QueryExpression, name: String) -> QueryCondition {
        .values(expression, name: name, passes)
    }
}

// MARK: Making

extension ConstantTest {
    /// Returns the comparison of any value with null.
    static func null(isEqual: Bool) -> ConstantTest {
        var test = ConstantTest(stored: .isNull) { $0.matches(.equal, MixedValue.null) }
        test.isInverted = !isEqual
        return test
    }

    /// Returns the comparison with a value.
    ///
    /// - Parameter value: A value that is comparable with values of the type.
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

    /// Returns the test for a range that includes both bounds.
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
                return readingCollections { value, connection throws(StorageError) in
                    for test in tests where try test.passes(value, connection) { return true }
                    return false
                }
            }
            closures.append(matches)
        }
        return ConstantTest { value in closures.contains { $0(value) } }
    }

    /// Returns the comparison with a list or map within a mixed value, element by element.
    ///
    /// - Parameter operation: `.equal` or `.notEqual`.
    static func collection(
        _ value: PredicateValue, _ operation: ComparisonSyntax.Operation, in realm: RealmInstance
    ) -> ConstantTest {
        let value = ConstantContents(value, in: realm)
        var test = readingCollections { stored, connection throws(StorageError) in
            try value.equals(stored, connection)
        }
        test.isInverted = operation == .notEqual
        return test
    }

    /// Returns the test for text that matches a pattern.
    ///
    /// - Parameters:
    ///   - kind: String or data. A string never equals data with the same bytes, nor is it a part
    ///     of such data.
    ///   - type: The type of the tested values.
    static func text(
        _ pattern: TextPattern, _ options: StringOptions, for sought: [UInt8], of kind: ValueType,
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
            if case .string(let bytes) = value { return kind == .string && test(bytes) }
            if case .data(let bytes) = value { return kind == .data && test(bytes) }
            return false
        }
    }
}

extension MixedValue {
    fileprivate func matches(_ comparison: Comparison, _ value: PredicateValue) -> Bool {
        value.withMixed { matches(comparison, $0) }
    }
}

extension PredicateValue {
    /// Returns the value converted for a comparison with a type. Booleans and numbers are
    /// interchangeable. For a `Float` property the value is rounded to `Float`, so that `== 0.1`
    /// finds 0.1.
    func converted(to type: ValueType) -> PredicateValue {
        switch type.traits.family {
        case .number:
            if type == .float, let double { return .scalar(.float, .float(Float(double))) }
            return asNumber
        case .bool:
            if case .scalar(.int, let value) = self { return .scalar(.bool, value) }
            return self
        case .string, .data, .date, .identifier, .link, .mixed: return self
        }
    }

    private var asNumber: PredicateValue {
        if case .scalar(.bool, let value) = self { .scalar(.int, value) } else { self }
    }

    /// Returns the value in the form of a column; nil if the conversion is not exact, or if the
    /// engine's comparison differs from that of predicates.
    fileprivate func stored(as type: ValueType) -> OwnedScalar? {
        guard case .scalar(let ownType, let value) = self, type.traits.order != .decimals else {
            return nil
        }
        if ownType == type { return value }
        guard type.traits.family == .number else { return nil }
        switch (type.traits.columnKind, value) {
        case (.integer, .double(let number)): return Int64(exactly: number).map { .integer($0) }
        case (.integer, .float(let number)): return Int64(exactly: number).map { .integer($0) }
        case (.double, .float(let number)): return .double(Double(number))
        case (.double, .integer(let number)): return Double(exactly: number).map { .double($0) }
        case (.float, .integer(let number)): return Float(exactly: number).map { .float($0) }
        default: return nil
        }
    }
}
