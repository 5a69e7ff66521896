import CColumnKernels

extension Pager {
    /// The root of a tree that is not empty.
    @inline(__always)
    func root(of tree: TreeRoot, _ shape: some TreeShape) throws -> Node {
        let root = PageHeader(try page(tree.reference))
        guard shape.describes(root, level: tree.level) else { throw misplaced(tree.reference) }
        return Node(root.base)
    }

    /// The node that row `row` of a branch leads to. It is one level down, so that every descent
    /// ends, also in a file made to harm.
    @inline(__always)
    func child(of branch: Node, _ row: Int, _ shape: some TreeShape) throws -> Node {
        let reference = branch.child(row)
        let child = PageHeader(try page(reference))
        guard shape.describes(child, level: branch.level &- 1) else { throw misplaced(reference) }
        return Node(child.base)
    }

    /// A node is valid, but not in its place.
    @inline(never)
    func misplaced(_ reference: PageReference) -> StorageError {
        damaged(reference.page, "it is not a node of the tree that leads to it")
    }

    @inline(never)
    func countsDisagree(_ reference: PageReference) -> StorageError {
        damaged(reference.page, "row counts do not add up")
    }

    /// No tree has more rows: each takes a bit of its own page at least. Bounds the time that walking
    /// a forged tree can take in which nodes occur again and again, and the memory that its rows can.
    var maximumRowCount: Int {
        MutableNode.rowLimit(byteCount: file.byteCount(file.mappedPages))
    }

    /// Takes a node that was laid out elsewhere into the open transaction.
    func adopt(_ node: MutableNode) throws -> PageReference {
        let (reference, buffer) = try allocateUninitialized(
            pages: node.byteCount / pageSize)
        buffer.copyMemory(from: node.base, byteCount: node.byteCount)
        MutableNode(buffer, byteCount: node.byteCount).setBirth(reference.birth)
        return reference
    }

    /// Asks for a part of a page of the file to be brought near. A hint: nothing is read, so the
    /// page need not exist, and of a private copy it is the wrong one.
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

    /// Damage that was found by more than a look at a page. The open write transaction, if there is
    /// one, may have half done what met it, and can only be rolled back.
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
