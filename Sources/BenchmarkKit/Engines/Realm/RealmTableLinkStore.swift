import StorageEngine
import ToolSupport

/// Lists of links in tables of the storage engine, in the same file format as the objects.
final class RealmTableLinkStore: LinkStore {
    private let connection: Connection
    private let owners: Table
    private let members: Table
    private let durability: Durability

    private static let ownerDefinition = TableDefinition(
        name: "LinkOwner",
        columns: [
            ColumnDefinition(
                name: "members", type: .link, collection: .list, linkTarget: "LinkMember")
        ])
    private static let memberDefinition = TableDefinition(
        name: "LinkMember", columns: [ColumnDefinition(name: "value", type: .int)])

    init(path: String, _ durability: Durability) throws {
        self.durability = durability
        connection = try Connection(Database.open(path: path, options: .ofCase))
        // The members come first, because links need an existing target table.
        members = try RealmTablePersonStore.table(connection, Self.memberDefinition)
        owners = try RealmTablePersonStore.table(connection, Self.ownerDefinition)
    }

    func build(owners: Int, members: Int, batchSize: Int) throws {
        for first in stride(from: 0, to: owners, by: batchSize) {
            try connection.beginWrite()
            do {
                for owner in first..<min(first + batchSize, owners) {
                    try insert(owner: owner, members)
                }
            } catch {
                connection.rollback()
                throw error
            }
            try connection.commit(durability.ofCommit)
        }
    }

    private func insert(owner: Int, _ count: Int) throws {
        let key = try insert(.null, into: owners)
        let list = owners.list(0, of: key)
        for member in 0..<count {
            let value = Int64((owner * count + member) % 1000)
            let target = try insert(.integer(value), into: members)
            try list.insert(.integer(target.rawValue), at: member)
        }
    }

    private func insert(_ value: Scalar, into table: Table) throws -> ObjectKey {
        try withUnsafePointer(to: value) {
            try table.insert(UnsafeBufferPointer(start: $0, count: 1))
        }
    }

    func sumOfMembers() throws -> Int {
        var sum = 0
        try forEachList { list throws(StorageError) in
            try list.forEach { element throws(StorageError) in
                sum += try value(behind: element)
                return true
            }
        }
        return sum
    }

    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws {
        var owner = 0
        try forEachList { list throws(StorageError) in
            var position = 0
            try list.forEach { element throws(StorageError) in
                body(owner, position, try value(behind: element))
                position += 1
                return true
            }
            owner += 1
        }
    }

    @inline(__always)
    private func forEachList(
        _ body: (ListHandle) throws(StorageError) -> Void
    ) throws(StorageError) {
        try owners.forEachLeaf { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount {
                try body(owners.list(0, of: owners.key(at: RowLocation(leaf: leaf, row: row))))
            }
            return true
        }
    }

    @inline(__always)
    private func value(behind link: Scalar) throws(StorageError) -> Int {
        guard case .integer(let target) = link,
            let location = try members.location(of: ObjectKey(rawValue: target)),
            case .integer(let value) = try members.value(0, at: location)
        else { throw connection.incomplete("A link leads nowhere.") }
        return Int(value)
    }

    func countOfOwners() throws -> Int {
        var count = 0
        try members.forEachLeaf { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount {
                count += try members.backlinkCount(
                    of: members.key(at: RowLocation(leaf: leaf, row: row)))
            }
            return true
        }
        return count
    }

    func countOfOwners(memberValue: Int) throws -> Int {
        let isEqual = QueryCondition.value(
            column: 0, .compare(.equal, .integer(Int64(memberValue))))
        return try QueryPlan(owners, .link(column: 0, isEqual)).count()
    }

    func size() throws -> StoreSize { StoreSize(try connection.database.statistics()) }

    func problems() throws -> [String] { try connection.verify() }
}
