extension QuerySorter {
    /// The first `limit` objects that a plan finds, in the order of ``sorted(_:)``.
    ///
    /// Takes memory for `limit` objects. An index of the first property is walked, or the order of
    /// primary keys from where the condition begins to match, if that finds enough objects soon.
    /// Otherwise leaves are scanned. Once `limit` objects are found, rows whose numbers come after
    /// the last of them are left out before the condition is evaluated, most of them by the
    /// directories of their leaves.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func first(_ limit: Int, of plan: QueryPlan) throws(StorageError) -> [ObjectKey] {
        precondition(limit >= 0, "a negative number of objects")
        guard let key = keys.first, limit > 0 else { return try plan.keys(limit: limit) }
        let candidates = try plan.begin()
        if candidates == nil {
            if let found = try firstByIndex(limit, of: plan) { return found }
            if let found = try firstByPrimaryKey(limit, of: plan) { return found }
        }
        let order = LeadingOrder(keys)
        var first = FirstEntries<LeadingEntry>(limit: limit)
        if key.links.isEmpty, key.table.checks[key.column].kind.isPacked {
            try offerNumbers(of: plan, among: candidates, by: key, in: order, to: &first)
        } else {
            try offerValues(of: plan, among: candidates, by: key, in: order, to: &first)
        }
        return try first.sorted(by: order.precedes).map(\.key)
    }

    /// Offers the values of all matching objects, read one by one.
    private func offerValues(
        of plan: QueryPlan, among candidates: [ObjectKey]?, by key: QuerySortKey,
        in order: LeadingOrder, to first: inout FirstEntries<LeadingEntry>
    ) throws(StorageError) {
        let form = LeadingForm(key)
        guard key.links.isEmpty else {
            var reader = PathReader(key)
            return try plan.forEachLeaf(among: candidates) { rows, scan throws(StorageError) in
                let leaf = scan.leaf
                try rows.forEachRow { row throws(StorageError) in
                    let object = leaf.objectKey(row)
                    let entry = LeadingEntry(try reader.value(of: object), of: object, as: form)
                    try first.offer(entry, by: order.precedes)
                }
                return true
            }
        }
        try plan.forEachLeaf(among: candidates) { rows, scan throws(StorageError) in
            let leaf = scan.leaf
            let values = try LeafValues(key.table, key.column, in: leaf)
            try rows.forEachRow { row throws(StorageError) in
                let entry = LeadingEntry(try values[row], of: leaf.objectKey(row), as: form)
                if let last = first.last, entry.isClearlyBehind(last) { return }
                try first.offer(entry, by: order.precedes)
            }
            return true
        }
    }

    /// Offers the numbers of all matching objects from a packed column of the objects themselves.
    private func offerNumbers(
        of plan: QueryPlan, among candidates: [ObjectKey]?, by key: QuerySortKey,
        in order: LeadingOrder, to first: inout FirstEntries<LeadingEntry>
    ) throws(StorageError) {
        var numbers = LeadingNumbers(key, hasMoreKeys: keys.count > 1)
        let form = LeadingForm(key)
        let isNull =
            key.table.checks[key.column].allowsNull
            ? try key.table.predicate(key.column, .isNull) : nil
        var nulls = RowMask()
        try plan.forEachLeaf(among: candidates) { rows, scan throws(StorageError) in
            guard let last = first.last else { return }
            try numbers.keep(&rows, before: last, isNull: isNull, in: scan)
        } _: { rows, scan throws(StorageError) in
            if let isNull {
                try scan.match(isNull, into: &nulls)
                nulls.formIntersection(rows)
                rows.subtract(nulls)
                let leaf = scan.leaf
                try nulls.forEachRow { row throws(StorageError) in
                    let entry = LeadingEntry(.null, of: leaf.objectKey(row), as: form)
                    try first.offer(entry, by: order.precedes)
                }
            }
            try scan.forEachNumber(key.column, ascending: key.isAscending, in: rows) {
                number throws(StorageError) in
                try first.offer(LeadingEntry(number, form), by: order.precedes)
            }
            return true
        }
    }
}

