import StressModel
import Testing

/// Tests of the history checker with histories made by hand. Correct ones pass, and each kind of
/// anomaly is found.
@Suite struct HistoryCheckerTests {
    private typealias Transaction = ListHistory.Transaction

    private func transaction(
        _ name: String, _ span: ClosedRange<UInt64>, reads: [(Int, [Int64])] = [],
        appends: [(Int, Int64)] = [], _ outcome: Transaction.Outcome = .committed
    ) -> Transaction {
        Transaction(
            name: name, began: span.lowerBound, ended: span.upperBound, outcome: outcome,
            reads: reads.map { .init(list: $0.0, values: $0.1) },
            appends: appends.map { .init(list: $0.0, value: $0.1) })
    }

    private func kinds(
        _ transactions: [Transaction], final: [[Int64]]
    ) -> [HistoryAnomaly.Kind] {
        HistoryChecker.anomalies(in: ListHistory(transactions: transactions, final: final))
            .map(\.kind)
    }

    @Test func aSerialHistoryPasses() {
        let history = [
            transaction("a", 0...1, reads: [(0, [])], appends: [(0, 1)]),
            transaction("b", 2...3, reads: [(0, [1])], appends: [(0, 2), (1, 3)]),
            transaction("c", 4...5, reads: [(0, [1, 2]), (1, [3])]),
        ]
        #expect(kinds(history, final: [[1, 2], [3]]) == [])
    }

    @Test func overlappingTransactionsMayHaveAnyOrder() {
        let history = [
            transaction("a", 0...9, reads: [(0, [2])], appends: [(0, 1)]),
            transaction("b", 1...8, reads: [(0, [])], appends: [(0, 2)]),
            transaction("reader", 2...7, reads: [(0, [])]),
        ]
        #expect(kinds(history, final: [[2, 1]]) == [])
    }

    @Test func aLostUpdateIsNoticed() {
        // Both read nothing and append. One of the appends is overwritten.
        let history = [
            transaction("a", 0...5, reads: [(0, [])], appends: [(0, 1)]),
            transaction("b", 0...5, reads: [(0, [])], appends: [(0, 2)]),
        ]
        #expect(kinds(history, final: [[2]]) == [.lostUpdate])
    }

    /// Both appends are there, but neither transaction saw the other's. No order explains that.
    @Test func updatesThatIgnoredEachOtherAreACycle() {
        let history = [
            transaction("a", 0...5, reads: [(0, [])], appends: [(0, 1)]),
            transaction("b", 0...5, reads: [(0, [])], appends: [(0, 2)]),
        ]
        #expect(kinds(history, final: [[1, 2]]) == [.cycle])
    }

    @Test func anUpdateThatIsThereTwiceIsNoticed() {
        let history = [transaction("a", 0...1, appends: [(0, 1)])]
        #expect(kinds(history, final: [[1, 1]]).contains(.repeatedUpdate))
    }

    @Test func dirtyReadsAreNoticed() {
        let rolledBack = transaction("a", 0...3, appends: [(0, 1)], .rolledBack)
        let reader = transaction("b", 1...2, reads: [(0, [1])])
        #expect(kinds([rolledBack, reader], final: [[]]).contains(.dirtyRead))
        #expect(kinds([rolledBack], final: [[1]]) == [.dirtyRead])
        #expect(kinds([], final: [[7]]) == [.dirtyRead])
        #expect(kinds([rolledBack, transaction("b", 1...2, reads: [(0, [])])], final: [[]]) == [])
    }

    @Test func halfOfATransactionIsNoticed() {
        let writer = transaction("a", 0...5, appends: [(0, 1), (0, 2)])
        let reader = transaction("b", 1...4, reads: [(0, [1])])
        #expect(kinds([writer, reader], final: [[1, 2]]).contains(.partialRead))
    }

