/// A list property of one object: cheap to make, without state of its own.
///
/// Positions out of range are programming errors; a deleted owner throws `.invalidArgument`.
@frozen
public struct ListHandle {
    let table: Table
    let column: Int
    public let owner: ObjectKey

    init(_ table: Table, _ column: Int, _ owner: ObjectKey) {
        self.table = table
        self.column = column
        self.owner = owner
    }
}

extension Table {
    public func list(_ column: Int, of key: ObjectKey) -> ListHandle {
        precondition(stored.columns[column].isList, "column \(column) is not a list")
        return ListHandle(self, column, key)
    }
}

extension ListHandle {
    private var pager: Pager { table.pager }
    private var definition: ColumnDefinition { table.definition.columns[column] }
    private var kind: ColumnKind { definition.type.columnKind }
    private var isLink: Bool { definition.type == .link }

    /// Elements of links are never null.
    private var allowsNull: Bool { definition.isOptional && !isLink }

    private var tree: ListTree { ListTree(kind: kind, treeID: table.stored.clusterTreeID) }

    private func stored() throws -> UnsafeRawBufferPointer {
        guard case .bytes(let bytes) = try table.value(column, of: owner) else {
            throw pager.damaged(0, "a list that is not stored as one")
        }
        return bytes
    }

    // MARK: Reading

    public func count() throws -> Int {
        let bytes = try stored()
        if let root = InlineList.root(bytes) { return root.count }
        var count = 0
        try forEachInline(bytes) { _ in
            count += 1
            return true
        }
        return count
    }

    private func forEachInline(
        _ bytes: UnsafeRawBufferPointer, _ body: (Scalar) throws -> Bool
    ) throws {
        guard try InlineList.forEach(bytes, kind, isOptional: allowsNull, body) else {
            throw pager.damaged(0, "a list's elements cannot be read")
        }
    }

    /// The element at a position. O(log n).
    public func value(at index: Int) throws -> Scalar {
        let bytes = try stored()
        if let root = InlineList.root(bytes) {
            precondition(index >= 0 && index < root.count, "list position out of range")
            let (node, row) = try tree.find(pager, root, index)
            return try node.scalar(pager, kind, 0, row)
        }
        var found: Scalar?
        var position = 0
        try forEachInline(bytes) { element in
            if position == index { found = element }
            position += 1
            return found == nil
        }
        precondition(found != nil, "list position out of range")
        return found!
    }

    /// The position of the first element equal to `value`.
    public func firstIndex(of value: Scalar) throws -> Int? { try firstIndex(of: value, from: 0) }

    func firstIndex(of value: Scalar, from start: Int) throws -> Int? {
        let bytes = try stored()
        if let root = InlineList.root(bytes) {
            if case .integer(let integer) = value {
                return try tree.firstIndex(pager, root, ofInteger: integer, from: start)
            }
            var problem: Error?
            let index = try tree.firstIndex(pager, root, from: start) { node, row in
                do {
                    return try node.scalar(pager, kind, 0, row).isIdentical(to: value)
                } catch {
                    problem = error
                    return true
                }
            }
            if let problem { throw problem }
            return index
        }
        var position = 0
        var found: Int?
        try forEachInline(bytes) { element in
            if position >= start, element.isIdentical(to: value) { found = position }
            position += 1
            return found == nil
        }
        return found
    }

    /// Visits all elements in order, until `body` returns false. The list must not be changed
    /// meanwhile.
    public func forEach(_ body: (Scalar) throws -> Bool) throws {
        let bytes = try stored()
        guard let root = InlineList.root(bytes) else { return try forEachInline(bytes, body) }
        try ClusterTree.forEachLeaf(pager, root) { leaf, _ in
            for row in 0..<leaf.rowCount {
                if try !body(leaf.scalar(pager, kind, 0, row)) { return false }
            }
            return true
        }
    }

    // MARK: Changing

    public func insert(_ value: Scalar, at index: Int) throws {
        try check(value)
        try withOwned(value) { try insertChecked($0, at: index) }
    }