/// What entries need to know of the first property.
private struct LeadingForm {
    let type: ValueType
    let isAscending: Bool
    let ranksDecide: Bool

    init(_ key: QuerySortKey) {
        type = key.type
        isAscending = key.isAscending
        ranksDecide = key.type.ranksDecide
    }
}

/// An object with its value of the first property.
private struct LeadingEntry {
    /// The group of the entry: null, values and objects without a value follow each other in
    /// ascending order; in descending order they are reversed.
    let third: UInt8
    let rank: UInt64
    /// Used if ranks do not decide. Bytes stay valid, because nothing is written meanwhile.
    let value: Scalar
    let key: ObjectKey

    /// - Parameter value: nil for an object without a value.
    @inline(__always)
    init(_ value: Scalar?, of object: ObjectKey, as form: LeadingForm) {
        let isNull = value?.isNull ?? true
        let ascending: UInt8 = value == nil ? 2 : isNull ? 0 : 1
        third = form.isAscending ? ascending : 2 - ascending
        self.value = value ?? .null
        rank = isNull ? 0 : form.type.rank(self.value) ^ (form.isAscending ? 0 : .max)
        self.key = object
    }

    @inline(__always)
    init(_ number: NumberEntry, _ form: LeadingForm) {
        third = 1
        rank = number.rank
        value = .integer(0)
        self.key = number.key
    }

    /// Whether the entry comes after another by group and rank alone, without comparing values or
    /// reading further properties.
    @inline(__always)
    func isClearlyBehind(_ other: LeadingEntry) -> Bool {
        third != other.third ? third > other.third : rank > other.rank
    }
}

/// The complete order of entries. Further properties are only read if those before are equal.
private final class LeadingOrder {
    private let first: LeadingForm
    private let rest: [QuerySortKey]
    private var readers: [PathReader]

    init(_ keys: [QuerySortKey]) {
        first = LeadingForm(keys[0])
        rest = Array(keys.dropFirst())
        readers = rest.map { PathReader($0) }
    }

    func precedes(_ a: LeadingEntry, _ b: LeadingEntry) throws(StorageError) -> Bool {
        if a.third != b.third { return a.third < b.third }
        if a.rank != b.rank { return a.rank < b.rank }
        if !first.ranksDecide {
            let order = ValueOrder(type: first.type).compare(a.value, b.value)
            if order != 0 { return (order < 0) == first.isAscending }
        }
        for (index, key) in rest.enumerated() {
            let value = try readers[index].value(of: a.key)
            let order = key.compare(value, try readers[index].value(of: b.key))
            if order != 0 { return order < 0 }
        }
        return a.key.rawValue < b.key.rawValue
    }
}

/// Leaves out rows of a packed column that come after the last entry.
private struct LeadingNumbers: ~Copyable {
    private let key: QuerySortKey
    /// Whether there are further properties, so that rows with the same number may still come
    /// before.
    private let hasMoreKeys: Bool
    private var nulls = RowMask()
    private var scratch = RowMask()

    init(_ key: QuerySortKey, hasMoreKeys: Bool) {
        self.key = key
        self.hasMoreKeys = hasMoreKeys
    }

    mutating func keep(
        _ rows: inout RowMask, before last: LeadingEntry, isNull: ColumnPredicate?,
        in scan: borrowing LeafScan
    ) throws(StorageError) {
        nulls.fill(false, rows: scan.rowCount)
        if let isNull {
            try scan.match(isNull, into: &nulls)
            nulls.formIntersection(rows)
        }
        if last.value.isNull {
            // In ascending order, no value precedes null; in descending order, all do.
            if key.isAscending { rows.assign(nulls) }
            if !hasMoreKeys { rows.subtract(nulls) }
            return
        }
        try scan.keepNumbers(
            key.column, before: last.rank, includesEqual: hasMoreKeys, ascending: key.isAscending,
            in: &rows, scratch: &scratch)
        if key.isAscending { rows.formUnion(nulls) } else { rows.subtract(nulls) }
    }
}