    /// One list is read as before the writer, the other as after it.
    @Test func aSnapshotOfTwoVersionsIsACycle() {
        let writer = transaction("a", 0...5, appends: [(0, 1), (1, 2)])
        let reader = transaction("b", 0...5, reads: [(0, [1]), (1, [])])
        #expect(kinds([writer, reader], final: [[1], [2]]) == [.cycle])
    }

    /// Two readers saw two writers in different orders.
    @Test func readersThatDisagreeAreACycle() {
        let history = [
            transaction("x", 0...9, appends: [(0, 1)]), transaction("y", 0...9, appends: [(1, 2)]),
            transaction("r", 0...9, reads: [(0, [1]), (1, [])]),
            transaction("s", 0...9, reads: [(0, []), (1, [2])]),
        ]
        #expect(kinds(history, final: [[1], [2]]) == [.cycle])
    }

    /// Write skew: each transaction read what the other changed afterwards.
    @Test func writeSkewIsACycle() {
        let history = [
            transaction("a", 0...9, reads: [(0, [])], appends: [(1, 1)]),
            transaction("b", 0...9, reads: [(1, [])], appends: [(0, 2)]),
        ]
        #expect(kinds(history, final: [[2], [1]]) == [.cycle])
    }

    @Test func whatHadEndedMustBeSeen() {
        let writer = transaction("a", 0...1, appends: [(0, 1)])
        let late = transaction("b", 2...3, reads: [(0, [])])
        #expect(kinds([writer, late], final: [[1]]) == [.cycle])
        // A transaction that begins at the very time the other ends need not see it.
        #expect(kinds([writer, transaction("b", 1...3, reads: [(0, [])])], final: [[1]]) == [])
    }

    @Test func goingBackInTimeIsNoticed() {
        let history = [
            transaction("a", 0...9, appends: [(0, 1)]),
            transaction("r1", 1...2, reads: [(0, [1])]), transaction("r2", 3...4, reads: [(0, [])]),
        ]
        #expect(kinds(history, final: [[1]]) == [.cycle])
    }

    @Test func aRewrittenListIsNoticed() {
        let history = [
            transaction("a", 0...1, appends: [(0, 1)]), transaction("b", 2...3, appends: [(0, 2)]),
            transaction("r", 4...5, reads: [(0, [2, 1])]),
        ]
        #expect(kinds(history, final: [[1, 2]]).contains(.strangeRead))
    }

    @Test func whatIsUnknownMayHaveHappenedOrNot() {
        let unknown = transaction("a", 0 ... .max, reads: [(0, [])], appends: [(0, 1)], .unknown)
        let reader = transaction("b", 5...6, reads: [(0, [1])])
        #expect(kinds([unknown], final: [[]]) == [])
        #expect(kinds([unknown, reader], final: [[1]]) == [])
        // Once a reader has seen the append, all later readers must see it.
        let late = transaction("c", 7...8, reads: [(0, [])])
        #expect(kinds([unknown, reader, late], final: [[1]]) == [.cycle])
    }

    /// A serial execution of random transactions passes. With one value removed from one read it
    /// does not.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func randomSerialHistoriesPassAndStaleReadsDoNot(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        var lists: [[Int64]] = [[], [], []]
        var transactions: [Transaction] = []
        for number in 0..<60 {
            let time = UInt64(number) * 10
            let read = random.below(3)
            var made = transaction(
                "t\(number)", time...(time + 9), reads: [(read, lists[read])])
            for part in 0..<random.below(3) {
                let list = random.below(3)
                let value = Int64(number * 10 + part)
                lists[list].append(value)
                made.appends.append(.init(list: list, value: value))
            }
            transactions.append(made)
        }
        #expect(kinds(transactions, final: lists) == [], "seed \(seed)")
        let stale = transactions.lastIndex { !$0.reads[0].values.isEmpty }!
        transactions[stale].reads[0].values.removeLast()
        #expect(kinds(transactions, final: lists) != [], "seed \(seed)")
    }
}
