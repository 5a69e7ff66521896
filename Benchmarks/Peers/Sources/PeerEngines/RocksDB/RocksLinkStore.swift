import BenchmarkKit
import ToolSupport

/// Owners and members in RocksDB. The value of an owner is the list of its members' numbers. Keys
/// of member and owner, without a value, are the inverse links.
final class RocksLinkStore: LinkStore {
    private let session: RocksSession
    private let list = ByteBuffer()

    init(path: String, _ settings: RocksSettings) throws {
        session = try RocksSession(path, settings)
    }

    func build(owners: Int, members: Int, batchSize: Int) throws {
        for first in stride(from: 0, to: owners, by: batchSize) {
            try session.insert { batch in
                for owner in first..<min(first + batchSize, owners) {
                    insert(owner: owner, members, batch)
                }
            }
        }
    }

    private func insert(owner: Int, _ count: Int, _ batch: RocksBatch) {
        let (key, value) = (session.key, session.value)
        list.removeAll()
        for position in 0..<count {
            let member = owner * count + position
            list.append(littleEndian: member)
            key.setKey(RocksKind.member, member)
            value.removeAll()
            value.append(littleEndian: member % 1000)
            batch.put(key, value)
            key.setKey(RocksKind.backlink, member)
            key.append(bigEndian: owner)
            batch.put(key.bytes, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        key.setKey(RocksKind.owner, owner)
        batch.put(key, list)
    }

    func sumOfMembers() throws -> Int {
        var sum = 0
        try session.forEach(prefix: RocksKind.owner) { _, list in
            for offset in stride(from: 0, to: list.count, by: 8) {
                session.key.setKey(RocksKind.member, list.littleEndian(Int.self, at: offset))
                let value = try session.get(session.key.bytes) { $0.littleEndian(Int.self, at: 0) }
                guard let value else {
                    throw BenchmarkError(.caseFailed, "A link leads to no member.")
                }
                sum += value
            }
            return true
        }
        return sum
    }

    func forEachLink(_ body: (_ owner: Int, _ position: Int, _ value: Int) -> Void) throws {
        try session.forEach(prefix: RocksKind.owner) { key, list in
            let owner = key.bigEndian(Int.self, at: 1)
            for position in 0..<list.count / 8 {
                session.key.setKey(RocksKind.member, list.littleEndian(Int.self, at: position * 8))
                let value = try session.get(session.key.bytes) { $0.littleEndian(Int.self, at: 0) }
                guard let value else {
                    throw BenchmarkError(.caseFailed, "A link leads to no member.")
                }
                body(owner, position, value)
            }
            return true
        }
    }

    func countOfOwners() throws -> Int {
        var count = 0
        try session.forEach(prefix: RocksKind.member) { key, _ in
            session.key.setKey(RocksKind.backlink, key.bigEndian(Int.self, at: 1))
            let start = session.key.bytes
            try session.forEach(prefix: RocksKind.backlink, from: start) { backlink, _ in
                guard backlink.starts(with: start) else { return false }
                count += 1
                return true
            }
            return true
        }
        return count
    }

    func countOfOwners(memberValue: Int) throws -> Int {
        var owners: Set<Int> = []
        try session.forEach(prefix: RocksKind.member) { key, value in
            guard value.littleEndian(Int.self, at: 0) == memberValue else { return true }
            session.key.setKey(RocksKind.backlink, key.bigEndian(Int.self, at: 1))
            let start = session.key.bytes
            try session.forEach(prefix: RocksKind.backlink, from: start) { backlink, _ in
                guard backlink.starts(with: start) else { return false }
                owners.insert(backlink.bigEndian(Int.self, at: 9))
                return true
            }
            return true
        }
        return owners.count
    }

    func size() throws -> StoreSize { session.database.size() }
    func problems() throws -> [String] { try session.database.problems() }
}
