/// A test that one of the values of each object has to pass, object by object.
final class ExpressionNode: QueryNode {
    private let name: String
    private let expression: ExpressionReader
    private let connection: Connection
    private let test: (MixedValue, Connection) throws(StorageError) -> Bool

    init(
        _ table: Table, _ expression: QueryExpression, named name: String, depth: Int,
        _ test: @escaping (MixedValue, Connection) throws(StorageError) -> Bool
    ) throws(StorageError) {
        connection = table.connection
        self.name = name
        self.expression = try ExpressionReader(table, expression, depth: depth)
        self.test = test
    }

    override var cost: Int { 300 }

    override var asksOwnRowOnly: Bool { expression.asksOwnRowOnly }

    override func prepare() throws(StorageError) { try expression.prepare() }
    override func prepareForFew() throws(StorageError) { try expression.prepareForFew() }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        let leaf = scan.leaf
        try rows.filter { row throws(StorageError) in
            var isMatch = false
            try expression.forEach(of: leaf.objectKey(row)) { value throws(StorageError) in
                isMatch = try test(value, connection)
                return !isMatch
            }
            return isMatch
        }
    }

    override func explain() -> [String] { ["\(name): object by object"] }
}

/// A test that one pair of values from two groups has to pass, object by object.
final class PairNode: QueryNode {
    private let name: String
    private let left: ExpressionReader
    private let right: ExpressionReader
    private let connection: Connection
    private let test: (MixedValue, MixedValue, Connection) throws(StorageError) -> Bool

    init(
        _ table: Table, _ left: QueryExpression, and right: QueryExpression, named name: String,
        depth: Int,
        _ test: @escaping (MixedValue, MixedValue, Connection) throws(StorageError) -> Bool
    ) throws(StorageError) {
        connection = table.connection
        self.name = name
        self.left = try ExpressionReader(table, left, depth: depth)
        self.right = try ExpressionReader(table, right, depth: depth)
        self.test = test
    }

    override var cost: Int { 400 }

    override var asksOwnRowOnly: Bool { left.asksOwnRowOnly && right.asksOwnRowOnly }

    override func prepare() throws(StorageError) {
        try left.prepare()
        try right.prepare()
    }

    override func prepareForFew() throws(StorageError) {
        try left.prepareForFew()
        try right.prepareForFew()
    }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        let leaf = scan.leaf
        try rows.filter { row throws(StorageError) in
            let key = leaf.objectKey(row)
            var isMatch = false
            try left.forEach(of: key) { first throws(StorageError) in
                try right.forEach(of: key) { second throws(StorageError) in
                    isMatch = try test(first, second, connection)
                    return !isMatch
                }
                return !isMatch
            }
            return isMatch
        }
    }

    override func explain() -> [String] { ["\(name): object by object"] }
}

/// A condition on the object bound to a variable.
final class BoundNode: QueryNode {
    private let variable: QueryVariable
    private let plan: QueryPlan

    init(_ variable: QueryVariable, _ plan: QueryPlan) {
        self.variable = variable
        self.plan = plan
    }

    override var cost: Int { 500 }

    override func prepare() throws(StorageError) { try plan.root.prepare() }
    override func prepareForFew() throws(StorageError) { try plan.root.prepareForFew() }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        if try !plan.preparedMatch(variable.object(in: plan.table)) {
            rows.fill(false, rows: scan.rowCount)
        }
    }

    override func explain() -> [String] {
        ["the object of \(plan.table.stored.name) around"] + Self.indented([plan.root])
    }
}

/// An expression prepared for evaluation, object after object.
final class ExpressionReader {
    private enum Form {
        case constant(OwnedScalar)
        case object(table: Int)
        case values(QueryValues)
        case count(QueryValues)
        case countMatching(QueryValues, QueryPlan)
        case countMatchingEach(QueryValues, QueryPlan, QueryVariable, QueryVariable)
        case bound(QueryVariable, Table, ExpressionReader)
        case aggregate(QueryAggregate, QueryValues)
    }

    private let form: Form
    /// The objects that match the condition of `countMatching`, for the duration of a run; nil
    /// while few objects are tested.
    private var matched: MatchedKeys? = MatchedKeys([])
    private var tests = FewTests()

