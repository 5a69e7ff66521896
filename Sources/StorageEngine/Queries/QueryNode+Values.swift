/// A test that the kernels of packed columns evaluate.
final class ColumnNode: QueryNode {
    private let table: Table
    private let column: Int
    private let test: ValueTest
    let predicate: ColumnPredicate
    private var matches = RowMask()

    init(_ table: Table, _ column: Int, passing test: ValueTest, with predicate: ColumnPredicate) {
        self.table = table
        self.column = column
        self.test = test
        self.predicate = predicate
    }

    /// Bytes are compared value by value.
    override var cost: Int { predicate.kind == .bytes ? 8 : 1 }

    override var asksOwnRowOnly: Bool { true }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        try scan.match(predicate, into: &matches)
        rows.formIntersection(matches)
    }

    override func verdict(in scan: borrowing LeafScan) throws(StorageError) -> Bool? {
        try scan.verdict(predicate)
    }

    override func append(to condition: inout LeafCondition) -> Bool {
        condition.append(predicate)
        return true
    }

    override func candidates(atMost limit: Int) throws(StorageError) -> [ObjectKey]? {
        try IndexedTest(table, column, passing: test)?.keys(atMost: limit)
    }

    override var namesMatchesOnly: Bool { true }

    override func start(inOrderOf column: Int) -> QueryStart? {
        column == self.column ? test.start : nil
    }

    override func countByPrimaryKey() throws(StorageError) -> Int? {
        try table.countByPrimaryKey(test, column)
    }

    override func explain() -> [String] {
        ["\(table.queryName(of: column)) \(test.text): columns\(indexNote)"]
    }

    private var indexNote: String {
        IndexedTest(table, column, passing: test) == nil ? "" : ", or index"
    }
}

/// A test of one value after another, for types that no kernel compares and for arbitrary tests.
final class ValueNode: QueryNode {
    private let table: Table
    private let column: Int
    private let test: ValueTest
    private let type: ValueType
    private let matchesDefault: Bool

    init(_ table: Table, _ column: Int, passing test: ValueTest) {
        self.table = table
        self.column = column
        type = table.definition.columns[column].type
        self.test = test.sorted(type)
        matchesDefault = test.matches(table.cluster.columns[column].defaultScalar, type)
    }

    override var cost: Int { 100 }

    override var asksOwnRowOnly: Bool { true }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        guard let (node, position) = try table.column(column, of: scan.leaf) else {
            if !matchesDefault { rows.fill(false, rows: scan.rowCount) }
            return
        }
        let kind = table.checks[column].kind
        try rows.filter { row throws(StorageError) in
            test.matches(try node.scalar(table.pager, kind, in: position, at: row), type)
        }
    }

    override func candidates(atMost limit: Int) throws(StorageError) -> [ObjectKey]? {
        try IndexedTest(table, column, passing: test)?.keys(atMost: limit)
    }

    override var namesMatchesOnly: Bool { true }

    override func start(inOrderOf column: Int) -> QueryStart? {
        column == self.column ? test.start : nil
    }

    override func countByPrimaryKey() throws(StorageError) -> Int? {
        try table.countByPrimaryKey(test, column)
    }

    override func explain() -> [String] {
        ["\(table.queryName(of: column)) \(test.text): row by row"]
    }
}

/// A test that the index of its column, or the primary key's map, can answer.
struct IndexedTest {
    private let table: Table
    private let column: Int
    private let test: ValueTest

    /// Nil if there is no index, or it cannot answer the test.
    init?(_ table: Table, _ column: Int, passing test: ValueTest) {
        guard table.isIndexedForQueries(column) else { return nil }
        self.table = table
        self.column = column
        self.test = test
        switch test {
        case .isIn, .hasPrefix, .range, .compare(.notEqual, .null): break
        case .compare(let comparison, _) where comparison != .notEqual: break
        default: return nil
        }
    }

    /// Exactly the objects that match, in any order and possibly several times; nil if they are
    /// more than `limit`.
    func keys(atMost limit: Int) throws(StorageError) -> [ObjectKey]? {
        var keys: [ObjectKey] = []
        guard case .isIn(let values) = test else {
            return try append(test, to: &keys, atMost: limit) ? keys : nil
        }
        for value in values {
            let isComplete = try append(
                .compare(.equal, value), to: &keys, atMost: limit - keys.count)
            if !isComplete { return nil }
        }
        return keys
    }

