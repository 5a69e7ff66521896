/// The location of a row, valid until the connection's `layoutStamp` changes.
@frozen
public struct RowLocation {
    public var leaf: Node
    public var row: Int

    @inlinable
    public init(leaf: Node, row: Int) {
        self.leaf = leaf
        self.row = row
    }
}