    /// Adds an element at the end.
    public func append(_ value: Scalar) throws {
        try check(value)
        try withOwned(value) { try insertChecked($0, at: nil) }
    }

    /// Without an index at the end.
    private func insertChecked(_ value: Scalar, at position: Int?) throws {
        let bytes = try stored()
        if var root = InlineList.root(bytes) {
            let index = position ?? root.count
            precondition(index >= 0 && index <= root.count, "list position out of range")
            try insert(value, at: index, in: &root)
            try store(root)
        } else {
            var elements = try inlineElements(bytes)
            let index = position ?? elements.count
            precondition(index >= 0 && index <= elements.count, "list position out of range")
            elements.insert(InlineList.Element(value), at: index)
            try store(elements)
        }
        try addBacklink(value)
    }

    public func set(_ value: Scalar, at index: Int) throws {
        try check(value)
        try withOwned(value) { try setChecked($0, at: index) }
    }

    private func setChecked(_ value: Scalar, at index: Int) throws {
        try removeBacklink(try self.value(at: index))
        let bytes = try stored()
        if var root = InlineList.root(bytes) {
            try withStored(value) { set in
                // After the new value was written: it may be a view of the old one.
                try freeOverflow(root, index)
                try tree.set(table.quietWriter, &root, at: index, set: set)
            }
            try store(root)
        } else {
            var elements = try inlineElements(bytes)
            elements[index] = InlineList.Element(value)
            try store(elements)
        }
        try addBacklink(value)
    }

    public func remove(at index: Int) throws {
        try table.requireWriteTransaction()
        try removeBacklink(try value(at: index))
        try removeElement(at: index)
    }

    private func removeElement(at index: Int) throws {
        let bytes = try stored()
        if var root = InlineList.root(bytes) {
            try freeOverflow(root, index)
            try tree.remove(table.quietWriter, &root, at: index)
            if root.reference.isNone { try store([UInt8]()) } else { try store(root) }
        } else {
            var elements = try inlineElements(bytes)
            elements.remove(at: index)
            try store(elements)
        }
    }

    /// Moves an element; `to` is its position afterwards.
    public func move(from: Int, to: Int) throws {
        try table.requireWriteTransaction()
        // Owned, because removing it may overwrite the page it was read from.
        let element = InlineList.Element(try value(at: from))
        try remove(at: from)
        try withScalar(element) { try insertChecked($0, at: to) }
    }

    public func removeAll() throws {
        try table.requireWriteTransaction()
        try release()
        try store([UInt8]())
    }

    /// Removes all occurrences of a target whose backlinks are forgotten already.
    func removeForgotten(_ target: ObjectKey) throws {
        var from = 0
        while let index = try firstIndex(of: .integer(target.rawValue), from: from) {
            try removeElement(at: index)
            from = index
        }
    }

    /// Frees everything the list owns and drops its backlinks; the row itself is left as it is.
    func release() throws {
        let bytes = try stored()
        if isLink {
            var targets: [Int64] = []
            try forEach {
                if case .integer(let target) = $0 { targets.append(target) }
                return true
            }
            for target in targets { try removeBacklink(.integer(target)) }
        }
        // Backlinks of a class that refers to itself live in the same leaf: read the root anew.
        guard let root = InlineList.root(isLink ? try stored() : bytes) else { return }
        try forEachNode(pager, root.reference) { reference, node in
            if node.level == 0, kind == .bytes { try freeOverflows(node) }
            try pager.free(reference)
        }
    }

    // MARK: Parts

    private func check(_ value: Scalar) throws {
        try table.requireWriteTransaction()
        guard value.isNull ? allowsNull : definition.type.accepts(value) else {
            throw pager.invalidArgument(
                "'\(table.stored.name).\(definition.name)' does not hold such elements.")
        }
        if case .bytes(let bytes) = value, bytes.count > Pager.maximumValueBytes {
            throw table.tooLarge(column, bytes.count)
        }
        try table.checkTarget(column, value)
    }

