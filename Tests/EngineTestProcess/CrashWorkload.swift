import StorageEngine
import StressModel

/// Transactions that every process repeats exactly. Each is a function of its number and of the
/// state that the previous one left, so a digest shows how many of them a file holds.
enum CrashWorkload {
    /// Steps from 25 on include a checkpoint of the free map. Step 27 writes more than 1 MiB.
    static let lastStep = 34
    static let largeStep = 27
    /// Table that the workload itself does not write. It is not part of the digest.
    static let bystander = "Bystander"

    private static let definitions = [
        TableDefinition(
            name: "Progress", columns: [ColumnDefinition(name: "step", type: .int)]),
        TableDefinition(
            name: "Account",
            columns: [
                ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "name", type: .string),
                ColumnDefinition(name: "balance", type: .int, isIndexed: true),
                ColumnDefinition(name: "note", type: .data, isOptional: true),
                ColumnDefinition(
                    name: "friend", type: .link, isOptional: true, linkTarget: "Account"),
                ColumnDefinition(
                    name: "history", type: .link, collection: .list, linkTarget: "Event"),
                ColumnDefinition(
                    name: "seen", type: .link, collection: .set, linkTarget: "Event"),
                ColumnDefinition(name: "facts", type: .mixed, collection: .map),
                ColumnDefinition(
                    name: "address", type: .embedded, isOptional: true, linkTarget: "Address"),
            ]),
        TableDefinition(
            name: "Address",
            columns: [
                ColumnDefinition(name: "street", type: .string, isIndexed: true),
                ColumnDefinition(name: "id", type: .objectID),
            ], isEmbedded: true),
        TableDefinition(
            name: "Event",
            columns: [
                ColumnDefinition(name: "tag", type: .string, isPrimaryKey: true),
                ColumnDefinition(name: "time", type: .date, isIndexed: true),
                ColumnDefinition(name: "id", type: .uuid, isIndexed: true),
            ]),
        TableDefinition(
            name: bystander, columns: [ColumnDefinition(name: "count", type: .int)]),
    ]

    /// Returns the last step that the connection's version holds, or 0 before the first.
    static func step(of connection: Connection) throws -> Int {
        guard let progress = try connection.table(named: "Progress"), try progress.count() > 0
        else { return 0 }
        guard case .integer(let step) = try progress.value(0, of: progress.key(at: 0)) else {
            return 0
        }
        return Int(step)
    }

    /// Carries out one step as one commit. Rolls back on failure.
    static func run(_ step: Int, on connection: Connection) throws {
        try connection.beginWrite()
        do {
            try apply(step, to: connection)
        } catch {
            connection.rollback()
            throw error
        }
        try connection.commit()
    }

    static func digest(of connection: Connection) throws -> UInt64 {
        try DatabaseDigest.of(connection, skipping: [bystander])
    }

    /// Increments the number that no step touches.
    static func countBystander(_ connection: Connection) throws -> Int64 {
        try connection.beginWrite()
        do {
            let table = try connection.table(named: bystander)!
            let key = try table.key(at: 0)
            guard case .integer(let count) = try table.value(0, of: key) else { return 0 }
            try table.set(0, of: key, to: .integer(count + 1))
            try connection.commit()
            return count + 1
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }
}

extension CrashWorkload {
    /// Carries out a step inside a write transaction.
    static func apply(_ step: Int, to connection: Connection) throws {
        var random = RepeatableRandom(seed: UInt64(step))
        if step == 1 {
            try connection.createTables(definitions)
            _ = try connection.table(named: "Progress")!.insert([.integer(0)])
            _ = try connection.table(named: bystander)!.insert([.integer(0)])
        }
        let accounts = try connection.table(named: "Account")!
        let events = try connection.table(named: "Event")!
        if step == largeStep {
            let note = [UInt8](repeating: 0xA5, count: 1_300_000)
            try accounts.set(3, of: accounts.key(at: 0), owned: .bytes(note))
        } else {
            switch step % 6 {
            case 0, 1: try addAccounts(step, accounts, &random)
            case 2: try changeBalances(accounts, &random)
            case 3: try addHistory(step, accounts, events, &random)
            case 4:
                try changeNotes(accounts, &random)
                try changeFacts(step, accounts, events, &random)
            default: try deleteSome(accounts, events, &random)
            }
        }
        let progress = try connection.table(named: "Progress")!
        try progress.set(0, of: progress.key(at: 0), to: .integer(Int64(step)))
    }

