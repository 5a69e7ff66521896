import CColumnKernels

/// Some leaves of a table, which the thread of a connection has read, and in which two threads
/// answer a question; see ``SharedScan``.
///
/// The first thread adds leaves, each with the places of the columns that the question needs. A
/// part of the work is a few leaves in a row.
// Unchecked because of the pointers. The first thread writes a leaf before it adds the part with
// it. A part writes the results of its leaves and the memory of its worker.
final class LeafBatch: @unchecked Sendable {
    /// What is asked of the matching rows of a leaf.
    enum Question: Sendable {
        /// Their number.
        case count
        /// The sum of the only column.
        case sum
        /// What a function does with them.
        case function(@Sendable (Part) -> Void)
    }

    /// The matching rows of a leaf, at least one, for a function.
    struct Part {
        /// Not to be changed.
        let rows: UnsafeMutablePointer<RowMask>
        fileprivate let places: UnsafePointer<LeafScan.Place>
        let worker: SharedWork.Worker

        /// The node with a column, and its position there.
        func place(_ column: Int) -> (node: Node, column: Int) { places[column].inNode }
    }

    /// A leaf, and the answer for it.
    struct Leaf {
        let node: Node
        /// Whether no part can give the answer, because that takes pages that nobody has read.
        fileprivate(set) var isLeftOut: Bool
        /// The number of matching rows, or of values that are not null.
        fileprivate(set) var count = 0
        fileprivate(set) var sum: Int128 = 0
    }

    /// The most leaves.
    let capacity: Int
    private(set) var count = 0
    private let leavesOfPart: Int
    private let question: Question
    private let tests: LeafTests
    private let leaves: UnsafeMutablePointer<Leaf>
    /// For each leaf, the places of the columns that are tested and of those that are read.
    private let places: UnsafeMutablePointer<LeafScan.Place>
    private let placeCount: Int
    /// For each worker, the sets of rows that evaluating the condition takes.
    private let masks: UnsafeMutablePointer<RowMask>

    /// - Parameters:
    ///   - condition: must not be released before the batch has been used.
    ///   - columnCount: the number of columns that the question reads.
    ///   - task: what the work is, which says how many leaves a part has.
    init(
        _ question: Question, _ condition: LeafCondition, columnCount: Int,
        task: WorthSharing.Task
    ) {
        self.question = question
        tests = LeafTests(condition)
        placeCount = tests.testCount + columnCount
        // A part takes 2 to 50 microseconds, a batch some hundred.
        leavesOfPart = task.isSlow ? 2 : 8
        capacity = task.isSlow ? 256 : 1024
        leaves = .allocate(capacity: capacity)
        places = .allocate(capacity: capacity * placeCount)
        let maskCount = tests.maskCount * SharedWork.Worker.allCases.count
        masks = .allocate(capacity: maskCount)
        for index in 0..<maskCount { (masks + index).initialize(to: RowMask()) }
    }

    deinit {
        masks.deinitialize(count: tests.maskCount * SharedWork.Worker.allCases.count)
        masks.deallocate()
        places.deallocate()
        leaves.deallocate()
        tests.deallocate()
    }

    // MARK: The first thread

    func removeAll() { count = 0 }

    /// Memory for the places of the columns of the next leaf.
    var nextPlaces: UnsafeMutablePointer<LeafScan.Place> { places + count * placeCount }

    /// Adds a leaf, whose places have been written unless it is left out. Returns the number of
    /// parts that have all their leaves.
    func append(_ leaf: Node, isLeftOut: Bool) -> Int {
        (leaves + count).initialize(to: Leaf(node: leaf, isLeftOut: isLeftOut))
        count += 1
        return count / leavesOfPart
    }

    /// Fills the last part with leaves that are left out, and returns the number of parts.
    func close() -> Int {
        let partCount = (count + leavesOfPart - 1) / leavesOfPart
        if count > 0 {
            let last = leaves[count - 1].node
            for index in count..<partCount * leavesOfPart {
                (leaves + index).initialize(to: Leaf(node: last, isLeftOut: true))
            }
        }
        return partCount
    }

    subscript(index: Int) -> Leaf { leaves[index] }

    /// The node with a column that the question reads, and its position there.
    func place(_ column: Int, of index: Int) -> (node: Node, column: Int) {
        places[index * placeCount + tests.testCount + column].inNode
    }

    // MARK: Parts

    func answer(_ part: Int, by worker: SharedWork.Worker) {
        let first = part * leavesOfPart
        let rows = masks + worker.rawValue * tests.maskCount
        for index in first..<first + leavesOfPart where !leaves[index].isLeftOut {
            if index + 1 < first + leavesOfPart { prefetch(index + 1) }
            answer(leaves + index, at: places + index * placeCount, with: rows, worker: worker)
        }
    }

    private func answer(
        _ leaf: UnsafeMutablePointer<Leaf>, at places: UnsafePointer<LeafScan.Place>,
        with rows: UnsafeMutablePointer<RowMask>, worker: SharedWork.Worker
    ) {
        let rowCount = leaf.pointee.node.rowCount
        let columns = places + tests.testCount
        if case .count = question, let count = tests.count(at: places, of: rowCount) {
            leaf.pointee.count = count
            return
        }
        if case .sum = question, tests.testCount == 0 {
            let (node, column) = columns[0].inNode
            (leaf.pointee.sum, leaf.pointee.count) = PackedColumn(node, column).sum(nil)
            return
        }
        rows.pointee.fill(true, rows: rowCount)
        guard tests.narrow(rows, at: places) else {
            leaf.pointee.isLeftOut = true
            return
        }
        switch question {
        case .count: leaf.pointee.count = rows.pointee.count
        case .sum:
            let (node, column) = columns[0].inNode
            (leaf.pointee.sum, leaf.pointee.count) = PackedColumn(node, column).sum(
                rows.pointee.words)
        case .function(let function):
            if rows.pointee.isEmpty { return }
            function(Part(rows: rows, places: columns, worker: worker))
        }
    }

    /// Asks for the beginnings of a leaf's columns while the leaf before is being read.
    private func prefetch(_ index: Int) {
        if leaves[index].isLeftOut { return }
        for place in 0..<placeCount {
            guard case .column(let node, let column) = places[index * placeCount + place] else {
                continue
            }
            let entry = node.entry(column)
            let start = node.base + entry.dataOffset
            // The hardware prefetcher handles the rest of a long region.
            let byteCount = min(entry.dataBytes(rows: node.rowCount), 1024)
            for offset in stride(from: 0, to: byteCount, by: 64) { realm_prefetch(start + offset) }
        }
    }
}

extension LeafScan.Place {
    /// The place of a column that is not decided by the directory.
    fileprivate var inNode: (node: Node, column: Int) {
        guard case .column(let node, let column) = self else {
            preconditionFailure("no values")
        }
        return (node, column)
    }
}
