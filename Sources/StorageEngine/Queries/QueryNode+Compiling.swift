extension QueryNode {
    /// - Parameter depth: the number of conditions that this one is nested in.
    /// - Throws: `.invalidArgument` if a test does not suit its column, or the condition is nested
    ///   too deep.
    static func compile(
        _ condition: QueryCondition, _ table: Table, depth: Int
    ) throws(StorageError) -> QueryNode {
        try QueryCondition.check(depth, table)
        let inner = depth + 1
        switch condition {
        case .constant(let value): return ConstantNode(value)
        case .not(let part): return NotNode(try compile(part, table, depth: inner))
        case .and(let parts): return all(of: try compile(parts, table, depth: inner))
        case .or(let parts): return OrNode(try compile(parts, table, depth: inner))
        case .value(let column, let test): return try compile(test, column, of: table)
        case .link(let column, let part):
            let target = try table.target(ofLinks: column)
            return LinkNode(table, column, to: try QueryPlan(target, part, depth: inner))
        case .referrer(let number, let column, let part):
            let origin = try table.connection.existingTable(number: number)
            return ReferrerNode(table, try QueryPlan(origin, part, depth: inner), through: column)
        case .keys(let keys): return KeysNode(keys)
        case .values(let expression, let name, let test):
            return try ExpressionNode(table, expression, named: name, depth: inner, test)
        case .pairs(let left, let right, let name, let test):
            return try PairNode(table, left, and: right, named: name, depth: inner, test)
        case .bound(let variable, let part):
            let other = try table.connection.existingTable(number: variable.tableNumber)
            return BoundNode(variable, try QueryPlan(other, part, depth: inner))
        case .object(let name, let test): return ObjectNode(table, name, test)
        }
    }

    private static func compile(
        _ conditions: [QueryCondition], _ table: Table, depth: Int
    ) throws(StorageError) -> [QueryNode] {
        try conditions.map { condition throws(StorageError) in
            try compile(condition, table, depth: depth)
        }
    }

    private static func all(of parts: [QueryNode]) -> QueryNode {
        let parts = parts.filter { ($0 as? ConstantNode)?.value != true }
        switch parts.count {
        case 0: return ConstantNode(true)
        case 1: return parts[0]
        default: return AndNode(parts)
        }
    }

    /// The number of values above which a sorted array is searched for each row.
    private static let manyValues = 16

    private static func compile(
        _ test: ValueTest, _ column: Int, of table: Table
    ) throws(StorageError) -> QueryNode {
        precondition(column >= 0 && column < table.propertyCount, "column out of range")
        let definition = table.definition.columns[column]
        guard definition.collection == .none else {
            throw table.pager.invalidArgument(
                "Column '\(table.queryName(of: column))' is a collection, which is not compared.")
        }
        if case .isIn(let values) = test, values.count <= Self.manyValues {
            return OrNode(
                try values.map { value throws(StorageError) in
                    try compile(.compare(.equal, value), column, of: table)
                })
        }
        if definition.type.isCompared, !test.isOrderOfBytes(definition.type),
            let predicate = try test.withColumnTest({ test throws(StorageError) in
                try table.predicate(column, test)
            })
        {
            return ColumnNode(table, column, passing: test, with: predicate)
        }
        return ValueNode(table, column, passing: test)
    }
}

extension QueryCondition {
    /// Throws if a condition or expression is nested in more than the allowed number of others.
    static func check(_ depth: Int, _ table: Table) throws(StorageError) {
        guard depth > maximumDepth else { return }
        throw table.pager.invalidArgument(
            "Conditions lie inside each other more than \(maximumDepth) levels deep.")
    }
}

extension ValueTest {
    /// Whether the test compares bytes by order. Kernels compare them only for equality.
    fileprivate func isOrderOfBytes(_ type: ValueType) -> Bool {
        guard type.columnKind == .bytes || type.columnKind == .fixed16 else { return false }
        switch self {
        case .compare(.equal, _), .compare(.notEqual, _), .hasPrefix, .hasSuffix, .contains:
            return false
        case .compare, .range, .isIn, .satisfies: return true
        }
    }
}

extension Table {
    /// The table that the links of a column lead to.
    func target(ofLinks column: Int) throws(StorageError) -> Table {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard let name = definition.columns[column].linkTarget,
            let target = try connection.table(named: name)
        else {
            throw pager.invalidArgument(
                "Column '\(queryName(of: column))' does not lead to objects of one table.")
        }
        return target
    }
}
