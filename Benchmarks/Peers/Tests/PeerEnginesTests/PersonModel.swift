import Testing

@testable import BenchmarkKit

/// What a store of persons must answer, from an array.
struct PersonModel {
    var persons: [PersonValues] = []

    /// Compares everything that can be read.
    func expectEqual(
        _ store: any PersonStore, _ layout: PersonLayout,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try expectCountsAndSums(store, location)
        try expectQueries(store, layout, location)
        try expectKeys(store, layout, location)
        for count in [1, 10, persons.count].filter({ $0 > 0 }) {
            let found = try store.names(sortedByAge: count)
            #expect(found == names(sortedByAge: count), sourceLocation: location)
        }
        var rows: [String] = []
        try store.forEach { rows.append("\($0) \($1) \($2)") }
        let expected = persons.map { "\($0.name) \($0.birthdate) \($0.age)" }
        #expect(rows.sorted() == expected.sorted(), sourceLocation: location)
        #expect(try store.problems() == [], sourceLocation: location)
    }

    private func expectCountsAndSums(
        _ store: any PersonStore, _ location: SourceLocation
    ) throws {
        for limit in [0, 1, 30, 100] {
            let found = try store.count(ageBelow: limit)
            #expect(found == persons.count { $0.age < limit }, sourceLocation: location)
        }
        for prefix in ["", "1", "12", "a", "ab", "nobody", persons.first?.name ?? "1"] {
            let found = try store.count(namePrefix: prefix)
            #expect(
                found == persons.count { $0.name.utf8.starts(with: prefix.utf8) },
                sourceLocation: location)
        }
        for range in [-500_000_000..<0, 0..<500_000_000, 5..<5] {
            let found = try store.count(birthdateIn: range)
            #expect(
                found == persons.count { range.contains($0.birthdate) }, sourceLocation: location)
        }
        #expect(
            try store.sumOfAges() == persons.reduce(0) { $0 + $1.age }, sourceLocation: location)
        let checksum = persons.reduce(0) { sum, person in
            sum + person.name.utf8.reduce(0) { $0 + Int($1) } + person.birthdate + person.age
        }
        #expect(try store.checksum() == checksum, sourceLocation: location)
    }

    private func expectQueries(
        _ store: any PersonStore, _ layout: PersonLayout, _ location: SourceLocation
    ) throws {
        let ages = persons.map(\.age)
        let range = ages.min().flatMap { least in ages.max().map { least...$0 } }
        #expect(try store.rangeOfAges() == range, sourceLocation: location)
        let average = try store.averageAge()
        #expect((average == nil) == ages.isEmpty, sourceLocation: location)
        if let average {
            let mean = Double(ages.reduce(0, +)) / Double(ages.count)
            #expect(abs(average - mean) < 1e-9, sourceLocation: location)
        }
        let groups = Dictionary(grouping: persons, by: \.age).sorted { $0.key < $1.key }.map {
            AgeGroup(
                age: $0.key, count: $0.value.count,
                latestBirthdate: $0.value.map(\.birthdate).max() ?? 0)
        }
        #expect(try store.groupsByAge() == groups, sourceLocation: location)
        for text in ["", "1", "12", "ab", "nobody", persons.last?.name ?? "1"] {
            let found = try store.count(nameContaining: text)
            #expect(
                found == persons.count { text.isEmpty || $0.name.contains(text) },
                sourceLocation: location)
        }
        for prefix in ["1", "ab", ""] {
            let condition = PersonCondition(
                ageBelow: 40, birthdates: -500_000_000..<500_000_000, namePrefix: prefix)
            let found = try store.count(where: condition)
            #expect(
                found == persons.count { condition.matches($0) }, sourceLocation: location)
        }
        let names = persons.map(\.name).sorted()
        for count in [1, 10, 1000] {
            let found = try store.namesInOrder(first: count)
            #expect(found == Array(names.prefix(count)), sourceLocation: location)
        }
        let young = persons.filter { $0.age < 30 }
        let checksum = young.reduce(0) { sum, person in
            sum + person.name.utf8.reduce(0) { $0 + Int($1) } + person.birthdate + person.age
        }
        #expect(try store.checksum(ageBelow: 30) == checksum, sourceLocation: location)
        var ordered = OrderedChecksum()
        for person in persons.sorted(by: { ($0.birthdate, $0.name) < ($1.birthdate, $1.name) }) {
            ordered.add(person.name.utf8, person.birthdate, person.age)
        }
        #expect(try store.checksumFromOldest() == ordered.value, sourceLocation: location)
        guard layout == .integerKey else { return }
        let expected = YoungPersons(
            count: young.count, lastNumber: young.map(\.number).max())
        #expect(try store.young(ageBelow: 30) == expected, sourceLocation: location)
    }

    private func expectKeys(
        _ store: any PersonStore, _ layout: PersonLayout, _ location: SourceLocation
    ) throws {
        guard layout == .integerKey || layout == .stringKey else { return }
        func find(_ person: PersonValues) throws -> (birthdate: Int, age: Int)? {
            layout == .integerKey
                ? try store.person(number: person.number) : try store.person(name: person.name)
        }
        for person in persons {
            let found = try find(person)
            #expect(found?.birthdate == person.birthdate, sourceLocation: location)
            #expect(found?.age == person.age, sourceLocation: location)
        }
        let nobody = PersonValues(number: 1_000_000_000, birthdate: 0, age: 0)
        #expect(try find(nobody) == nil, sourceLocation: location)
    }

    private func names(sortedByAge count: Int) -> [String] {
        let sorted = persons.sorted { first, second in
            first.age != second.age
                ? first.age < second.age
                : first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
        }
        return sorted.prefix(count).map(\.name)
    }
}
