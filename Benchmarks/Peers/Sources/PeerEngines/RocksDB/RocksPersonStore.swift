import BenchmarkKit

/// Persons in RocksDB. The number or the name maps to the other values; with an index, further keys
/// consist of age and number and have no value. Persons without a key are numbered consecutively.
final class RocksPersonStore: PackedPersonStore {
    let layout: PersonLayout
    let session: RocksSession
    private var key: ByteBuffer { session.key }
    private var value: ByteBuffer { session.value }
    private let indexKey = ByteBuffer()

    init(path: String, _ layout: PersonLayout, _ settings: RocksSettings) throws {
        if layout == .indexedNumber { throw missingKey("index of numbers", layout) }
        self.layout = layout
        session = try RocksSession(path, settings)
    }

    var hasNameAsKey: Bool { layout == .stringKey }
    var bytesStay: Bool { false }
    var lastCommit: CommitCost? { nil }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try session.insert { batch in
            var number = 0
            if layout == .unkeyed || layout == .indexed {
                number = try session.database.takeNumbers(persons.count, after: newestNumber)
            }
            for person in persons {
                switch layout {
                case .stringKey: key.setKey(RocksKind.person, person.name)
                case .integerKey: key.setKey(RocksKind.person, person.number)
                case .unkeyed, .indexed, .indexedNumber: key.setKey(RocksKind.person, number)
                }
                PackedPerson.pack(person, withName: !hasNameAsKey, into: value)
                batch.put(key, value)
                if layout == .indexed { index(person.age, number, batch) }
                number += 1
            }
        }
    }

    private func newestNumber() throws -> Int? {
        let last = try RocksIterator.lastKey(
            in: session.database, session.readOptions, before: RocksKind.person + 1)
        guard let last, last.first == RocksKind.person else { return nil }
        return last.withUnsafeBytes { $0.bigEndian(Int.self, at: 1) }
    }

    private func setIndexKey(_ age: Int, _ number: Int) {
        indexKey.setKey(RocksKind.age, age)
        indexKey.append(bigEndian: number)
    }

    private func index(_ age: Int, _ number: Int, _ batch: RocksBatch) {
        setIndexKey(age, number)
        batch.put(indexKey.bytes, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    // MARK: Updates

    func updateAllAges(adding: Int) throws { try updateAges { ($0 + adding) % 100 } }

    func setAges(below limit: Int, to age: Int) throws {
        try updateAges { $0 < limit ? age : nil }
    }

    /// Sets the age of all persons for which `change` returns one.
    private func updateAges(_ change: (Int) -> Int?) throws {
        try session.write { batch in
            try session.forEach(prefix: RocksKind.person) { key, person in
                let old = PackedPerson.age(person)
                guard let age = change(old) else { return true }
                PackedPerson.pack(person, age: age, into: value)
                batch.put(key, value.bytes)
                if layout == .indexed, old != age {
                    removeFromIndex(old, key, batch)
                    index(age, key.bigEndian(Int.self, at: 1), batch)
                }
                return true
            }
        }
    }

    private func removeFromIndex(
        _ age: Int, _ key: UnsafeRawBufferPointer, _ batch: RocksBatch
    ) {
        setIndexKey(age, key.bigEndian(Int.self, at: 1))
        batch.delete(indexKey.bytes)
    }

    func updateAge(number: Int, to age: Int) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        try session.write { batch in
            key.setKey(RocksKind.person, number)
            try session.get(key.bytes) { person in
                PackedPerson.pack(person, age: age, into: value)
                batch.put(key, value)
            }
        }
    }

    func delete(numbers: [Int]) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        try session.write { batch in
            for number in numbers {
                key.setKey(RocksKind.person, number)
                batch.delete(key.bytes)
            }
        }
    }

    func deleteOddAges() throws {
        try session.write { batch in
            try session.forEach(prefix: RocksKind.person) { key, person in
                let age = PackedPerson.age(person)
                if !age.isMultiple(of: 2) {
                    if layout == .indexed { removeFromIndex(age, key, batch) }
                    batch.delete(key)
                }
                return true
            }
        }
    }

    // MARK: The folder

    func copy(to path: String) throws { try session.database.copy(to: path) }
    func size() throws -> StoreSize { session.database.size() }
    func problems() throws -> [String] { try session.database.problems() }
    func refresh() throws { session.releaseSnapshot() }
    func pin() throws { session.pin() }
}
