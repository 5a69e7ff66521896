import StorageEngine
import StressModel

/// String keys of several families, whose leaves keep once what their keys begin with. Keys that
/// begin otherwise come into full leaves, and keys go, so that prefixes get longer and shorter.
struct KeyPrefixes {
    private static let transactions = 40
    /// Changes of a transaction. A leaf has room for some hundreds of keys, and only full ones get
    /// a prefix.
    private static let changes = 150

    private let path: String
    private let options: Database.Options
    private let trial: Trial
    private let seed: UInt64
    private let definition = TableDefinition(
        name: "Keyed",
        columns: [
            ColumnDefinition(name: "key", type: .string, isPrimaryKey: true),
            ColumnDefinition(name: "name", type: .string, isIndexed: true),
            ColumnDefinition(name: "number", type: .int),
        ])

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.path = path
        self.trial = trial
        options = try point.options()
        seed = try point.value("seed", default: 0)
    }

    func run() throws {
        var random = RepeatableRandom(seed: seed, part: 11 << 32)
        var model: [String: Int64] = [:]
        try write(&model, &random)
        let connection = try Connection(Database.open(path: path, options: options))
        try compare(connection, model)
    }

    /// Writes transactions, of which some are rolled back. A separate function, so that the
    /// database is closed when it returns.
    private func write(_ model: inout [String: Int64], _ random: inout RepeatableRandom) throws {
        let connection = try Connection(Database.open(path: path, options: options))
        try connection.beginWrite()
        try connection.createTables([definition])
        try connection.commit()
        for transaction in 0..<Self.transactions {
            var changed = model
            try connection.beginWrite()
            try change(
                connection.table(named: definition.name)!, &changed, family: transaction / 4,
                &random)
            if random.isOne(in: 8) {
                connection.rollback()
            } else {
                try connection.commit(.relaxed)
                model = changed
                trial.count(commits: 1)
            }
            if transaction % 8 == 7 { try compare(connection, model) }
        }
    }

    /// Inserts keys, most of one family, and deletes some.
    private func change(
        _ table: Table, _ model: inout [String: Int64], family: Int,
        _ random: inout RepeatableRandom
    ) throws {
        for _ in 0..<Self.changes {
            let key = Self.key(random.isOne(in: 10) ? random.below(6) : family, &random)
            let object = try find(key, in: table)
            switch (object, model[key]) {
            case (let object?, _?) where random.isOne(in: 2):
                try table.delete(object)
                model[key] = nil
            case (_?, _?): break
            case (nil, nil):
                let number = Int64(random.below(1 << 20))
                _ = try table.insert([.text(key), .text(key), .integer(number)])
                model[key] = number
            default:
                throw Finding(
                    .wrongState, "'\(key)' is \(object == nil ? "not " : "")found before a change.")
            }
        }
    }

    private static func key(_ family: Int, _ random: inout RepeatableRandom) -> String {
        let number = random.below(5000)
        switch family % 6 {
        case 0: return "user:\(100_000 + number)"
        case 1: return "\(number)"
        case 2: return "/srv/data/\(number % 7)/part-\(number)"
        // Longer than a prefix may be.
        case 3: return String(repeating: "long ", count: 60) + "\(number % 400)"
        // Each begins with the shorter ones.
        case 4: return String(repeating: "a", count: number % 240)
        default: return "user:\(number)é"
        }
    }

    private func find(_ key: String, in table: Table) throws -> ObjectKey? {
        var key = key
        return try key.withUTF8 { try table.find(primaryKey: .bytes(UnsafeRawBufferPointer($0))) }
    }

    private func compare(_ connection: Connection, _ model: [String: Int64]) throws {
        let table = try connection.table(named: definition.name)!
        for (key, expected) in model {
            guard let object = try find(key, in: table),
                case .integer(let found) = try table.value(2, of: object), found == expected
            else { throw Finding(.wrongState, "the object of '\(key)' is not \(expected).") }
        }
        var keys: [String] = []
        try table.forEachInPrimaryKeyOrder { object throws(StorageError) in
            if case .bytes(let key) = try table.value(0, of: object) {
                keys.append(String(decoding: key, as: UTF8.self))
            }
            return true
        }
        guard keys == model.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) else {
            throw Finding(
                .wrongState, "\(keys.count) keys in order, not the \(model.count) that were kept.")
        }
        try connection.checkIntact()
        trial.count(states: 1)
    }
}
