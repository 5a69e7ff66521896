/// A walk over all leaves of a table, in which two threads answer a question about the rows that
/// satisfy a condition on their own columns.
///
/// The first thread, the connection's, does everything that may fail: it reads, checks and decrypts
/// the leaves and spilled columns in the order of a ``LeafScan``, and gathers them in a
/// ``LeafBatch``. Meanwhile the second one begins with those that are there; then both go on until
/// the batch is answered. The first one combines the answers in the order of the leaves, so that
/// the result does not depend on who gave them.
///
/// A leaf is left out, and answered by the first thread while it combines, if a part could not do
/// without pages that a scan by one thread might not read: values that are too long for their node,
/// and spilled columns that are only read if rows match. So the same pages are read, and damage is
/// met in the same order.
struct SharedScan {
    private let table: Table
    private let condition: LeafCondition
    /// The columns that the question reads of matching rows.
    private let columns: [Int]
    private let batch: LeafBatch
    /// The last of the columns that are tested or read.
    private let lastColumn: Int

    /// The most decrypted leaves and values that a batch may keep of those that this connection
    /// holds for itself.
    private static let mostPassingRuns = 64

    init(
        _ table: Table, where condition: LeafCondition, of columns: [Int],
        task: WorthSharing.Task, asking question: LeafBatch.Question
    ) {
        self.table = table
        self.condition = condition
        self.columns = columns
        lastColumn = max(condition.tests.map(\.column).max() ?? 0, columns.max() ?? 0)
        batch = LeafBatch(question, condition, columnCount: columns.count, task: task)
    }

    /// An answered leaf.
    struct Answer {
        fileprivate let batch: LeafBatch
        fileprivate let index: Int

        var count: Int { batch[index].count }
        var sum: Int128 { batch[index].sum }

        /// The node with a column that the question reads, and its position there.
        func place(_ column: Int) -> (node: Node, column: Int) { batch.place(column, of: index) }
    }

    private enum Gathered {
        /// The batch is full.
        case some
        /// There is no other leaf.
        case all
        /// The current leaf, which is not in the batch, and those behind are for one thread.
        case rest
    }

    /// Calls functions on this thread.
    ///
    /// - Parameters:
    ///   - accepts: whether two threads can answer for a leaf. After the first one for which they
    ///     cannot, one thread goes on.
    ///   - goesOn: called when a batch is done; returns whether two threads go on.
    ///   - didShare: called once, after the last batch.
    ///   - combine: called with each leaf in order, and with the answer unless the leaf was left
    ///     out. Without an answer the condition is still to be evaluated.
    /// - Throws: `.damaged`, `.interrupted`, and what `combine` throws.
    func run(
        accepts: (Node) -> Bool = { _ in true }, goesOn: () -> Bool = { true },
        didShare: () -> Void = {},
        combine: (borrowing LeafScan, Answer?) throws(StorageError) -> Void
    ) throws(StorageError) {
        let pager = table.pager
        let firstRun = pager.passingRunCount
        // Keeps leaves, until the batch is answered.
        var scan = try LeafScan(table)
        var gathered = Gathered.some
        var isShared = true
        while isShared, gathered == .some {
            gathered = try answerBatch(&scan, firstRun, accepts: accepts, combine: combine)
            isShared = goesOn()
            pager.releasePassingRuns(
                from: firstRun, to: pager.passingRunCount,
                but: gathered == .all ? nil : scan.leaf)
        }
        didShare()
        if gathered == .all { return }
        if gathered == .rest { try combine(LeafScan(table, at: scan.leaf), nil) }
        while true {
            let end = pager.passingRunCount
            let isThere = try scan.next()
            pager.releasePassingRuns(from: firstRun, to: end, but: isThere ? scan.leaf : nil)
            if !isThere { return }
            try combine(LeafScan(table, at: scan.leaf), nil)
        }
    }

    private func answerBatch(
        _ scan: inout LeafScan, _ firstRun: Int, accepts: (Node) -> Bool,
        combine: (borrowing LeafScan, Answer?) throws(StorageError) -> Void
    ) throws(StorageError) -> Gathered {
        batch.removeAll()
        let work = SharedWork.begin { [batch] part, worker in batch.answer(part, by: worker) }
        var failure: StorageError?
        var gathered = Gathered.some
        do throws(StorageError) {
            gathered = try gather(&scan, firstRun, for: work, accepts: accepts)
        } catch {
            failure = error
        }
        // Also after a failure: the second thread may be reading the leaves.
        work.add(upTo: batch.close())
        work.finish()
        if let failure, failure.code == .interrupted { throw failure }
        for index in 0..<batch.count {
            let leaf = batch[index]
            try combine(
                LeafScan(table, at: leaf.node),
                leaf.isLeftOut ? nil : Answer(batch: batch, index: index))
        }
        if let failure { throw failure }
        return gathered
    }

    private func gather(
        _ scan: inout LeafScan, _ firstRun: Int, for work: SharedWork, accepts: (Node) -> Bool
    ) throws(StorageError) -> Gathered {
        while batch.count < batch.capacity,
            table.pager.passingRunCount - firstRun < Self.mostPassingRuns
        {
            guard try scan.next() else { return .all }
            if !accepts(scan.leaf) { return .rest }
            scan.prefetchUpcomingDirectory(lastColumn)
            let isComplete = try findPlaces(scan)
            work.add(upTo: batch.append(scan.leaf, isLeftOut: !isComplete))
        }
        return .some
    }

    /// Finds the columns of a leaf. Returns false if the leaf is to be left out.
    private func findPlaces(_ scan: borrowing LeafScan) throws(StorageError) -> Bool {
        let leaf = scan.leaf
        if leaf.rowCount == 0 { return false }
        let places = batch.nextPlaces
        var place = 0
        for test in condition.tests {
            // The first test is made in every leaf.
            if place > 0, isSpilled(test.column, leaf) { return false }
            (places + place).initialize(to: try scan.place(test))
            place += 1
        }
        for column in columns {
            if !condition.tests.isEmpty, isSpilled(column, leaf) { return false }
            guard let (node, position) = try table.column(column, of: leaf) else { return false }
            (places + place).initialize(to: .column(node, position))
            place += 1
        }
        return true
    }

    private func isSpilled(_ column: Int, _ leaf: Node) -> Bool {
        let position = leaf.columnIndex(ofID: table.columnID(column), expected: column)
        return position >= 0 && leaf.isSpilled(position)
    }
}
