import StorageEngine

/// Carries out operations on a database, inside a write transaction. The counterpart of
/// `ModelDatabase`.
struct OperationWriter {
    private typealias Column = StressSchema.AccountColumn

    private let accounts: Table
    private let events: Table
    private var names: StressNames

    init(_ connection: Connection, transaction: Int) throws {
        accounts = try connection.table(named: StressSchema.account)!
        events = try connection.table(named: StressSchema.event)!
        names = StressNames(transaction: transaction)
    }

    /// Returns the key of the object with this number modulo the count, or nil if there are no
    /// objects.
    private func key(_ table: Table, _ number: Int) throws -> ObjectKey? {
        let count = try table.count()
        return count == 0 ? nil : try table.key(at: number % count)
    }

    mutating func apply(_ operation: StressOperation) throws {
        switch operation {
        case .addAccounts(let count, let nameLength):
            for _ in 0..<count {
                let id = names.nextID()
                _ = try accounts.insert([
                    .integer(id), .text(StressNames.name(id, nameLength)), .integer(0),
                ])
            }
        case .record(let account, let count, let position):
            guard let owner = try key(accounts, account) else { return }
            let history = accounts.list(Column.history, of: owner)
            for index in 0..<count {
                let event = names.nextEvent()
                let key = try events.insert([.text(event.tag), .double(event.time)])
                try history.insert(
                    .integer(key.rawValue), at: (position + index) % (history.count() + 1))
            }
        case .deleteAccounts(let first, let count): try delete(accounts, first, count)
        case .deleteEvents(let first, let count): try delete(events, first, count)
        case .deleteAllAccounts: try accounts.deleteAll()
        case .setBalance(let account, _), .setNote(let account, _, _),
            .setFriend(let account, _), .moveEvent(let account, _, _), .mark(let account, _),
            .unmark(let account, _), .setFact(let account, _, _), .removeFact(let account, _):
            guard let key = try key(accounts, account) else { return }
            try change(key, operation)
        }
    }

    /// Deletes objects, one by one or all in one call, depending on their number. Both ways must
    /// have the same effect.
    private func delete(_ table: Table, _ first: Int, _ count: Int) throws {
        let keys = try StressOperation.range(first, count, of: table.count())
            .map { try table.key(at: $0) }
        if keys.count % 2 == 0 {
            try table.delete(keys)
        } else {
            for key in keys { try table.delete(key) }
        }
    }

    private func change(_ account: ObjectKey, _ operation: StressOperation) throws {
        switch operation {
        case .setBalance(_, let value):
            try accounts.set(Column.balance, of: account, to: .integer(value))
        case .setNote(_, let length, let fill):
            let note = length.map { OwnedValue.bytes(StressNames.note($0, fill)) }
            try accounts.set(Column.note, of: account, owned: note ?? .null)
        case .setFriend(_, let number):
            guard let friend = try key(accounts, number) else { return }
            try accounts.set(Column.friend, of: account, to: .integer(friend.rawValue))
        case .moveEvent(_, let from, let to):
            let history = accounts.list(Column.history, of: account)
            let count = try history.count()
            if count > 0 { try history.move(from: from % count, to: to % count) }
        case .mark(_, let value):
            _ = try accounts.set(Column.marks, of: account).insert(.integer(value))
        case .unmark(_, let value):
            _ = try accounts.set(Column.marks, of: account).remove(.integer(value))
        case .setFact(_, let number, let value):
            try withFact(number) {
                try accounts.map(Column.facts, of: account).set(.integer(value), forKey: $0)
            }
        case .removeFact(_, let number):
            try withFact(number) {
                _ = try accounts.map(Column.facts, of: account).removeValue(forKey: $0)
            }
        case .addAccounts, .record, .deleteAccounts, .deleteEvents, .deleteAllAccounts:
            preconditionFailure("not about one account")
        }
    }

    private func withFact(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var name = StressNames.fact(number)
        try name.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
