/// A row of no table that has no columns, so that each property reads as its default. The rows of a
/// leaf that is older than all columns of its table read the same way.
package final class AbsentRow {
    private let page: UnsafeMutableRawPointer

    package init() {
        let byteCount = 4096
        page = .allocate(byteCount: byteCount, alignment: 4096)
        let node = MutableNode.format(
            page, byteCount: byteCount, level: 0, treeID: 0, columns: [], lowKey: 0)
        node.header.rowCount = 1
    }

    deinit { page.deallocate() }

    /// A node with this one row. Valid as long as this object.
    package var leaf: Node { Node(page) }
}
