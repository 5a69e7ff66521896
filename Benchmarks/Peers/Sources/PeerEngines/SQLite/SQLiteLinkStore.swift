import BenchmarkKit

/// Owners and members in SQLite. Lists are rows of a table ordered by owner and position, with an
/// index on the member for the inverse direction.
final class SQLiteLinkStore: LinkStore {
    private let connection: SQLiteConnection
    private let insertOwner, insertMember, insertLink: SQLiteStatement
    private let sum, countOwners, countOwnersOfValue: SQLiteStatement

    private static let schema = [
        "CREATE TABLE IF NOT EXISTS owner (id INTEGER PRIMARY KEY)",
        "CREATE TABLE IF NOT EXISTS member (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)",
        """
        CREATE TABLE IF NOT EXISTS link (
            owner INTEGER NOT NULL REFERENCES owner, position INTEGER NOT NULL,
            member INTEGER NOT NULL REFERENCES member, PRIMARY KEY (owner, position)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS link_member ON link (member)",
    ]

    init(path: String, _ settings: SQLiteSettings) throws {
        connection = try SQLiteConnection(
            path: path, settings, schema: Self.schema)
        insertOwner = try connection.prepare("INSERT INTO owner (id) VALUES (?1)")
        insertMember = try connection.prepare("INSERT INTO member (id, value) VALUES (?1, ?2)")
        insertLink = try connection.prepare(
            "INSERT INTO link (owner, position, member) VALUES (?1, ?2, ?3)")
        // CROSS JOIN keeps the order of the tables, so that links are followed one by one.
        sum = try connection.prepare(
            """
            SELECT sum(member.value) FROM link CROSS JOIN member ON member.id = link.member
            """)
        countOwners = try connection.prepare(
            """
            SELECT sum((SELECT count(*) FROM link WHERE link.member = member.id)) FROM member
            """)
        // The join goes from the few members, through the index, to their owners.
        countOwnersOfValue = try connection.prepare(
            """
            SELECT count(DISTINCT link.owner)
            FROM member CROSS JOIN link ON link.member = member.id WHERE member.value = ?1
            """)
    }

    func build(owners: Int, members: Int, batchSize: Int) throws {
        for first in stride(from: 0, to: owners, by: batchSize) {
            try connection.write {
                for owner in first..<min(first + batchSize, owners) {
                    try insert(owner: owner, members)
                }
            }
        }
    }

    private func insert(owner: Int, _ count: Int) throws {
        insertOwner.bind(owner, at: 1)
        try insertOwner.run()
        insertLink.bind(owner, at: 1)
        for position in 0..<count {
            let member = owner * count + position
            insertMember.bind(member, at: 1)
            insertMember.bind(member % 1000, at: 2)
            try insertMember.run()
            insertLink.bind(position, at: 2)
            insertLink.bind(member, at: 3)
            try insertLink.run()
        }
    }

    func sumOfMembers() throws -> Int {
        try connection.read()
        return try sum.runForInteger()
    }

    func countOfOwners() throws -> Int {
        try connection.read()
        return try countOwners.runForInteger()
    }

    func countOfOwners(memberValue: Int) throws -> Int {
        try connection.read()
        countOwnersOfValue.bind(memberValue, at: 1)
        return try countOwnersOfValue.runForInteger()
    }

    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws {
        try connection.read()
        let links = try connection.prepare(
            """
            SELECT link.owner, link.position, member.value
            FROM link LEFT JOIN member ON member.id = link.member
            """)
        while try links.step() { body(links.integer(0), links.integer(1), links.integer(2)) }
    }

    func size() throws -> StoreSize { try connection.size() }
    func problems() throws -> [String] { try connection.problems() }
}
