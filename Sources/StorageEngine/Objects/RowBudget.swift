/// A limit on what is read from a file during a walk over collections and everything nested in
/// them.
///
/// The trees and long values of a file share no pages, so all of them together have no more rows
/// and bytes than the file has room for. In a malicious file, many collections may lead to the same
/// trees, so that a walk would take years, and a copy would fill any disk.
struct RowBudget {
    private var rows: Int
    private var longBytes: Int

    init(_ pager: Pager) {
        rows = pager.maximumRowCount
        longBytes = rows / 8
    }

    /// Called for each collection before its rows are read.
    mutating func spend(on collection: StoredCollection) throws(StorageError) {
        if let root = collection.root { try spend(on: root, collection.pager) }
    }

    /// Called for each tree before its rows are read.
    mutating func spend(on root: TreeRoot, _ pager: Pager) throws(StorageError) {
        rows -= root.count
        guard rows >= 0 else { throw pager.countsDisagree(root.reference) }
    }

    /// Called for each value that is to be copied.
    mutating func spend(onCopyOf bytes: UnsafeRawBufferPointer, _ pager: Pager) throws(StorageError)
    {
        if bytes.count <= pager.maximumInlineBytes { return }
        longBytes -= bytes.count
        guard longBytes >= 0 else {
            throw pager.damaged(0, "long values take more room than the file has")
        }
    }
}
