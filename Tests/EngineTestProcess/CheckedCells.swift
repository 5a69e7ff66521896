import StorageEngine
import StressModel

/// A few numbers and their digest, all changed in one commit. A reader that mixes pages of two
/// versions finds that they do not match.
enum CheckedCells {
    static let count = 12
    private static let name = "Cell"

    static func create(_ connection: Connection) throws {
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: name,
                columns: [
                    ColumnDefinition(name: "number", type: .int),
                    ColumnDefinition(name: "text", type: .data),
                ]),
            TableDefinition(
                name: "Digest",
                columns: [
                    ColumnDefinition(name: "changes", type: .int),
                    ColumnDefinition(name: "digest", type: .int),
                ]),
        ])
        let cells = try connection.table(named: name)!
        for number in 0..<count { _ = try cells.insert([.integer(Int64(number)), .bytes([])]) }
        let digest = Int64(bitPattern: try digest(connection))
        _ = try connection.table(named: "Digest")!.insert([.integer(0), .integer(digest)])
        try connection.commit()
    }

    private static func digest(_ connection: Connection) throws -> UInt64 {
        try DatabaseDigest.of(connection, skipping: ["Digest"])
    }

    /// Returns the number of changes made, or nil if the numbers and the digest do not match.
    static func checkedChanges(_ connection: Connection) throws -> Int64? {
        let stored = try connection.table(named: "Digest")!
        let key = try stored.key(at: 0)
        guard case .integer(let changes) = try stored.value(0, of: key),
            case .integer(let digest) = try stored.value(1, of: key),
            try UInt64(bitPattern: digest) == self.digest(connection)
        else { return nil }
        return changes
    }

    /// Changes some cells, and the digest with them, in one commit. False if they did not match
    /// before.
    static func change(
        _ connection: Connection, _ random: inout RepeatableRandom,
        _ durability: CommitDurability = .full
    ) throws -> Bool {
        try connection.beginWrite()
        guard let changes = try checkedChanges(connection) else {
            connection.rollback()
            return false
        }
        let cells = try connection.table(named: name)!
        for _ in 0...random.below(3) {
            let key = try cells.key(at: random.below(count))
            try cells.set(0, of: key, to: .integer(Int64(bitPattern: random.next())))
            // Some are longer than a page has space for.
            let length = [0, 30, 300, 2000][random.below(4)]
            let text = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: length)
            try cells.set(1, of: key, owned: .bytes(text))
        }
        let stored = try connection.table(named: "Digest")!
        let key = try stored.key(at: 0)
        try stored.set(0, of: key, to: .integer(changes + 1))
        try stored.set(1, of: key, to: .integer(Int64(bitPattern: digest(connection))))
        try connection.commit(durability)
        return true
    }
}
