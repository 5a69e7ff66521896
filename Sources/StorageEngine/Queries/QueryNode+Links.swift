/// A to-one link, or a list, set or map of links, of which a target has to match a condition.
///
/// The matching targets are found first, once per run. Rows are then tested by their links alone.
/// In a run that tests few objects, the targets of each are tested instead, unless they turn out to
/// be many.
final class LinkNode: QueryNode {
    private let table: Table
    private let column: Int
    private let target: QueryPlan
    private let isToOne: Bool
    /// Nil while few objects are tested.
    private var matched: MatchedKeys? = MatchedKeys([])
    private var tests = FewTests()

    init(_ table: Table, _ column: Int, to target: QueryPlan) {
        self.table = table
        self.column = column
        self.target = target
        isToOne = table.definition.columns[column].collection == .none
    }

    override var cost: Int { isToOne ? 10 : 200 }

    /// Whether the targets are fixed. Then only a change of the row changes the result, because a
    /// link never leads to an object that does not exist.
    override var asksOwnRowOnly: Bool { target.root is KeysNode || target.matchesEverything }

    override func prepare() throws(StorageError) { matched = MatchedKeys(try target.keys()) }

    override func prepareForFew() throws(StorageError) {
        matched = nil
        tests = try FewTests(in: target)
        try target.root.prepareForFew()
    }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        guard let matched else { return try narrowFew(&rows, in: scan) }
        guard matched.count > 0 else { return rows.fill(false, rows: scan.rowCount) }
        if isToOne { return try narrowToOne(&rows, matched, in: scan) }
        let values = try LeafValues(table, column, in: scan.leaf)
        let (pager, format) = (table.pager, table.checks[column].format)
        try rows.filter { row throws(StorageError) in
            guard case .bytes(let bytes) = try values[row] else {
                throw pager.damaged(0, "a collection that is not stored as one")
            }
            return try StoredCollection(pager: pager, bytes: bytes, format: format)
                .leads(toOneOf: matched)
        }
    }

    private func narrowFew(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError)
    {
        let leaf = scan.leaf
        try rows.filter { row throws(StorageError) in
            var isMatch = false
            try table.forEachLink(column, of: leaf.objectKey(row)) { key throws(StorageError) in
                isMatch = try isMatching(key)
                return !isMatch
            }
            return isMatch
        }
    }

    private func isMatching(_ key: ObjectKey) throws(StorageError) -> Bool {
        if matched == nil, !tests.takeOne() { try prepare() }
        if let matched { return matched.contains(key.rawValue) }
        return try target.preparedMatch(key)
    }

    private func narrowToOne(
        _ rows: inout RowMask, _ matched: MatchedKeys, in scan: borrowing LeafScan
    ) throws(StorageError) {
        guard let (node, position) = try table.column(column, of: scan.leaf) else {
            return rows.fill(false, rows: scan.rowCount)
        }
        rows.filter { row in
            !node.isNull(position, row) && matched.contains(node.integer(position, row))
        }
    }

    /// Reading the collection of an object costs about as much as looking up the objects with links
    /// to one of the targets.
    override var shareOfCandidates: Int { isToOne ? super.shareOfCandidates : 4 }

    override func candidates(atMost limit: Int) throws(StorageError) -> [ObjectKey]? {
        guard let matched else { return nil }
        return try table.referrers(column, to: matched, in: target.table, atMost: limit)
    }

    override func explain() -> [String] {
        let (name, targetName) = (table.queryName(of: column), target.table.stored.name)
        let relation = isToOne ? "\(name) leads to one of" : "any of \(name) is one of"
        return ["\(relation) \(targetName)"] + Self.indented([target.root])
    }
}

/// Objects with a link from a matching object. They are found by following the links of the
/// matching ones; in a run that tests few objects, by testing those that link to each, unless they
/// turn out to be many.
final class ReferrerNode: QueryNode {
    private let table: Table
    private let origin: QueryPlan
    private let column: Int
    /// Nil while few objects are tested.
    private var matched: MatchedKeys? = MatchedKeys([])
    private var tests = FewTests()

    init(_ table: Table, _ origin: QueryPlan, through column: Int) {
        self.table = table
        self.origin = origin
        self.column = column
    }

    override var cost: Int { 2 }

    override func prepare() throws(StorageError) {
        var targets: [ObjectKey] = []
        for key in try origin.keys() {
            try origin.table.forEachLink(column, of: key) {
                targets.append($0)
                return true
            }
        }
        matched = MatchedKeys(targets)
    }

