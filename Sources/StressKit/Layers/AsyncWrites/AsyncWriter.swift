import RealmSwift
import StressModel

/// What goes wrong beside the writers of a process.
enum AsyncTrouble {
    case none
    /// The disk is full, until it is not.
    case fullDisk
    /// A call fails, after which the file may be refused to writers.
    case failingCalls
}

/// Writes in all ways that a Realm has, one after the other or several at once. Used where its
/// Realm is.
final class AsyncWriter {
    enum Way: CaseIterable {
        /// `writeAsync`.
        case writes
        /// `writeAsync`, whose function cancels the transaction.
        case cancels
        /// `beginAsyncWrite` (`writeAsync` where calls fail) and `commitAsyncWrite`, several times,
        /// of which some allow grouping.
        case groups
        /// `beginAsyncWrite` and `commitWrite`.
        case commitsAtOnce
        /// `beginAsyncWrite`, whose function leaves the transaction open.
        case leavesOpen
        /// A request that is cancelled before its turn.
        case withdraws
        /// `beginWrite` and `commitAsyncWrite`, several times.
        case beginsAtOnce
        /// The same, and the call of the completion function is cancelled.
        case isNotTold
        /// `write`.
        case writesAtOnce
        case refreshes
        /// Waits for all commits.
        case invalidates

        /// Whether a failure of the file may stop the program, because a transaction that cannot
        /// begin has nobody to tell.
        fileprivate var stopsOnFailure: Bool {
            switch self {
            case .commitsAtOnce, .leavesOpen, .beginsAtOnce, .isNotTold: true
            default: false
            }
        }
    }

    private let realm: Realm
    private let journal: AsyncJournal
    private let record: AsyncRecord
    private let writer: Int
    private let trouble: AsyncTrouble
    private let ways: [Way]
    private var random: RepeatableRandom
    /// The number of the last request.
    private var number = 0
    /// Requests whose completion function is still to be called.
    private var open: Set<AsyncTicket> = []
    /// The newest request that had its turn.
    private var lastTurn = 0
    /// The newest transaction of those whose completion function was called.
    private var lastCompleted = 0
    /// Commits whose completion is told to nobody.
    private var untold: [AsyncEvent] = []

    /// - Parameter writer: a number that no other writer has.
    init(
        _ realm: Realm, _ journal: AsyncJournal, _ record: AsyncRecord, writer: Int,
        beside trouble: AsyncTrouble
    ) {
        self.realm = realm
        self.journal = journal
        self.record = record
        self.writer = writer
        self.trouble = trouble
        ways = Way.allCases.filter { trouble != .failingCalls || !$0.stopsOnFailure }
        random = RepeatableRandom(seed: journal.seed, part: UInt64(writer) + 30 << 32)
    }

    /// Does one thing, which may be asking for several transactions.
    func act() {
        switch ways.randomElement(using: &random)! {
        case .writes: for _ in 0..<1 + random.below(3) { write() }
        case .cancels: cancel()
        case .groups: for _ in 0..<2 + random.below(5) { group() }
        case .commitsAtOnce: begin { [self] in commit($0, isInTurn: true) }
        case .leavesOpen:
            begin { [self] in
                append($0, isInTurn: true)
                record.note(.cancelled($0))
            }
        case .withdraws: withdraw()
        case .beginsAtOnce: for _ in 0..<1 + random.below(4) { beginAtOnce(isTold: true) }
        case .isNotTold: beginAtOnce(isTold: false)
        case .writesAtOnce: writeAtOnce()
        case .refreshes: realm.refresh()
        case .invalidates: realm.invalidate()
        }
    }

    /// Whether nothing is under way.
    var isSettled: Bool { !realm.isPerformingAsynchronousWriteOperations }

    /// Checks that every completion function was called, once ``isSettled`` is true.
    func finish() {
        if let ticket = open.first { record.fail("\(ticket) was never completed.") }
        if trouble == .none { for event in untold { record.note(event) } }
    }

    private func takeTicket() -> AsyncTicket {
        number += 1
        return AsyncTicket(writer: writer, number: number)
    }

    // MARK: In a transaction

    @discardableResult
    private func append(_ ticket: AsyncTicket, isInTurn: Bool) -> Int {
        if isInTurn {
            if ticket.number < lastTurn {
                record.fail("\(ticket) has its turn after request \(lastTurn).")
            }
            lastTurn = ticket.number
        }
        return journal.append(ticket, isInTurn: isInTurn, to: realm)
    }

