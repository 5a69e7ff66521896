/// The leaves of a cluster tree by the keys that they cover, which finds the leaf of an object
/// without a descent.
///
/// It is made from the branches, and no leaf is read before it is needed. Keys are divided into
/// equal parts, at most four for each leaf, and for each part the leaf is known that covers its
/// first key. Takes at most 48 bytes for each leaf. Valid as long as the nodes of the tree.
struct LeafMap: BitwiseCopyable {
    private struct Entry {
        /// The least key that the leaf covers.
        let low: Int64
        /// The leaf, once it has been read.
        var leaf: UnsafeRawPointer?
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// Apart from the entries, because each reference is used once.
    private let references: UnsafeMutablePointer<PageReference>
    /// The leaf that covers the first key of each part; one more behind the last part.
    private let starts: UnsafeMutablePointer<UInt32>
    /// The first key of the first part. Only the first leaf covers keys before it.
    private let first: Int64
    private let shift: UInt64
    private let lastPart: UInt64

    /// Returns nil for a tree of one leaf, and for one whose branches contradict each other or
    /// cannot be read, which the descents of single lookups report.
    init?(_ pager: Pager, root: Node) {
        var gathered = Gathered(pager)
        guard root.level > 0, (try? gathered.add(root, from: .min)) != nil,
            gathered.lows.count > 1
        else { return nil }
        let count = gathered.lows.count
        entries = .allocate(capacity: count)
        references = .allocate(capacity: count)
        for position in 0..<count {
            (entries + position).initialize(to: Entry(low: gathered.lows[position], leaf: nil))
            (references + position).initialize(to: gathered.references[position])
        }
        first = entries[1].low
        let span = UInt64(bitPattern: entries[count - 1].low &- first)
        let spanBits = UInt64.bitWidth - span.leadingZeroBitCount
        let countBits = Int.bitWidth - count.leadingZeroBitCount
        shift = UInt64(max(0, spanBits - countBits - 1))
        lastPart = span &>> shift
        starts = .allocate(capacity: Int(lastPart) + 2)
        var leaf = 1
        for part in 0...Int(lastPart) {
            let key = UInt64(part) &<< shift
            while leaf + 1 < count, UInt64(bitPattern: entries[leaf + 1].low &- first) <= key {
                leaf += 1
            }
            starts[part] = UInt32(leaf)
        }
        starts[Int(lastPart) + 1] = UInt32(count - 1)
    }

    func deallocate() {
        entries.deallocate()
        references.deallocate()
        starts.deallocate()
    }

    /// The position of the leaf that covers a key, whether or not the object exists.
    @inline(__always)
    func position(of key: ObjectKey) -> Int {
        if key.rawValue < first { return 0 }
        let part = min(UInt64(bitPattern: key.rawValue &- first) &>> shift, lastPart)
        var low = Int(starts[Int(part)])
        var high = Int(starts[Int(part) &+ 1])
        while high &- low > 1 {
            let middle = (low &+ high) &>> 1
            if entries[middle].low <= key.rawValue { low = middle } else { high = middle &- 1 }
        }
        // Nearly always the only step, without a branch that could not be predicted.
        return low &+ (high &- low) &* (entries[high].low <= key.rawValue ? 1 : 0)
    }

    @inline(__always)
    func reference(_ position: Int) -> PageReference { references[position] }

    /// The leaf at a position, if it has been read.
    @inline(__always)
    func leaf(_ position: Int) -> Node? { entries[position].leaf.map { Node($0) } }

    @inline(__always)
    func setLeaf(_ position: Int, _ leaf: Node) { entries[position].leaf = leaf.base }

    /// The references to leaves that were found below some branches.
    private struct Gathered {
        var references: [PageReference] = []
        var lows: [Int64] = []
        private let pager: Pager
        /// A page is part of one node. In a malicious file branches may occur repeatedly.
        private var remaining: UInt64

        init(_ pager: Pager) {
            self.pager = pager
            remaining = pager.file.mappedPages
        }

        /// - Parameter low: the least key that the branch covers.
        mutating func add(_ branch: Node, from low: Int64) throws(StorageError) {
            for row in 0..<branch.rowCount {
                let reference = branch.child(row)
                let low = row == 0 ? low : branch.integer(BranchColumn.key, row)
                guard remaining > 0, row == 0 || low > lows.last ?? .min else {
                    throw pager.damaged(reference.page, "its keys are not in order")
                }
                remaining -= 1
                if branch.level > 1 {
                    let child = try pager.child(of: branch, row, shape: ClusterShape())
                    try add(child, from: low)
                } else {
                    references.append(reference)
                    lows.append(low)
                }
            }
        }
    }
}
