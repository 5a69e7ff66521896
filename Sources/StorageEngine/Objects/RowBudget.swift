/// How much may still be read from a file while something is walked with all that lies inside.
///
/// The trees and long values of a file share no pages, so all together they have no more rows and
/// bytes than the file has room for. In a file made to harm, collections that lead to the same trees
/// again and again would be walked for years, and copied to disks of any size.
struct RowBudget {
    private var rows: Int
    private var longBytes: Int

    init(_ pager: Pager) {
        rows = pager.maximumRowCount
        longBytes = rows / 8
    }

    /// Called for each collection, before its rows are read.
    mutating func spend(on collection: StoredCollection) throws {
        if let root = collection.root { try spend(on: root, collection.pager) }
    }

    /// Called for each tree, before its rows are read.
    mutating func spend(on root: TreeRoot, _ pager: Pager) throws {
        rows -= root.count
        guard rows >= 0 else { throw pager.countsDisagree(root.reference) }
    }

    /// Called for each value that is to be copied.
    mutating func spend(onCopyOf bytes: UnsafeRawBufferPointer, _ pager: Pager) throws {
        if bytes.count <= pager.maximumInlineBytes { return }
        longBytes -= bytes.count
        guard longBytes >= 0 else {
            throw pager.damaged(0, "long values take more room than the file has")
        }
    }
}
