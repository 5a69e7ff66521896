import BenchmarkKit

extension RocksPersonStore {
    func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        session.key.setKey(RocksKind.person, number)
        return try session.get(session.key.bytes) {
            (PackedPerson.birthdate($0), PackedPerson.age($0))
        }
    }

    func person(name: String) throws -> (birthdate: Int, age: Int)? {
        guard hasNameAsKey else { throw missingKey("string key", layout) }
        session.key.setKey(RocksKind.person, name)
        return try session.get(session.key.bytes) {
            (PackedPerson.birthdate($0), PackedPerson.age($0))
        }
    }

    @inline(__always)
    private func name(_ key: UnsafeRawBufferPointer, _ person: UnsafeRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        hasNameAsKey ? UnsafeRawBufferPointer(rebasing: key[1...]) : PackedPerson.name(person)
    }

    /// Calls `body` with the name and the packed value of every person.
    @inline(__always)
    func forEachPacked(
        _ body: (_ name: UnsafeRawBufferPointer, _ person: UnsafeRawBufferPointer) -> Void
    ) throws {
        try session.forEach(prefix: RocksKind.person) { key, person in
            body(name(key, person), person)
            return true
        }
    }

    func count(ageBelow limit: Int) throws -> Int {
        var count = 0
        if layout == .indexed {
            try session.forEach(prefix: RocksKind.age) { key, _ in
                guard key.bigEndian(Int.self, at: 1) < limit else { return false }
                count += 1
                return true
            }
        } else {
            try forEachPacked { if PackedPerson.age($1) < limit { count += 1 } }
        }
        return count
    }

    func count(namePrefix: String) throws -> Int {
        var count = 0
        if hasNameAsKey {
            session.key.setKey(RocksKind.person, namePrefix)
            let start = session.key.bytes
            try session.forEach(prefix: RocksKind.person, from: start) { key, _ in
                guard key.starts(with: start) else { return false }
                count += 1
                return true
            }
        } else {
            let prefix = Array(namePrefix.utf8)
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
            try session.forEach(prefix: RocksKind.age) { key, _ in
                let age = key.bigEndian(Int.self, at: 1)
                guard age <= first.largestAge else { return false }
                session.key.setKey(RocksKind.person, key.bigEndian(Int.self, at: 9))
                try session.get(session.key.bytes) {
                    first.offer(age: age, name: PackedPerson.name($0))
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

    func young(ageBelow limit: Int) throws -> YoungPersons {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        var young = YoungPersons(count: 0, lastNumber: nil)
        try session.forEach(prefix: RocksKind.person) { key, person in
            if PackedPerson.age(person) < limit {
                young.count += 1
                young.lastNumber = key.bigEndian(Int.self, at: 1)
            }
            return true
        }
        return young
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
}