    /// Short bytes are copied: they may lie in the very page that takes them.
    private func withOwned(_ value: Scalar, _ body: (Scalar) throws -> Void) throws {
        if case .bytes(let bytes) = value, bytes.count <= pager.maximumInlineBytes {
            try Array(bytes).withUnsafeBytes { try body(.bytes($0)) }
        } else {
            try body(value)
        }
    }

    private func insert(_ value: Scalar, at index: Int, in root: inout TreeRoot) throws {
        try withStored(value) { set in
            try tree.insert(table.quietWriter, &root, at: index, set: set)
        }
    }

    /// Calls `body` with what writes the value into a row of a list leaf; long values are on pages
    /// of their own by then.
    private func withStored(
        _ value: Scalar, _ body: ((MutableNode, Int) -> Bool) throws -> Void
    ) throws {
        if case .bytes(let bytes) = value, bytes.count > pager.maximumInlineBytes {
            let reference = try pager.writeOverflow(bytes)
            try withOverflowImage(reference, bytes.count) { image in
                try body { $0.setBytes(0, $1, image, isOverflow: true) }
            }
        } else {
            try body { $0.set(0, $1, value) }
        }
    }

    private func withScalar<R>(_ element: InlineList.Element, _ body: (Scalar) throws -> R) rethrows
        -> R
    {
        switch element {
        case .null: try body(.null)
        case .integer(let v): try body(.integer(v))
        case .float(let v): try body(.float(v))
        case .double(let v): try body(.double(v))
        case .bytes(let v): try v.withUnsafeBytes { try body(.bytes($0)) }
        case .fixed16(let a, let b): try body(.fixed16(a, b))
        }
    }

    private func inlineElements(_ bytes: UnsafeRawBufferPointer) throws -> [InlineList.Element] {
        var elements: [InlineList.Element] = []
        try forEachInline(bytes) {
            elements.append(InlineList.Element($0))
            return true
        }
        return elements
    }

    /// Writes a list that was short: into the row if it still is, else into a new tree.
    private func store(_ elements: [InlineList.Element]) throws {
        let image = InlineList.encode(elements, isOptional: allowsNull)
        if image.count <= InlineList.maximumBytes { return try store(image) }
        var root = TreeRoot.empty
        for element in elements {
            try withScalar(element) { try insert($0, at: root.count, in: &root) }
        }
        try store(root)
    }

    private func store(_ root: TreeRoot) throws {
        try InlineList.withImage(of: root) {
            try table.store(.init(scalar: .bytes($0)), column, of: owner)
        }
    }

    private func store(_ image: [UInt8]) throws {
        try image.withUnsafeBytes {
            try table.store(.init(scalar: .bytes($0)), column, of: owner)
        }
    }

    private func addBacklink(_ value: Scalar) throws {
        if isLink, case .integer(let target) = value {
            try table.addBacklink(column, from: owner, to: ObjectKey(rawValue: target))
        }
    }

    private func removeBacklink(_ value: Scalar) throws {
        if isLink, case .integer(let target) = value {
            try table.removeBacklink(column, from: owner, to: ObjectKey(rawValue: target))
        }
    }

    private func freeOverflow(_ root: TreeRoot, _ index: Int) throws {
        guard kind == .bytes else { return }
        let (node, row) = try tree.find(pager, root, index)
        if node.isOverflow(0, row) { try pager.free(node.overflowReference(0, row).0) }
    }

    private func freeOverflows(_ leaf: Node) throws {
        for row in 0..<leaf.rowCount where leaf.isOverflow(0, row) {
            try pager.free(leaf.overflowReference(0, row).0)
        }
    }
}

extension ListHandle {
    /// The root of a list that has outgrown its owner's row.
    func treeRoot() throws -> TreeRoot? { InlineList.root(try stored()) }

    /// What the owner's row holds for a list that has not.
    func inlineImage() throws -> [UInt8] { Array(try stored()) }

    /// Appends to a tree that no row refers to yet. Backlinks are the caller's.
    func append(_ value: Scalar, to root: inout TreeRoot) throws {
        try insert(value, at: root.count, in: &root)
    }
}
