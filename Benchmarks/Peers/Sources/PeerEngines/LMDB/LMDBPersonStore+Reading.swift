import BenchmarkKit
import CLMDB

extension LMDBPersonStore {
    func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        guard let person = try session.reading().get(persons, number) else { return nil }
        return (PackedPerson.birthdate(person), PackedPerson.age(person))
    }

    func person(name: String) throws -> (birthdate: Int, age: Int)? {
        guard hasNameAsKey else { throw missingKey("string key", layout) }
        let transaction = try session.reading()
        var name = name
        return try name.withUTF8 {
            guard let person = try transaction.get(persons, UnsafeRawBufferPointer($0)) else {
                return nil
            }
            return (PackedPerson.birthdate(person), PackedPerson.age(person))
        }
    }

    @inline(__always)
    private func name(_ key: UnsafeRawBufferPointer, _ person: UnsafeRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        hasNameAsKey ? key : PackedPerson.name(person)
    }

    /// Calls `body` with the name and the packed value of every person.
    @inline(__always)
    func forEachPacked(
        _ body: (_ name: UnsafeRawBufferPointer, _ person: UnsafeRawBufferPointer) -> Void
    ) throws {
        try session.reading().forEach(persons) { key, person in
            body(name(key, person), person)
            return true
        }
    }

    func count(ageBelow limit: Int) throws -> Int {
        if layout == .indexed { return try countInIndex(ageBelow: limit) }
        var count = 0
        try forEachPacked { if PackedPerson.age($1) < limit { count += 1 } }
        return count
    }

    private func countInIndex(ageBelow limit: Int) throws -> Int {
        try session.reading().withCursor(ages) { cursor in
            var count = 0
            var entry = try cursor.move(MDB_FIRST)
            while let (age, _) = entry, age.loadUnaligned(as: Int.self) < limit {
                count += try cursor.duplicates()
                entry = try cursor.move(MDB_NEXT_NODUP)
            }
            return count
        }
    }

    func count(namePrefix: String) throws -> Int {
        let prefix = Array(namePrefix.utf8)
        var count = 0
        if hasNameAsKey, !prefix.isEmpty {
            try prefix.withUnsafeBytes { bytes in
                try session.reading().forEach(persons, from: bytes) { name, _ in
                    guard name.starts(with: bytes) else { return false }
                    count += 1
                    return true
                }
            }
        } else {
            try forEachPacked { name, _ in if name.starts(with: prefix) { count += 1 } }
        }
        return count
    }

    func count(birthdateIn range: Range<Int>) throws -> Int {
        var count = 0
        try forEachPacked { if range.contains(PackedPerson.birthdate($1)) { count += 1 } }
        return count
    }

    func sumOfAges() throws -> Int {
        var sum = 0
        try forEachPacked { sum += PackedPerson.age($1) }
        return sum
    }

    func names(sortedByAge count: Int) throws -> [String] {
        guard count > 0 else { return [] }
        var first = FirstByAge(count: count)
        if layout == .indexed {
            let transaction = try session.reading()
            try transaction.forEach(ages) { age, number in
                let age = age.loadUnaligned(as: Int.self)
                guard age <= first.largestAge else { return false }
                if let person = try transaction.get(persons, number) {
                    first.offer(age: age, name: PackedPerson.name(person))
                }
                return true
            }
        } else {
            try forEachPacked { name, person in
                let age = PackedPerson.age(person)
                if age <= first.largestAge { first.offer(age: age, name: name) }
            }
        }
        return first.names
    }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        try forEachPacked { name, person in
            body(
                String(decoding: name, as: UTF8.self), PackedPerson.birthdate(person),
                PackedPerson.age(person))
        }
    }

    func checksum() throws -> Int {
        var sum = 0
        try forEachPacked { name, person in
            for byte in name { sum &+= Int(byte) }
            sum &+= PackedPerson.birthdate(person) &+ PackedPerson.age(person)
        }
        return sum
    }

    func young(ageBelow limit: Int) throws -> YoungPersons {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        var young = YoungPersons(count: 0, lastNumber: nil)
        try session.reading().forEach(persons) { number, person in
            if PackedPerson.age(person) < limit {
                young.count += 1
                young.lastNumber = number.loadUnaligned(as: Int.self)
            }
            return true
        }
        return young
    }

    // MARK: The file

    func copy(to path: String) throws {
        try checkLMDB(
            mdb_env_copy2(session.environment.handle, path, UInt32(MDB_CP_COMPACT)), "copy to",
            path)
        // LMDB leaves the durability of the copy to the operating system.
        try FileBytes.sync(path)
    }

    func size() throws -> StoreSize { try session.environment.size() }

    /// Checks the file by visiting every entry and comparing the counts of the trees and the index,
    /// since LMDB has no check of its own.
    func problems() throws -> [String] {
        let transaction = try session.reading()
        var problems: [String] = []
        var found = 0
        try transaction.forEach(persons) { _, _ in
            found += 1
            return true
        }
        let counted = try transaction.statistics(persons).ms_entries
        if found != counted {
            problems.append("LMDB counts \(counted) persons, but \(found) can be visited.")
        }
        guard layout == .indexed else { return problems }
        var indexed = 0
        try transaction.forEach(ages) { age, number in
            if let person = try transaction.get(persons, number),
                PackedPerson.age(person) == age.loadUnaligned(as: Int.self)
            {
                indexed += 1
            }
            return true
        }
        if indexed != found {
            problems.append("The index of ages leads to \(indexed) of \(found) persons.")
        }
        return problems
    }

    func refresh() throws { session.endReading() }
    func pin() throws { try session.pin() }
}
