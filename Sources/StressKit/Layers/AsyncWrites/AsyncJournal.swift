import Foundation
import RealmSwift
import StressModel

// What the layer of asynchronous writes writes: a journal of transactions.

/// A transaction that is in the file.
final class AsyncEntry: Object {
    /// Its place among all transactions, from 1.
    @Persisted(primaryKey: true) var order: Int
    @Persisted var writer: Int
    /// Which of its writer's requests it was.
    @Persisted var number: Int
    /// Whether it waited for its turn among the asynchronous requests of its Realm.
    @Persisted var isInTurn: Bool
    /// A hash of this transaction and all before it.
    @Persisted var chain: Int
    @Persisted var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The one object that every transaction changes.
final class AsyncTotal: Object {
    @Persisted(primaryKey: true) var id: Int
    /// The number of transactions.
    @Persisted var count: Int
    /// The hash of the newest one.
    @Persisted var chain: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// One request of a writer.
struct AsyncTicket: Hashable, Sendable, CustomStringConvertible {
    var writer: Int
    var number: Int

    var description: String { "request \(number) of writer \(writer)" }
}

/// Each transaction counts itself, adds an entry with a hash of all that were before, and clears
/// the text of an older entry. So whatever a Realm shows tells whether it is a prefix of the
/// transactions.
struct AsyncJournal: Sendable {
    let seed: UInt64
    /// Whether texts are so long that the file grows.
    var isLarge = false

    /// How many of the newest entries have their text.
    private static let textCount = 8

    /// Makes the journal, with one transaction, which it does not count.
    func create(in realm: Realm) throws {
        try realm.write { _ = realm.create(AsyncTotal.self, value: ["id": 0]) }
    }

    static func count(in realm: Realm) -> Int { total(in: realm)?.count ?? 0 }

    private static func total(in realm: Realm) -> AsyncTotal? {
        realm.object(ofType: AsyncTotal.self, forPrimaryKey: 0)
    }

    /// Makes the changes of the open transaction. Returns its place among all.
    ///
    /// If a change fails, the result is of no use, and neither is the transaction.
    func append(_ ticket: AsyncTicket, isInTurn: Bool, to realm: Realm) -> Int {
        guard let total = Self.total(in: realm) else { return 0 }
        let order = total.count + 1
        let chain = Self.chain(after: total.chain, order, ticket)
        total.count = order
        total.chain = chain
        realm.create(
            AsyncEntry.self,
            value: [
                "order": order, "writer": ticket.writer, "number": ticket.number,
                "isInTurn": isInTurn, "chain": chain, "text": text(of: ticket),
            ])
        let older = order - Self.textCount
        realm.object(ofType: AsyncEntry.self, forPrimaryKey: older)?.text = ""
        return order
    }

    private static func chain(after chain: Int, _ order: Int, _ ticket: AsyncTicket) -> Int {
        [order, ticket.writer, ticket.number].reduce(chain) { ($0 ^ $1) &* 0x100_0000_01B3 }
    }

    private func text(of ticket: AsyncTicket) -> String {
        let part = UInt64(ticket.writer) << 32 + UInt64(ticket.number)
        var random = RepeatableRandom(seed: seed, part: part)
        let longest = isLarge ? 100_000 : random.isOne(in: 5) ? 6000 : 60
        return String(repeating: "\(random.below(10))", count: random.below(longest))
    }

    // MARK: Reading

    /// Returns the transactions that a Realm shows, in their order.
    ///
    /// - Throws: a ``Finding`` if they are no prefix of all transactions.
    func tickets(in realm: Realm) throws(Finding) -> [AsyncTicket] {
        guard let total = Self.total(in: realm) else {
            throw Finding(.wrongState, "the journal is not there.")
        }
        let entries = realm.objects(AsyncEntry.self).sorted(byKeyPath: "order")
        let count = entries.count
        var tickets: [AsyncTicket] = []
        var chain = 0
        for entry in entries {
            let order = tickets.count + 1
            let ticket = AsyncTicket(writer: entry.writer, number: entry.number)
            chain = Self.chain(after: chain, order, ticket)
            let text = order > count - Self.textCount ? text(of: ticket) : ""
            if entry.order != order || entry.chain != chain || entry.text != text {
                throw Finding(
                    .wrongState, "entry \(entry.order) of \(count), \(ticket), is wrong.")
            }
            tickets.append(ticket)
        }
        if total.count != count || total.chain != chain {
            throw Finding(.wrongState, "\(count) entries are there, and \(total.count) counted.")
        }
        try checkTurns(entries)
        return tickets
    }

    /// Checks that what waited for its turn was committed in the order in which it was asked for.
    private func checkTurns(_ entries: Results<AsyncEntry>) throws(Finding) {
        var last: [Int: Int] = [:]
        for entry in entries where entry.isInTurn {
            if let before = last[entry.writer], before >= entry.number {
                throw Finding(
                    .wrongState,
                    "request \(entry.number) of writer \(entry.writer) comes after \(before).")
            }
            last[entry.writer] = entry.number
        }
    }
}

extension StressPoint {
    func asyncJournal() throws -> AsyncJournal {
        AsyncJournal(seed: try value("seed", default: 0), isLarge: self["bytes"] != nil)
    }

    /// Returns the configuration of the Realm of a point of the layer of asynchronous writes.
    func asyncConfiguration(_ path: String) throws -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path),
            encryptionKey: try options().encryptionKey.map { Data($0) },
            objectTypes: [AsyncEntry.self, AsyncTotal.self])
        configuration.durability = try durability() == .full ? .full : .relaxed
        return configuration
    }
}