    /// Appends the objects that match. Returns false if they are more than `limit`.
    private func append(
        _ test: ValueTest, to keys: inout [ObjectKey], atMost limit: Int
    ) throws(StorageError) -> Bool {
        guard let index = table.index(of: column) else {
            // The primary key's map has no such function, but finds single keys.
            guard case .compare(.equal, let value) = test, limit > 0 else { return false }
            let key = try value.withScalar { value throws(StorageError) in
                try table.find(primaryKey: value)
            }
            if let key { keys.append(key) }
            return true
        }
        let isComplete = try test.withColumnTest { test throws(StorageError) in
            try index.append(where: test, to: &keys, atMost: limit)
        }
        return isComplete ?? false
    }
}

extension Table {
    fileprivate func isIndexedForQueries(_ column: Int) -> Bool {
        index(of: column) != nil || definition.columns[column].isPrimaryKey
    }

    /// The name of a column in explanations.
    func queryName(of column: Int) -> String {
        "\(stored.name).\(definition.columns[column].name)"
    }
}

extension Table {
    /// The number of objects whose primary key passes a test; nil for another column or test.
    fileprivate func countByPrimaryKey(_ test: ValueTest, _ column: Int) throws(StorageError)
        -> Int?
    {
        guard column == primaryKeyColumn, case .compare(let comparison, let value) = test else {
            return nil
        }
        return try value.withScalar { value throws(StorageError) in
            try count(primaryKey: comparison, value)
        }
    }
}

extension ValueTest {
    fileprivate var start: QueryStart? {
        switch self {
        case .compare(_, .null): nil
        case .compare(.greaterOrEqual, let value):
            QueryStart(value: value, isWholeCondition: true)
        case .compare(.greater, let value), .compare(.equal, let value), .range(let value, _, _):
            QueryStart(value: value, isWholeCondition: false)
        case .hasPrefix(let bytes):
            QueryStart(value: .bytes(bytes), isWholeCondition: false)
        case .compare, .isIn, .hasSuffix, .contains, .satisfies: nil
        }
    }

    /// Calls `body` with the test in the form that kernels and indexes take; nil if there is none.
    func withColumnTest<Answer>(_ body: (ColumnTest) throws(StorageError) -> Answer)
        throws(StorageError) -> Answer?
    {
        switch self {
        case .compare(let comparison, let value):
            return try value.withScalar { value throws(StorageError) in
                try body(.compare(comparison, value))
            }
        case .range(let first, let last, let includesLast):
            return try first.withScalar { first throws(StorageError) in
                try last.withScalar { last throws(StorageError) in
                    try body(
                        includesLast ? .between(first, last) : .range(from: first, upTo: last))
                }
            }
        case .hasPrefix(let bytes):
            return try bytes.withBytes { bytes throws(StorageError) in
                try body(.hasPrefix(bytes))
            }
        case .hasSuffix(let bytes):
            return try bytes.withBytes { bytes throws(StorageError) in
                try body(.hasSuffix(bytes))
            }
        case .contains(let bytes):
            return try bytes.withBytes { bytes throws(StorageError) in
                try body(.contains(bytes))
            }
        case .isIn, .satisfies: return nil
        }
    }

    /// The test in explanations.
    var text: String {
        switch self {
        case .compare(let comparison, let value): "\(comparison.symbol) \(value.text)"
        case .range(let first, let last, let includesLast):
            "in \(first.text)\(includesLast ? "..." : "..<")\(last.text)"
        case .isIn(let values): "in \(values.count) values"
        case .hasPrefix(let bytes): "begins with \(OwnedScalar.bytes(bytes).text)"
        case .hasSuffix(let bytes): "ends with \(OwnedScalar.bytes(bytes).text)"
        case .contains(let bytes): "contains \(OwnedScalar.bytes(bytes).text)"
        case .satisfies(let name, _): name
        }
    }
}

extension Comparison {
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension OwnedScalar {
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .integer(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .bytes(let bytes): "'\(String(decoding: bytes.prefix(32), as: UTF8.self))'"
        case .fixed16, .fixed12: "an identifier"
        }
    }
}
