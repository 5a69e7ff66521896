import BenchmarkKit
import CLMDB
import ToolSupport

/// Owners and members in LMDB. The value of an owner is the list of its members' numbers, and a
/// third database maps members to their owners.
final class LMDBLinkStore: LinkStore {
    private let session: LMDBSession
    private let owners, members, backlinks: MDB_dbi
    private let list = ByteBuffer()

    init(path: String, _ settings: LMDBSettings) throws {
        session = try LMDBSession(path, settings)
        let environment = session.environment
        owners = try environment.database("owners", MDB_INTEGERKEY)
        members = try environment.database("members", MDB_INTEGERKEY)
        backlinks = try environment.database(
            "backlinks", MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
    }

    func build(owners: Int, members: Int, batchSize: Int) throws {
        for first in stride(from: 0, to: owners, by: batchSize) {
            try session.write { transaction in
                for owner in first..<min(first + batchSize, owners) {
                    try insert(owner: owner, members, transaction)
                }
            }
        }
    }

    private func insert(owner: Int, _ count: Int, _ transaction: LMDBTransaction) throws {
        list.removeAll()
        for position in 0..<count {
            let member = owner * count + position
            list.append(littleEndian: member)
            try withUnsafeBytes(of: member % 1000) {
                try transaction.put(members, member, $0, MDB_APPEND)
            }
            try withUnsafeBytes(of: owner) {
                try transaction.put(backlinks, member, $0, MDB_APPEND)
            }
        }
        try transaction.put(owners, owner, list.bytes, MDB_APPEND)
    }

    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws {
        let transaction = try session.reading()
        try transaction.forEach(owners) { owner, list in
            let number = owner.loadUnaligned(as: Int.self)
            for position in 0..<list.count / 8 {
                let member = list.littleEndian(Int.self, at: position * 8)
                guard let value = try transaction.get(members, member) else {
                    throw BenchmarkError(.caseFailed, "A link leads to no member.")
                }
                body(number, position, value.loadUnaligned(as: Int.self))
            }
            return true
        }
    }

    func sumOfMembers() throws -> Int {
        let transaction = try session.reading()
        var sum = 0
        try transaction.forEach(owners) { _, list in
            for offset in stride(from: 0, to: list.count, by: 8) {
                let member = list.littleEndian(Int.self, at: offset)
                guard let value = try transaction.get(members, member) else {
                    throw BenchmarkError(.caseFailed, "A link leads to no member.")
                }
                sum += value.loadUnaligned(as: Int.self)
            }
            return true
        }
        return sum
    }

    func countOfOwners() throws -> Int {
        let transaction = try session.reading()
        var count = 0
        try transaction.withCursor(backlinks) { cursor in
            try transaction.forEach(members) { member, _ in
                if try cursor.seek(member, MDB_SET_KEY) != nil {
                    count += try cursor.duplicates()
                }
                return true
            }
        }
        return count
    }

    func countOfOwners(memberValue: Int) throws -> Int {
        let transaction = try session.reading()
        var owners: Set<Int> = []
        try transaction.withCursor(backlinks) { cursor in
            try transaction.forEach(members) { member, value in
                guard value.loadUnaligned(as: Int.self) == memberValue else { return true }
                var entry = try cursor.seek(member, MDB_SET_KEY)
                while let (_, owner) = entry {
                    owners.insert(owner.loadUnaligned(as: Int.self))
                    entry = try cursor.move(MDB_NEXT_DUP)
                }
                return true
            }
        }
        return owners.count
    }

    func size() throws -> StoreSize { try session.environment.size() }
    /// Returns no problems, since LMDB offers no check of its structure.
    func problems() -> [String] { [] }
}
