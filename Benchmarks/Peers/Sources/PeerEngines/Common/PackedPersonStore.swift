import BenchmarkKit
import Glibc

/// Persons as packed bytes. Every query visits all of them, because the engine cannot interpret the
/// bytes.
protocol PackedPersonStore: PersonStore {
    /// Whether the bytes that are visited stay valid until this store moves to another version.
    var bytesStay: Bool { get }
    /// Calls `body` with the name and the packed value of every person.
    func forEachPacked(
        _ body: (_ name: UnsafeRawBufferPointer, _ person: UnsafeRawBufferPointer) -> Void
    ) throws
}

extension PackedPersonStore {
    func rangeOfAges() throws -> ClosedRange<Int>? {
        var (least, greatest) = (Int.max, Int.min)
        try forEachPacked { _, person in
            let age = PackedPerson.age(person)
            least = min(least, age)
            greatest = max(greatest, age)
        }
        return least <= greatest ? least...greatest : nil
    }

    func averageAge() throws -> Double? {
        var (sum, count) = (0, 0)
        try forEachPacked { _, person in
            sum += PackedPerson.age(person)
            count += 1
        }
        return count == 0 ? nil : Double(sum) / Double(count)
    }

    func groupsByAge() throws -> [AgeGroup] {
        var groups = AgeGroups()
        try forEachPacked { _, person in
            groups.add(age: PackedPerson.age(person), birthdate: PackedPerson.birthdate(person))
        }
        return groups.inOrder
    }

    func count(nameContaining text: String) throws -> Int {
        let sought = Array(text.utf8)
        var count = 0
        try sought.withUnsafeBytes { sought in
            try forEachPacked { name, _ in if name.contains(bytes: sought) { count += 1 } }
        }
        return count
    }

    func count(where condition: PersonCondition) throws -> Int {
        let prefix = Array(condition.namePrefix.utf8)
        var count = 0
        try prefix.withUnsafeBytes { prefix in
            try forEachPacked { name, person in
                let matches =
                    PackedPerson.age(person) < condition.ageBelow
                    && condition.birthdates.contains(PackedPerson.birthdate(person))
                    || name.starts(with: prefix)
                if matches { count += 1 }
            }
        }
        return count
    }

    func namesInOrder(first count: Int) throws -> [String] {
        // With equal ages the order is that of the names.
        var first = FirstByAge(count: count)
        try forEachPacked { name, _ in first.offer(age: 0, name: name) }
        return first.names
    }

    func checksum(ageBelow limit: Int) throws -> Int {
        var sum = 0
        try forEachPacked { name, person in
            let age = PackedPerson.age(person)
            guard age < limit else { return }
            for byte in name { sum &+= Int(byte) }
            sum &+= PackedPerson.birthdate(person) &+ age
        }
        return sum
    }

    /// Sorts pointers to the persons, or to copies of the names where the bytes do not stay.
    func checksumFromOldest() throws -> Int {
        var persons: [SortedPerson] = []
        let copies = ByteArena()
        try forEachPacked { name, person in
            persons.append(SortedPerson(bytesStay ? name : copies.copy(name), person))
        }
        persons.sortFromOldest()
        var checksum = OrderedChecksum()
        for person in persons { checksum.add(person.name, person.birthdate, Int(person.age)) }
        withExtendedLifetime(copies) {}
        return checksum.value
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func contains(bytes sought: UnsafeRawBufferPointer) -> Bool {
        guard let first = sought.first, let start = sought.baseAddress else { return true }
        guard let baseAddress else { return false }
        var position = 0
        // The number of positions left at which a match could begin.
        while case let left = count - sought.count + 1 - position, left > 0 {
            guard let found = memchr(baseAddress + position, Int32(first), left) else {
                return false
            }
            if memcmp(found, start, sought.count) == 0 { return true }
            position = UnsafeRawPointer(found) - baseAddress + 1
        }
        return false
    }
}
