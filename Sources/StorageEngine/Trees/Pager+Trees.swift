import CColumnKernels

extension Pager {
    /// The node that row `row` of a branch leads to. It is one level down and has rows, so that
    /// every descent ends, also in a file made to harm.
    @inline(__always)
    func child(of branch: Node, _ row: Int) throws -> Node {
        let reference = branch.child(row)
        let child = try node(reference)
        guard child.level == branch.level - 1, child.level == 0 || child.rowCount > 0 else {
            throw damaged(reference.page, "it is not the child that its parent expects")
        }
        return child
    }

    /// Takes a node that was laid out elsewhere into the open transaction.
    func adopt(_ node: MutableNode) throws -> PageReference {
        let (reference, buffer) = try allocate(pages: node.byteCount / pageSize, kind: .node)
        buffer.copyMemory(from: node.base, byteCount: node.byteCount)
        MutableNode(buffer, byteCount: node.byteCount).setBirth(reference.birth)
        return reference
    }

    /// Asks for a part of a page of the file to be brought near. A hint: nothing is read, so the
    /// page need not exist, and of a private copy it is the wrong one.
    @inline(__always)
    func prefetch(page: UInt64, offset: Int, byteCount: Int) {
        let start = UInt(truncatingIfNeeded: page &<< file.pageShift)
        var address = UInt(bitPattern: file.base) &+ start &+ UInt(bitPattern: offset)
        let end = address &+ UInt(bitPattern: byteCount)
        while address < end {
            realm_prefetch(UnsafeRawPointer(bitPattern: address))
            address &+= 64
        }
    }

    func damaged(_ page: UInt64, _ what: String) -> StorageError {
        StorageError(
            .damaged, path: database.path,
            message: "Realm at path '\(database.path)' is damaged: page \(page): \(what).",
            page: page)
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
