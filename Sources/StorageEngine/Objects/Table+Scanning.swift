/// Questions about all objects, answered leaf by leaf from the packed columns.
///
/// Each is one ``LeafScan``: time grows with the number of leaves, memory does not. For questions
/// about several columns at once, use a `LeafScan` directly.
extension Table {
    /// The number of objects that match.
    ///
    /// - Throws: `.damaged`.
    public func count(where predicate: ColumnPredicate) throws(StorageError) -> Int {
        var scratch = RowMask()
        var scan = try LeafScan(self, keepsLeaves: false)
        if scan.remainingRows >= pager.worthSharing.fewestRows,
            let count = try sharedCount(
                where: LeafCondition(predicate),
                matching: { rows, scan throws(StorageError) in
                    try scan.match(predicate, into: &rows)
                })
        {
            return count
        }
        var count = 0
        while try scan.next() { count += try scan.count(predicate, scratch: &scratch) }
        return count
    }

    /// The first `limit` keys of objects that match, in ascending order.
    ///
    /// - Throws: `.damaged`.
    public func keys(where predicate: ColumnPredicate, limit: Int = .max) throws(StorageError)
        -> [ObjectKey]
    {
        var keys: [ObjectKey] = []
        var mask = RowMask()
        var scan = try LeafScan(self, keepsLeaves: false)
        while keys.count < limit, try scan.next() {
            try scan.match(predicate, into: &mask)
            mask.forEachRow { keys.append(scan.key($0)) }
        }
        if keys.count > limit { keys.removeLast(keys.count - limit) }
        return keys
    }

    // MARK: Aggregates

    /// The sum of a numeric column over the objects that match, or over all objects.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric, `.damaged`.
    public func sum(_ column: Int, where predicate: ColumnPredicate? = nil) throws(StorageError)
        -> ColumnSum
    {
        var sum = try emptySum(column)
        var mask = RowMask()
        var scan = try LeafScan(self, keepsLeaves: false)
        if scan.remainingRows >= pager.worthSharing.fewestRows,
            let sum = try sharedSum(
                column, where: predicate.map { LeafCondition($0) } ?? LeafCondition(),
                matching: { rows, scan throws(StorageError) in
                    if let predicate { try scan.match(predicate, into: &rows) }
                })
        {
            return sum
        }
        while try scan.next() {
            guard let predicate else {
                try scan.add(column, to: &sum)
                continue
            }
            try scan.match(predicate, into: &mask)
            if !mask.isEmpty { try scan.add(column, of: mask, to: &sum) }
        }
        return sum
    }

    /// The sum of no values of a column, to be passed to ``LeafScan/add(_:to:)``.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric.
    func emptySum(_ column: Int) throws(StorageError) -> ColumnSum {
        ColumnSum(kind: try kindOfNumbers(column))
    }

    /// The mean of a numeric column; nil without values.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric, `.damaged`.
    public func average(_ column: Int, where predicate: ColumnPredicate? = nil) throws(StorageError)
        -> Double?
    {
        try sum(column, where: predicate).average
    }

    /// The least value of a numeric column; nil without values. NaN is ignored, and -0 is less than
    /// 0.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric, `.damaged`.
    public func minimum(_ column: Int, where predicate: ColumnPredicate? = nil) throws(StorageError)
        -> Scalar?
    {
        try extreme(.least, column, where: predicate)
    }

    /// The greatest value of a numeric column; nil without values. NaN is ignored, and -0 is less
    /// than 0.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric, `.damaged`.
    public func maximum(_ column: Int, where predicate: ColumnPredicate? = nil) throws(StorageError)
        -> Scalar?
    {
        try extreme(.greatest, column, where: predicate)
    }

    private func extreme(
        _ side: ColumnExtreme.Side, _ column: Int, where predicate: ColumnPredicate?
    ) throws(StorageError) -> Scalar? {
        var extreme = try emptyExtreme(side, column)
        var mask = RowMask()
        var scan = try LeafScan(self, keepsLeaves: false)
        while try scan.next() {
            guard let predicate else {
                try scan.add(column, selection: nil, to: &extreme)
                continue
            }
            try scan.match(predicate, into: &mask)
            if !mask.isEmpty { try scan.add(column, selection: mask.words, to: &extreme) }
        }
        return extreme.value
    }

    /// The extreme of no values of a column.
    func emptyExtreme(_ side: ColumnExtreme.Side, _ column: Int) throws(StorageError)
        -> ColumnExtreme
    {
        ColumnExtreme(side, kind: try kindOfNumbers(column))
    }

    /// The kind of a column that has numbers.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric.
    func kindOfNumbers(_ column: Int) throws(StorageError) -> ColumnKind {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard checks[column].kind.isPacked else {
            throw pager.invalidArgument(
                "Column '\(stored.name).\(definition.columns[column].name)' has no numbers.")
        }
        return checks[column].kind
    }
}

extension ColumnExtreme {
    /// The value found so far; nil without values.
    var value: Scalar? {
        switch kind {
        case .float: best.map { .float(PackedNumbers.float(image: $0)) }
        case .double: best.map { .double(PackedNumbers.double(image: $0)) }
        default: best.map { .integer($0) }
        }
    }
}