    private static func anyKey(
        _ table: Table, _ random: inout RepeatableRandom
    ) throws -> ObjectKey {
        try table.key(at: random.below(try table.count()))
    }

    private static func addAccounts(
        _ step: Int, _ accounts: Table, _ random: inout RepeatableRandom
    ) throws {
        for index in 0..<25 {
            let name = String(repeating: "n\(step)-", count: random.below(12))
            let friend: OwnedValue =
                try accounts.count() > 0 && index % 3 == 0
                ? .integer(anyKey(accounts, &random).rawValue) : .null
            _ = try accounts.insert([
                .integer(Int64(step * 1000 + index)), .text(name), .integer(1000), .null, friend,
            ])
        }
    }

    private static func changeBalances(
        _ accounts: Table, _ random: inout RepeatableRandom
    ) throws {
        for _ in 0..<8 {
            let key = try anyKey(accounts, &random)
            try accounts.set(2, of: key, to: .integer(Int64(random.below(1 << 30))))
            try accounts.set(
                4, of: key, to: .integer(anyKey(accounts, &random).rawValue))
        }
    }

    private static func addHistory(
        _ step: Int, _ accounts: Table, _ events: Table, _ random: inout RepeatableRandom
    ) throws {
        for index in 0..<6 {
            _ = try events.insert([
                .text("event-\(step)-\(index)"), .double(Double(step) + 0.25),
                .uuid(random.next(), random.next()),
            ])
        }
        // The first account's list outgrows its row, the others stay short.
        for index in 0..<40 {
            let owner = try index < 30 ? accounts.key(at: 0) : anyKey(accounts, &random)
            let list = accounts.list(5, of: owner)
            try list.insert(
                .integer(anyKey(events, &random).rawValue),
                at: random.below(try list.count() + 1))
        }
    }

    private static func changeNotes(_ accounts: Table, _ random: inout RepeatableRandom) throws {
        for _ in 0..<3 {
            let length = [0, 40, 600, 5000, 14_000][random.below(5)]
            let note = (0..<length).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
            try accounts.set(3, of: anyKey(accounts, &random), owned: .bytes(note))
        }
    }

    /// Changes a set and a map of the first account, which outgrow its row. So does a list inside
    /// the map.
    private static func changeFacts(
        _ step: Int, _ accounts: Table, _ events: Table, _ random: inout RepeatableRandom
    ) throws {
        let first = try accounts.key(at: 0)
        for index in 0..<12 where try events.count() > 0 {
            let owner = try index < 8 ? first : anyKey(accounts, &random)
            let event = try anyKey(events, &random)
            try accounts.set(6, of: owner).insert(.integer(event.rawValue))
            var name = "fact \(random.below(20))"
            try name.withUTF8 { text in
                let key = UnsafeRawBufferPointer(text)
                let facts = accounts.map(7, of: owner)
                let link = MixedValue.link(TypedLink(table: events.number, key: event))
                guard random.below(2) == 0 else {
                    return try link.withScalar { try facts.set($0, forKey: key) }
                }
                if try facts.nestedList(forKey: key) == nil {
                    try facts.setEmpty(.list, forKey: key)
                }
                guard let list = try facts.nestedList(forKey: key) else { return }
                for value in 0..<9 {
                    try MixedValue.int(Int64(value * step)).withScalar {
                        try list.insert($0, at: 0)
                    }
                }
                try link.withScalar { try list.insert($0, at: 1) }
            }
        }
        try OwnedValue.text("street \(step)").withScalar { street in
            let id = Scalar.fixed12(random.next(), UInt32(truncatingIfNeeded: random.next()))
            try [street, id].withUnsafeBufferPointer {
                _ = try accounts.createEmbedded(8, of: anyKey(accounts, &random), with: $0)
            }
        }
    }

    /// Deletes some accounts and an event. The first account stays, because it has the longest list
    /// and value.
    private static func deleteSome(
        _ accounts: Table, _ events: Table, _ random: inout RepeatableRandom
    ) throws {
        for _ in 0..<4 {
            try accounts.delete(accounts.key(at: 1 + random.below(try accounts.count() - 1)))
        }
        if try events.count() > 4 {
            try events.delete(anyKey(events, &random))
            let list = accounts.list(5, of: try accounts.key(at: 0))
            let count = try list.count()
            if count > 2 { try list.move(from: random.below(count), to: random.below(count)) }
        }
    }
}