    init(_ table: Table, _ expression: QueryExpression, depth: Int) throws(StorageError) {
        try QueryCondition.check(depth, table)
        switch expression {
        case .constant(let value): form = .constant(value)
        case .object: form = .object(table: table.number)
        case .values(let path): form = .values(try QueryValues(table, path))
        case .count(let path): form = .count(try QueryValues(table, path))
        case .countMatching(let path, let condition):
            let values = try QueryValues(table, path)
            let plan = try QueryPlan(try values.target(), condition, depth: depth)
            form = .countMatching(values, plan)
        case .countMatchingEach(let path, let condition, let object, let element):
            let values = try QueryValues(table, path)
            let plan = try QueryPlan(try values.target(), condition, depth: depth)
            form = .countMatchingEach(values, plan, object, element)
        case .bound(let variable, let expression):
            let other = try table.connection.existingTable(number: variable.tableNumber)
            form = .bound(
                variable, other, try ExpressionReader(other, expression, depth: depth + 1))
        case .aggregate(let aggregate, let path):
            form = .aggregate(aggregate, try QueryValues(table, path))
        }
    }

    var asksOwnRowOnly: Bool {
        switch form {
        case .constant, .object: true
        case .values(let values), .count(let values), .aggregate(_, let values):
            values.areOfOwnRow
        case .countMatching, .countMatchingEach, .bound: false
        }
    }

    func prepare() throws(StorageError) {
        switch form {
        case .countMatching(_, let plan): matched = MatchedKeys(try plan.keys())
        // The result does not depend on the objects that variables are bound to.
        case .countMatchingEach(_, let plan, _, _): try plan.root.prepare()
        case .bound(_, _, let reader): try reader.prepare()
        case .constant, .object, .values, .count, .aggregate: break
        }
    }

    /// See ``QueryNode/prepareForFew()``.
    func prepareForFew() throws(StorageError) {
        switch form {
        case .countMatching(_, let plan):
            matched = nil
            tests = try FewTests(in: plan)
            try plan.root.prepareForFew()
        case .countMatchingEach(_, let plan, _, _): try plan.root.prepareForFew()
        case .bound(_, _, let reader): try reader.prepareForFew()
        case .constant, .object, .values, .count, .aggregate: break
        }
    }

    /// Visits the values until `body` returns false.
    func forEach(of key: ObjectKey, _ body: (MixedValue) throws(StorageError) -> Bool)
        throws(StorageError)
    {
        switch form {
        case .constant(let value):
            _ = try value.withScalar { value throws(StorageError) in
                try body(MixedValue(value) ?? .null)
            }
        case .object(let table): _ = try body(.link(TypedLink(table: table, key: key)))
        case .values(let values): try values.forEach(of: key, body)
        case .count(let values): _ = try body(.int(Int64(values.count(of: key))))
        case .countMatching(let values, let plan):
            var count: Int64 = 0
            try values.forEach(of: key) { value throws(StorageError) in
                guard case .link(let link) = value else { return true }
                if matched == nil, !tests.takeOne() { matched = MatchedKeys(try plan.keys()) }
                let isMatch: Bool
                if let matched {
                    isMatch = matched.contains(link.key.rawValue)
                } else {
                    isMatch = try plan.preparedMatch(link.key)
                }
                if isMatch { count += 1 }
                return true
            }
            _ = try body(.int(count))
        case .countMatchingEach(let values, let plan, let object, let element):
            var count: Int64 = 0
            try object.binding(key) { () throws(StorageError) in
                try values.forEach(of: key) { value throws(StorageError) in
                    guard case .link(let link) = value else { return true }
                    let isMatch = try element.binding(link.key) { () throws(StorageError) in
                        try plan.preparedMatch(link.key)
                    }
                    if isMatch { count += 1 }
                    return true
                }
            }
            _ = try body(.int(count))
        case .bound(let variable, let table, let reader):
            try reader.forEach(of: variable.object(in: table), body)
        case .aggregate(let aggregate, let values):
            var summary = ValueSummary(aggregate, of: values.type)
            try values.forEach(of: key) {
                summary.add($0)
                return true
            }
            _ = try body(summary.result)
        }
    }
}