    override func prepareForFew() throws(StorageError) {
        matched = nil
        tests = try FewTests(in: origin)
        try origin.root.prepareForFew()
    }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        let leaf = scan.leaf
        if let matched { return rows.keepMembers(of: matched, in: leaf) }
        try rows.filter { row throws(StorageError) in try isMatching(leaf.objectKey(row)) }
    }

    private func isMatching(_ key: ObjectKey) throws(StorageError) -> Bool {
        if let matched { return matched.contains(key.rawValue) }
        var isMatch = false
        var areFew = true
        try origin.table.forEachReference(to: key, in: column) { source, _ throws(StorageError) in
            areFew = tests.takeOne()
            if areFew { isMatch = try origin.preparedMatch(source) }
            return areFew && !isMatch
        }
        if areFew { return isMatch }
        try prepare()
        return try isMatching(key)
    }

    override func candidates(atMost limit: Int) -> [ObjectKey]? { matched?.keys(atMost: limit) }

    override func explain() -> [String] {
        ["any \(origin.table.queryName(of: column)) leads here from one of"]
            + Self.indented([origin.root])
    }
}

/// The objects of other tables that a run of few objects tests one by one. For more, all objects
/// that match are found at once, which takes less time.
struct FewTests {
    private static let least = 64
    private static let shareOfTable = 64
    private var left = 0

    init() {}

    init(in plan: QueryPlan) throws(StorageError) {
        left = max(Self.least, try plan.table.count() / Self.shareOfTable)
    }

    /// Returns false if there were too many.
    mutating func takeOne() -> Bool {
        left -= 1
        return left >= 0
    }
}

/// Objects given by their keys.
final class KeysNode: QueryNode {
    private let matched: MatchedKeys

    init(_ keys: [ObjectKey]) { matched = MatchedKeys(keys) }

    override var cost: Int { 2 }

    override var asksOwnRowOnly: Bool { true }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) {
        rows.keepMembers(of: matched, in: scan.leaf)
    }

    override func candidates(atMost limit: Int) -> [ObjectKey]? { matched.keys(atMost: limit) }

    override func explain() -> [String] { ["one of \(matched.count) objects"] }
}

/// An arbitrary test of each object.
final class ObjectNode: QueryNode {
    private let table: Table
    private let name: String
    private let test: (Table, ObjectKey) throws(StorageError) -> Bool

    init(
        _ table: Table, _ name: String,
        _ test: @escaping (Table, ObjectKey) throws(StorageError) -> Bool
    ) {
        self.table = table
        self.name = name
        self.test = test
    }

    override var cost: Int { 1_000 }

    override var asksOwnRowOnly: Bool { true }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        let leaf = scan.leaf
        try rows.filter { row throws(StorageError) in try test(table, leaf.objectKey(row)) }
    }

    override func explain() -> [String] { ["\(name): object by object"] }
}

extension MatchedKeys {
    fileprivate func keys(atMost limit: Int) -> [ObjectKey]? {
        guard count <= limit else { return nil }
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        // swift-format-ignore: ReplaceForEachWithForLoop
        forEach { keys.append($0) }
        return keys
    }
}

extension RowMask {
    fileprivate mutating func keepMembers(of keys: MatchedKeys, in leaf: Node) {
        if keys.count == 0 { return fill(false, rows: rowCount) }
        filter { keys.contains(leaf.objectKey($0).rawValue) }
    }
}

extension StoredCollection {
    /// Whether one of the links leads to one of the targets.
    fileprivate func leads(toOneOf targets: MatchedKeys) throws(StorageError) -> Bool {
        var isFound = false
        guard let root else {
            try forEachInline { row, _ in
                if case .integer(let key) = row.value { isFound = targets.contains(key) }
                return !isFound
            }
            return isFound
        }
        let column = tree.valueColumn
        try tree.forEachLeaf(pager, root) { leaf, _ in
            for row in 0..<leaf.rowCount {
                if targets.contains(leaf.integer(column, row)), !leaf.isNull(column, row) {
                    isFound = true
                    return false
                }
            }
            return true
        }
        return isFound
    }
}

extension Table {
    /// Visits the objects that a link, or a collection of links, leads to, until `body` returns
    /// false.
    func forEachLink(
        _ column: Int, of key: ObjectKey, _ body: (ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) {
        func visit(_ value: Scalar) throws(StorageError) -> Bool {
            guard case .integer(let target) = value else { return true }
            return try body(ObjectKey(rawValue: target))
        }
        switch definition.columns[column].collection {
        case .none: _ = try visit(value(column, of: key))
        case .list: try list(column, of: key).forEach(visit)
        case .set: try set(column, of: key).forEach(visit)
        case .map:
            try map(column, of: key).forEach { _, value throws(StorageError) in try visit(value) }
        }
    }

    /// The objects whose column links to one of `targets`; nil if they are more than `limit`. An
    /// object may occur several times.
    func referrers(
        _ column: Int, to targets: MatchedKeys, in target: Table, atMost limit: Int
    ) throws(StorageError) -> [ObjectKey]? {
        guard targets.count <= limit else { return nil }
        let (table, position) = try backlinks.withPlace(of: column, in: target.number) { ($0, $1) }
        var keys: [ObjectKey] = []
        var isComplete = true
        try targets.forEach { target throws(StorageError) in
            guard isComplete else { return }
            try Backlinks.forEach(position, target, in: table) { origin, _ in
                keys.append(origin)
                isComplete = keys.count <= limit
                return isComplete
            }
        }
        return isComplete ? keys : nil
    }
}
