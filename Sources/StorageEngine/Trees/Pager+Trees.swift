import CColumnKernels

extension Pager {
    /// Returns the root of a tree that is not empty.
    @inline(__always)
    func root(of tree: TreeRoot, _ shape: some TreeShape) throws(StorageError) -> Node {
        let root = PageHeader(try page(tree.reference))
        guard shape.describes(root, level: tree.level) else { throw misplaced(tree.reference) }
        return Node(root.bytes)
    }

    /// Returns the node that row `row` of a branch leads to. It must be one level down, so that
    /// every descent ends, even in a malicious file.
    @inline(__always)
    func child(of branch: Node, _ row: Int, shape: some TreeShape) throws(StorageError) -> Node {
        try node(branch.child(row), level: branch.level &- 1, shape: shape)
    }

    /// Returns a node that must be at this level of its tree.
    @inline(__always)
    func node(
        _ reference: PageReference, level: Int, shape: some TreeShape
    ) throws(StorageError) -> Node {
        let page = PageHeader(try page(reference))
        guard shape.describes(page, level: level) else { throw misplaced(reference) }
        return Node(page.bytes)
    }

    /// Returns the error for a node that is valid but not part of the tree that leads to it.
    @inline(never)
    func misplaced(_ reference: PageReference) -> StorageError {
        damaged(reference.page, "it is not a node of the tree that leads to it")
    }

    @inline(never)
    func countsDisagree(_ reference: PageReference) -> StorageError {
        damaged(reference.page, "row counts do not add up")
    }

    /// An upper bound on the rows of a tree: each row takes at least a bit of its leaf. It bounds
    /// the time and memory that walking a tree of a malicious file can take if nodes occur
    /// repeatedly.
    var maximumRowCount: Int {
        MutableNode.rowLimit(byteCount: file.byteCount(file.mappedPages))
    }

    /// Adds a node that was laid out elsewhere to the open transaction.
    func adopt(_ node: MutableNode) throws(StorageError) -> PageReference {
        let (reference, buffer) = try allocateUninitialized(
            pages: node.byteCount / pageSize)
        buffer.copyMemory(from: node.base, byteCount: node.byteCount)
        MutableNode(buffer, byteCount: node.byteCount).setBirth(reference.birth)
        return reference
    }

    /// Prefetches part of a page of the file. This is only a hint: nothing is dereferenced, so the
    /// page need not exist. For a page with a private copy it prefetches the wrong memory.
    @inline(__always)
    func prefetch(page: UInt64, offset: Int, byteCount: Int) {
        var address = addressOfPage(page) &+ UInt(bitPattern: offset)
        let end = address &+ UInt(bitPattern: byteCount)
        while address < end {
            realm_prefetch(UnsafeRawPointer(bitPattern: address))
            address &+= 64
        }
    }

    @inline(__always)
    private func addressOfPage(_ page: UInt64) -> UInt {
        UInt(bitPattern: pageTable.base)
            &+ UInt(truncatingIfNeeded: page &<< pageTable.pageShift)
    }

    /// Returns the error for damage that only shows beyond a single page. An open write transaction
    /// may have been halfway through a change, so it fails and can only be rolled back.
    @inline(never)
    func damaged(_ page: UInt64, _ what: String) -> StorageError {
        failing(
            StorageError(
                .damaged, path: database.path,
                message: "Realm at path '\(database.path)' is damaged: page \(page): \(what).",
                page: page))
    }

    func noSuchObject(_ key: ObjectKey) -> StorageError {
        StorageError(
            .invalidArgument, path: database.path,
            message: "There is no object with key \(key.rawValue).")
    }

    func invalidArgument(_ message: String) -> StorageError {
        StorageError(.invalidArgument, path: database.path, message: message)
    }
}
