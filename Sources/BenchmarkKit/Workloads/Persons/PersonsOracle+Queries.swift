/// The expected answers of queries, computed without a database.
extension PersonsOracle {
    func rangeOfAges() -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        forEach { person in
            let found = range ?? person.age...person.age
            range = min(found.lowerBound, person.age)...max(found.upperBound, person.age)
        }
        return range
    }

    func averageAge() -> Double? {
        let count = count { _ in true }
        return count == 0 ? nil : Double(sumOfAges()) / Double(count)
    }

    func groupsByAge() -> [AgeGroup] {
        var groups = AgeGroups()
        forEach { groups.add(age: $0.age, birthdate: $0.birthdate) }
        return groups.inOrder
    }

    func count(nameContaining text: String) -> Int {
        let sought = Array(text.utf8)
        return count { person in
            let name = Array(person.name.utf8)
            return name.indices.contains { name[$0...].starts(with: sought) }
        }
    }

    func namesInOrder(first count: Int) -> [String] {
        // With equal ages the order is that of the names.
        var first = FirstByAge(count: count)
        forEach { first.offer(age: 0, name: $0.name.utf8) }
        return first.names
    }

    func checksumFromOldest() -> Int {
        var persons: [PersonValues] = []
        forEach { persons.append($0) }
        persons.sort {
            $0.birthdate != $1.birthdate ? $0.birthdate < $1.birthdate : $0.name < $1.name
        }
        var checksum = OrderedChecksum()
        for person in persons {
            checksum.add(person.name.utf8, person.birthdate, person.age)
        }
        return checksum.value
    }

    /// Returns the number of the last person younger than `limit`; the time depends on its
    /// position. Requires names that are numbers.
    func lastNumber(ageBelow limit: Int) -> Int? {
        (0..<size).last { age(of: $0).map { $0 < limit } ?? false }
    }
}
