import RealmSwift
import StressModel

/// An actor whose tasks write with `asyncWrite`, several at a time.
actor AsyncActor {
    private var realm: Realm?
    private let journal: AsyncJournal
    private let record: AsyncRecord
    private let writer: Int
    private var random: RepeatableRandom
    /// The number of the last request.
    private var number = 0
    /// The newest request that had its turn.
    private var lastTurn = 0

    /// What the function of a transaction throws that is not to be committed.
    private struct Refusal: Error {}

    /// - Parameter writer: a number that no other writer has.
    init(_ journal: AsyncJournal, _ record: AsyncRecord, writer: Int) {
        self.journal = journal
        self.record = record
        self.writer = writer
        random = RepeatableRandom(seed: journal.seed, part: UInt64(writer) + 31 << 32)
    }

    func open(_ point: StressPoint, _ path: String) async throws {
        realm = try await Realm(configuration: point.asyncConfiguration(path), actor: self)
    }

    func close() { realm = nil }

    /// Lets some tasks write, and waits for them. Some are cancelled at once.
    func act() async {
        var tasks: [Task<Void, Never>] = []
        for _ in 0..<1 + random.below(3) {
            let refuses = random.isOne(in: 5)
            tasks.append(Task { await write(refusing: refuses) })
            if random.isOne(in: 5) { tasks.last?.cancel() }
        }
        for task in tasks { await task.value }
        if random.isOne(in: 4) { await realm?.asyncRefresh() }
    }

    private func write(refusing: Bool) async {
        guard let realm else { return }
        number += 1
        let ticket = AsyncTicket(writer: writer, number: number)
        do {
            let order = try await realm.asyncWrite {
                let order = append(ticket, to: realm)
                if refusing { throw Refusal() }
                return order
            }
            record.note(.done(ticket, order: order))
        } catch is Refusal {
            record.note(.cancelled(ticket))
        } catch is CancellationError {
            record.note(.cancelled(ticket))
        } catch {
            record.note(.failed(ticket, AsyncEvent.Failure(error)))
        }
    }

    private func append(_ ticket: AsyncTicket, to realm: Realm) -> Int {
        if ticket.number < lastTurn {
            record.fail("\(ticket) has its turn after request \(lastTurn).")
        }
        lastTurn = ticket.number
        return journal.append(ticket, isInTurn: true, to: realm)
    }
}