    /// Commits the open transaction in the background.
    @discardableResult
    private func commit(
        _ ticket: AsyncTicket, _ order: Int, allowGrouping: Bool
    ) -> AsyncTransactionId {
        open.insert(ticket)
        let id = realm.commitAsyncWrite(allowGrouping: allowGrouping) { [self] in
            complete(ticket, order, $0)
        }
        if trouble == .none, AsyncJournal.count(in: realm) < order {
            record.fail("the Realm does not show \(ticket), which it has committed.")
        }
        return id
    }

    private func complete(_ ticket: AsyncTicket, _ order: Int, _ error: (any Error)?) {
        if open.remove(ticket) == nil { record.fail("\(ticket) is completed twice.") }
        if let error { return record.note(.failed(ticket, AsyncEvent.Failure(error))) }
        if order <= lastCompleted {
            record.fail("transaction \(order) is completed after \(lastCompleted).")
        }
        lastCompleted = order
        record.note(.done(ticket, order: order))
    }

    // MARK: Requests

    private func write() {
        let ticket = takeTicket()
        var order = 0
        open.insert(ticket)
        realm.writeAsync { [self] in
            order = append(ticket, isInTurn: true)
        } onComplete: { [self] in
            complete(ticket, order, $0)
        }
    }

    private func cancel() {
        let ticket = takeTicket()
        record.note(.cancelled(ticket))
        open.insert(ticket)
        realm.writeAsync { [self] in
            append(ticket, isInTurn: true)
            realm.cancelWrite()
        } onComplete: { [self] error in
            if open.remove(ticket) == nil { record.fail("\(ticket) is completed twice.") }
            if let error { record.note(.failed(ticket, AsyncEvent.Failure(error))) }
        }
    }

    private func begin(_ body: @escaping (AsyncTicket) -> Void) {
        let ticket = takeTicket()
        realm.beginAsyncWrite { body(ticket) }
    }

    private func group() {
        let ticket = takeTicket()
        let allowGrouping = !random.isOne(in: 4)
        let block = { [self] in
            let order = append(ticket, isInTurn: true)
            commit(ticket, order, allowGrouping: allowGrouping)
        }
        guard trouble == .failingCalls else {
            realm.beginAsyncWrite(block)
            return
        }
        // Tells if the transaction cannot begin.
        realm.writeAsync(block) { [record] error in
            if let error { record.note(.failed(ticket, AsyncEvent.Failure(error))) }
        }
    }

    /// Commits the open transaction and waits for that.
    private func commit(_ ticket: AsyncTicket, isInTurn: Bool) {
        do {
            let order = append(ticket, isInTurn: isInTurn)
            try realm.commitWrite()
            record.note(.done(ticket, order: order))
        } catch {
            record.note(.failed(ticket, AsyncEvent.Failure(error)))
        }
    }

    private func withdraw() {
        let ticket = takeTicket()
        record.note(.cancelled(ticket))
        let id = realm.writeAsync { [record] in
            record.fail("\(ticket) has its turn, though it was cancelled.")
        } onComplete: { [record] _ in
            record.fail("\(ticket) is completed, though it was cancelled.")
        }
        do { try realm.cancelAsyncWrite(id) } catch {
            record.fail("\(ticket) cannot be cancelled: \(error)")
        }
    }

    private func beginAtOnce(isTold: Bool) {
        let ticket = takeTicket()
        realm.beginWrite()
        let order = append(ticket, isInTurn: false)
        let id = commit(ticket, order, allowGrouping: random.isOne(in: 2))
        if isTold { return }
        open.remove(ticket)
        untold.append(.done(ticket, order: order))
        do { try realm.cancelAsyncWrite(id) } catch {
            record.fail("the completion of \(ticket) cannot be cancelled: \(error)")
        }
    }

    /// Carries out a transaction and waits for its end. Returns whether it has succeeded.
    @discardableResult
    func writeAtOnce() -> Bool {
        let ticket = takeTicket()
        do {
            let order = try realm.write { append(ticket, isInTurn: false) }
            record.note(.done(ticket, order: order))
            return true
        } catch {
            record.note(.failed(ticket, AsyncEvent.Failure(error)))
            return false
        }
    }
}
