import BenchmarkKit
import CLMDB

/// Persons in LMDB: one database maps the number or the name to the other values; with an index,
/// another one maps the age to numbers. Persons without a key are numbered consecutively.
final class LMDBPersonStore: PackedPersonStore {
    let layout: PersonLayout
    let session: LMDBSession
    let persons: MDB_dbi
    /// The index database; 0 without an index.
    let ages: MDB_dbi
    let value = ByteBuffer()

    init(path: String, _ layout: PersonLayout, _ settings: LMDBSettings) throws {
        if layout == .indexedNumber { throw missingKey("index of numbers", layout) }
        self.layout = layout
        session = try LMDBSession(path, settings)
        persons = try session.environment.database(
            "persons", layout == .stringKey ? 0 : MDB_INTEGERKEY)
        ages =
            layout == .indexed
            ? try session.environment.database(
                "ages", MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP) : 0
    }

    var hasNameAsKey: Bool { layout == .stringKey }
    var bytesStay: Bool { true }
    var lastCommit: CommitCost? { nil }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try session.write { transaction in
            if hasNameAsKey {
                for person in persons { try insertNamed(person, transaction) }
            } else {
                try insertNumbered(persons, transaction)
            }
        }
    }

    private func insertNamed(_ person: PersonValues, _ transaction: LMDBTransaction) throws {
        PackedPerson.pack(person, withName: false, into: value)
        var name = person.name
        try name.withUTF8 {
            try transaction.put(
                persons, UnsafeRawBufferPointer($0), value.bytes, MDB_NOOVERWRITE)
        }
    }

    private func insertNumbered(
        _ added: ArraySlice<PersonValues>, _ transaction: LMDBTransaction
    ) throws {
        let newest = try transaction.withCursor(persons) { try $0.move(MDB_LAST) }
        var last = newest.map { $0.key.loadUnaligned(as: Int.self) } ?? -1
        for person in added {
            let number = layout == .integerKey ? person.number : last + 1
            PackedPerson.pack(person, withName: true, into: value)
            // Appending after the last key needs no search.
            let flags = number > last ? MDB_APPEND : MDB_NOOVERWRITE
            try transaction.put(persons, number, value.bytes, flags)
            last = max(last, number)
            if layout == .indexed { try index(number, age: person.age, transaction) }
        }
    }

    private func index(_ number: Int, age: Int, _ transaction: LMDBTransaction) throws {
        try withUnsafeBytes(of: number) { try transaction.put(ages, age, $0) }
    }

    // MARK: Updates

    func updateAllAges(adding: Int) throws { try updateAges { ($0 + adding) % 100 } }

    func setAges(below limit: Int, to age: Int) throws {
        try updateAges { $0 < limit ? age : nil }
    }

    /// Sets the age of all persons for which `change` returns one.
    private func updateAges(_ change: (Int) -> Int?) throws {
        try session.write { transaction in
            try transaction.withCursor(persons) { cursor in
                var entry = try cursor.move(MDB_FIRST)
                while let (key, person) = entry {
                    let old = PackedPerson.age(person)
                    guard let age = change(old) else {
                        entry = try cursor.move(MDB_NEXT)
                        continue
                    }
                    PackedPerson.pack(person, age: age, into: value)
                    try cursor.replace(key, value.bytes)
                    // The index is updated last, because writing to it may move the bytes of the
                    // entry.
                    if layout == .indexed, let (number, _) = try cursor.move(MDB_GET_CURRENT) {
                        try reindex(number, from: old, to: age, transaction)
                    }
                    entry = try cursor.move(MDB_NEXT)
                }
            }
        }
    }

    private func reindex(
        _ key: UnsafeRawBufferPointer, from old: Int, to age: Int?, _ transaction: LMDBTransaction
    ) throws {
        guard layout == .indexed, old != age else { return }
        let number = key.loadUnaligned(as: Int.self)
        try withUnsafeBytes(of: number) { bytes in
            try withUnsafeBytes(of: old) {
                _ = try transaction.delete(ages, $0, duplicate: bytes)
            }
            if let age { try transaction.put(ages, age, bytes) }
        }
    }

    func updateAge(number: Int, to age: Int) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        try session.write { transaction in
            guard let person = try transaction.get(persons, number) else { return }
            PackedPerson.pack(person, age: age, into: value)
            try transaction.put(persons, number, value.bytes)
        }
    }

    func delete(numbers: [Int]) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        try session.write { transaction in
            for number in numbers {
                try withUnsafeBytes(of: number) { _ = try transaction.delete(persons, $0) }
            }
        }
    }

    func deleteOddAges() throws {
        try session.write { transaction in
            try transaction.withCursor(persons) { cursor in
                var entry = try cursor.move(MDB_FIRST)
                while let (key, person) = entry {
                    let age = PackedPerson.age(person)
                    if !age.isMultiple(of: 2) {
                        try reindex(key, from: age, to: nil, transaction)
                        try cursor.delete()
                    }
                    entry = try cursor.move(MDB_NEXT)
                }
            }
        }
    }
}
