/// A test of the values of a column.
///
/// Null matches nothing but ``isNull`` and a comparison for equality with `.null`, not even
/// `.notEqual` to a value. Floating-point numbers compare as in IEEE 754: comparisons with NaN are
/// false, except that NaN is `.notEqual` to every number. Strings and data compare byte by byte.
public enum ColumnTest {
    case isNull
    case isNotNull
    /// Values that are ordered by their bytes can be compared for equality only.
    case compare(Comparison, Scalar)
    /// Numbers from the first to the second, both included.
    case between(Scalar, Scalar)
    /// Numbers from the first up to, but not including, the second.
    case range(from: Scalar, upTo: Scalar)
    /// Strings and data that begin with these bytes.
    case hasPrefix(UnsafeRawBufferPointer)
    case hasSuffix(UnsafeRawBufferPointer)
    case contains(UnsafeRawBufferPointer)
}

/// A test of a column, prepared for scanning its table. Made by ``Table/predicate(_:_:)``.
///
/// Used by the connection's thread. It stays usable as long as the connection lives, whatever is
/// written.
public final class ColumnPredicate {
    enum Test {
        /// A test that no value passes: an ordered comparison with null.
        case nothing
        case null(isNull: Bool)
        case numbers(NumberRange)
        case bytes(BytesTest, UnsafeRawBufferPointer, isInverted: Bool)
        case fixed16(UInt64, UInt64, isEqual: Bool)
    }

    /// The table that the predicate was made for. Only compared, never dereferenced, so that
    /// nothing is retained.
    let table: ObjectIdentifier
    let column: Int
    let kind: ColumnKind
    let columnID: UInt16
    let allowsNull: Bool
    let test: Test
    /// Whether the test matches rows of leaves that are older than the column.
    let matchesDefault: Bool

    /// Takes ownership of the bytes of the test.
    fileprivate init(_ table: Table, _ column: Int, passing test: Test) {
        self.table = ObjectIdentifier(table)
        self.column = column
        self.test = test
        kind = table.checks[column].kind
        columnID = table.columnID(column)
        allowsNull = table.checks[column].allowsNull
        matchesDefault = test.matches(table.cluster.columns[column].defaultScalar)
    }

    deinit {
        if case .bytes(_, let pattern, _) = test { pattern.deallocate() }
    }
}

extension ColumnPredicate.Test {
    /// Whether the test matches one value of the column.
    fileprivate func matches(_ value: Scalar) -> Bool {
        switch (self, value) {
        case (.null(let isNull), _): return isNull == value.isNull
        case (.numbers(let range), .integer(let number)): return range.contains(number)
        case (.numbers(let range), .double(let number)):
            return range.containsImage(PackedNumbers.image(number))
        case (.numbers(let range), .float(let number)):
            return range.containsImage(PackedNumbers.image(number))
        case (.bytes(let test, let pattern, let isInverted), .bytes(let bytes)):
            return test.matches(bytes, pattern) != isInverted
        case (.fixed16(let low, let high, let isEqual), .fixed16(let first, let second)):
            return (low == first && high == second) == isEqual
        default: return false
        }
    }
}

extension Table {
    /// Prepares a test of a property, for ``LeafScan`` and the functions that count, sum and find.
    ///
    /// ```swift
    /// let isYoung = try people.predicate(2, .compare(.less, .integer(30)))
    /// print(try people.count(where: isYoung))
    /// ```
    ///
    /// The bytes of the test are copied.
    ///
    /// - Throws: `.invalidArgument` if the test does not suit the column: values of another type,
    ///   an order of strings, a collection, or a type whose values are not compared by their bytes.
    public func predicate(_ column: Int, _ test: ColumnTest) throws(StorageError) -> ColumnPredicate
    {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard !checks[column].isCollection else {
            throw unsuitable(column, "A collection is not compared.")
        }
        guard definition.columns[column].type.isCompared else {
            throw unsuitable(column, "Values of its type are not compared here.")
        }
        return ColumnPredicate(self, column, passing: try prepared(column, test))
    }

    private func prepared(_ column: Int, _ test: ColumnTest) throws(StorageError)
        -> ColumnPredicate.Test
    {
        switch test {
        case .isNull: return .null(isNull: true)
        case .isNotNull: return .null(isNull: false)
        case .compare(.equal, .null): return .null(isNull: true)
        case .compare(.notEqual, .null): return .null(isNull: false)
        case .compare(_, .null): return .nothing
        case .compare(let comparison, .bytes(let bytes)):
            let isEqual = try isEquality(comparison, column)
            return try search(column, .equal, for: bytes, isInverted: !isEqual)
        case .compare(let comparison, .fixed16(let low, let high)):
            let isEqual = try isEquality(comparison, column)
            guard checks[column].kind == .fixed16 else { throw ofAnotherType(column) }
            return .fixed16(low, high, isEqual: isEqual)
        case .compare(let comparison, let number):
            return .numbers(NumberRange(comparison, try edges(column, number)))
        case .between(let first, let last):
            return .numbers(
                NumberRange(
                    from: try edges(column, first), to: try edges(column, last),
                    includesLast: true))
        case .range(let first, let end):
            return .numbers(
                NumberRange(
                    from: try edges(column, first), to: try edges(column, end),
                    includesLast: false))
        case .hasPrefix(let bytes): return try search(column, .prefix, for: bytes)
        case .hasSuffix(let bytes): return try search(column, .suffix, for: bytes)
        case .contains(let bytes): return try search(column, .contains, for: bytes)
        }
    }

    private func isEquality(_ comparison: Comparison, _ column: Int) throws(StorageError) -> Bool {
        switch comparison {
        case .equal: return true
        case .notEqual: return false
        default: throw unsuitable(column, "Bytes are compared for equality only.")
        }
    }

    /// The bounds of a number among the values of the column; nil for NaN.
    private func edges(_ column: Int, _ number: Scalar) throws(StorageError) -> NumberEdges? {
        switch (checks[column].kind, number) {
        case (.integer, .integer(let number)): return NumberEdges(number)
        case (.double, .double(let number)): return NumberEdges(number)
        case (.float, .float(let number)): return NumberEdges(number)
        default: throw ofAnotherType(column)
        }
    }

    private func search(
        _ column: Int, _ test: BytesTest, for bytes: UnsafeRawBufferPointer,
        isInverted: Bool = false
    ) throws(StorageError) -> ColumnPredicate.Test {
        guard checks[column].kind == .bytes else { throw ofAnotherType(column) }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes)
        return .bytes(test, UnsafeRawBufferPointer(copy), isInverted: isInverted)
    }

    private func ofAnotherType(_ column: Int) -> StorageError {
        unsuitable(column, "Its values are of another type than those of the test.")
    }

    private func unsuitable(_ column: Int, _ reason: String) -> StorageError {
        pager.invalidArgument(
            "Column '\(stored.name).\(definition.columns[column].name)' cannot be tested like "
                + "this. \(reason)")
    }
}
