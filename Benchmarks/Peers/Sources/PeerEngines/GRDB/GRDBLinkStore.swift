import BenchmarkKit
import GRDB

/// Owners and members as GRDB records, connected by associations.
final class GRDBLinkStore: LinkStore {
    private struct Owner: Codable, FetchableRecord, PersistableRecord, Sendable {
        var id: Int
        static var databaseTableName: String { "owner" }
        static var links: HasManyAssociation<Owner, Link> {
            hasMany(Link.self).order(Column("position"))
        }
        static var members: HasManyThroughAssociation<Owner, Member> {
            hasMany(Member.self, through: links, using: Link.member)
        }
    }

    private struct Member: Codable, FetchableRecord, PersistableRecord, Sendable {
        var id: Int
        var value: Int
        static var databaseTableName: String { "member" }
        static var links: HasManyAssociation<Member, Link> { hasMany(Link.self) }
    }

    private struct Link: Codable, FetchableRecord, PersistableRecord, Sendable {
        var ownerId: Int
        var position: Int
        var memberId: Int
        static var databaseTableName: String { "link" }
        static var member: BelongsToAssociation<Link, Member> { belongsTo(Member.self) }
    }

    private let lease: GRDBDatabase.Lease

    init(path: String, _ durability: Durability) throws {
        lease = try GRDBDatabase.lease(path, durability) { database in
            try database.create(table: "owner", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
            }
            try database.create(table: "member", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("value", .integer).notNull()
            }
            try database.create(table: "link", options: .ifNotExists) { table in
                table.primaryKey {
                    table.belongsTo("owner", onDelete: .cascade)
                    table.column("position", .integer)
                }
                table.belongsTo("member", onDelete: .cascade).notNull()
            }
        }
    }

    func build(owners: Int, members: Int, batchSize: Int) throws {
        for first in stride(from: 0, to: owners, by: batchSize) {
            try lease.database.pool.write { database in
                for owner in first..<min(first + batchSize, owners) {
                    try Self.insert(owner: owner, members, database)
                }
            }
        }
    }

    private static func insert(owner: Int, _ count: Int, _ database: Database) throws {
        try Owner(id: owner).insert(database)
        for position in 0..<count {
            let member = owner * count + position
            try Member(id: member, value: member % 1000).insert(database)
            try Link(ownerId: owner, position: position, memberId: member).insert(database)
        }
    }

    func sumOfMembers() throws -> Int {
        try lease.database.pool.read { database in
            var sum = 0
            for owner in try Owner.fetchAll(database) {
                let members = try owner.request(for: Owner.members).fetchCursor(database)
                while let member = try members.next() { sum += member.value }
            }
            return sum
        }
    }

    func countOfOwners() throws -> Int {
        try lease.database.pool.read { database in
            let request = Member.annotated(with: Member.links.count.forKey("owners"))
            let rows = try Row.fetchCursor(database, request)
            var sum = 0
            while let row = try rows.next() { sum += row["owners"] as Int }
            return sum
        }
    }

    /// Returns the count by SQL, because the join order matters: from the few members, through the
    /// index, to their owners.
    func countOfOwners(memberValue: Int) throws -> Int {
        try lease.database.pool.read { database in
            try Int.fetchOne(
                database,
                sql: """
                    SELECT count(DISTINCT link.ownerId)
                    FROM member CROSS JOIN link ON link.memberId = member.id
                    WHERE member.value = ?
                    """,
                arguments: [memberValue]) ?? 0
        }
    }

    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws {
        try lease.database.pool.read { database in
            for owner in try Owner.order(Column("id")).fetchAll(database) {
                let members = try owner.request(for: Owner.members).fetchAll(database)
                for (position, member) in members.enumerated() {
                    body(owner.id, position, member.value)
                }
            }
        }
    }

    func size() throws -> StoreSize { try lease.database.size() }
    func problems() throws -> [String] { try lease.database.problems() }
}
