/// Checks that a history of list appends has a serial order that agrees with the clock: a
/// transaction that ended before another began must precede it.
///
/// The final lists give the order of the writers. Each read shows which writers precede the reader.
/// The orders of all lists, the reads and the clock together must have no cycle.
package struct HistoryChecker {
    private typealias Transaction = ListHistory.Transaction

    private let history: ListHistory
    /// The transactions that happened: committed, or unknown and visible in a final list.
    private var happened: [Transaction] = []
    /// Index (in `happened`) of the transaction that appended a value.
    private var writers: [Int64: Int] = [:]
    /// Values of transactions that were rolled back, with the transaction's name.
    private var rolledBack: [Int64: String] = [:]
    private var anomalies: [HistoryAnomaly] = []

    private init(_ history: ListHistory) { self.history = history }

    /// Returns all anomalies except cycles. If there are none, returns a cycle if one exists.
    package static func anomalies(in history: ListHistory) -> [HistoryAnomaly] {
        var checker = HistoryChecker(history)
        checker.findWriters()
        checker.checkFinalLists()
        checker.checkReads()
        if checker.anomalies.isEmpty { checker.checkOrder() }
        return checker.anomalies
    }

    private mutating func report(_ kind: HistoryAnomaly.Kind, _ message: String) {
        anomalies.append(HistoryAnomaly(kind: kind, message: message))
    }

    private mutating func findWriters() {
        let present = Set(history.final.joined())
        for transaction in history.transactions {
            switch transaction.outcome {
            case .rolledBack:
                for append in transaction.appends { rolledBack[append.value] = transaction.name }
                continue
            case .unknown:
                guard transaction.appends.contains(where: { present.contains($0.value) }) else {
                    continue
                }
            case .committed: break
            }
            for append in transaction.appends { writers[append.value] = happened.count }
            happened.append(transaction)
        }
    }

    private mutating func checkFinalLists() {
        for (list, values) in history.final.enumerated() {
            var seen: Set<Int64> = []
            for value in values {
                if !seen.insert(value).inserted {
                    report(.repeatedUpdate, "list \(list) holds \(value) twice.")
                }
                checkWriter(of: value, "list \(list) at the end")
            }
        }
        for transaction in happened {
            for append in transaction.appends
            where !history.final[append.list].contains(append.value) {
                report(
                    .lostUpdate,
                    "\(transaction.name) appended \(append.value) to list \(append.list), "
                        + "which does not hold it.")
            }
        }
    }

    private mutating func checkWriter(of value: Int64, _ place: @autoclosure () -> String) {
        if writers[value] != nil { return }
        let owner = rolledBack[value].map { "\($0), which was rolled back" } ?? "nobody"
        report(.dirtyRead, "\(place()) holds \(value) of \(owner).")
    }

    private mutating func checkReads() {
        for transaction in happened {
            for read in transaction.reads {
                let final = history.final[read.list]
                guard final.starts(with: read.values) else {
                    for value in read.values {
                        checkWriter(of: value, "list \(read.list) as \(transaction.name) read it")
                    }
                    report(
                        .strangeRead,
                        "\(transaction.name) read \(read.values.count) values of list "
                            + "\(read.list), which do not begin what it holds at the end.")
                    continue
                }
                if read.values.count < final.count, let last = read.values.last,
                    let writer = writers[last], writer == writers[final[read.values.count]]
                {
                    report(
                        .partialRead,
                        "\(transaction.name) read list \(read.list) between two appends of "
                            + "\(happened[writer].name).")
                }
            }
        }
    }

    private mutating func checkOrder() {
        var graph = PrecedenceGraph(count: happened.count)
        for values in history.final {
            for (earlier, later) in zip(values, values.dropFirst()) {
                graph.add(writers[earlier]!, before: writers[later]!)
            }
        }
        for (reader, transaction) in happened.enumerated() {
            for read in transaction.reads {
                let final = history.final[read.list]
                if let last = read.values.last { graph.add(writers[last]!, before: reader) }
                if read.values.count < final.count {
                    graph.add(reader, before: writers[final[read.values.count]]!)
                }
            }
        }
        graph.addClock(
            happened.map { (began: $0.began, ended: $0.outcome == .unknown ? .max : $0.ended) })
        guard let cycle = graph.cycle() else { return }
        let names = cycle.map { happened[$0].name }
        report(.cycle, (names + [names[0]]).joined(separator: " before ") + ".")
    }
}
