import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Tests of random chains of filters, sorts and `distinct` against the same operations on arrays.
/// Counts, first objects and aggregates are asked for before and after all objects were found.
@Suite struct ResultsChainTests {
    private struct Row {
        var id: Int
        var name: String
        var age: Int
        var rank: Int?
        var height: Double
    }

    private let realm: Realm

    init() throws { realm = try temporaryRealm(heroTypes) }

    @discardableResult
    private func fill(count: Int, _ random: inout RepeatableRandom) throws -> [Row] {
        let rows = (0..<count).map { randomRow($0, &random) }
        try realm.write {
            for row in rows {
                realm.create(
                    Hero.self,
                    value: [
                        "id": row.id, "name": row.name, "age": row.age, "rank": row.rank as Any,
                        "height": row.height,
                    ])
            }
        }
        return rows
    }

    private func randomRow(_ id: Int, _ random: inout RepeatableRandom) -> Row {
        Row(
            id: id, name: "name \(random.below(50))", age: random.below(40),
            rank: random.below(3) == 0 ? nil : random.below(9),
            height: Double(random.below(400)) / 4)
    }

    /// Applies one more operation to both.
    private func step(
        _ results: Results<Hero>, _ rows: [Row], _ random: inout RepeatableRandom
    ) -> (Results<Hero>, [Row]) {
        let limit = random.below(40)
        let isAscending = random.below(2) == 0
        switch random.below(7) {
        case 0: return (results.filter("age < %@", limit), rows.filter { $0.age < limit })
        case 1: return (results.filter("rank == nil"), rows.filter { $0.rank == nil })
        case 2:
            return (
                results.filter("height >= %@", limit), rows.filter { $0.height >= Double(limit) }
            )
        case 3:
            return (
                results.sorted(byKeyPath: "age", ascending: isAscending),
                sorted(rows, isAscending) { $0.age }
            )
        case 4:
            return (
                results.sorted(byKeyPath: "rank", ascending: isAscending),
                sorted(rows, isAscending) { $0.rank ?? -1 }
            )
        case 5:
            return (
                results.sorted(byKeyPath: "name", ascending: isAscending),
                sorted(rows, isAscending) { $0.name }
            )
        default:
            var ages: Set<Int> = []
            return (results.distinct(by: ["age"]), rows.filter { ages.insert($0.age).inserted })
        }
    }

    /// Returns the rows in a stable order.
    private func sorted<Key: Comparable>(
        _ rows: [Row], _ isAscending: Bool, _ key: (Row) -> Key
    ) -> [Row] {
        rows.enumerated().sorted {
            let (a, b) = (key($0.element), key($1.element))
            if a == b { return $0.offset < $1.offset }
            return (a < b) == isAscending
        }.map(\.element)
    }

    private func check(
        _ results: Results<Hero>, _ expected: [Row], _ random: inout RepeatableRandom,
        _ comment: Comment
    ) {
        let position = expected.isEmpty ? 0 : random.below(expected.count)
        for question in 0..<7 {
            switch (question + position) % 7 {
            case 0: #expect(results.count == expected.count, comment)
            case 1: #expect(results.first?.id == expected.first?.id, comment)
            case 2: #expect(results.prefix(5).map(\.id) == expected.prefix(5).map(\.id), comment)
            case 3:
                let sum: Double = results.sum(ofProperty: "height")
                #expect(sum == expected.reduce(0) { $0 + $1.height }, comment)
            case 4:
                let least: Int? = results.min(ofProperty: "rank")
                #expect(least == expected.compactMap(\.rank).min(), comment)
                let greatest: Double? = results.max(ofProperty: "height")
                #expect(greatest == expected.map(\.height).max(), comment)
            case 5:
                let mean: Double? = results.average(ofProperty: "age")
                let ages = expected.map(\.age)
                #expect(
                    mean == (ages.isEmpty ? nil : Double(ages.reduce(0, +)) / Double(ages.count)),
                    comment)
            default:
                if !expected.isEmpty {
                    #expect(results[position].id == expected[position].id, comment)
                }
            }
        }
        #expect(results.map(\.id) == expected.map(\.id), comment)
        let last = results.index(matching: "id == %@", expected.last?.id ?? -1)
        #expect(last == expected.indices.last)
        #expect(results.last?.id == expected.last?.id, comment)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func chainsAreThoseOfArrays(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        let rows = try fill(count: [0, 30, 900, 2_600][random.below(4)], &random)
        for round in 0..<12 {
            var steps: [(Results<Hero>, [Row])] = [(realm.objects(Hero.self), rows)]
            for _ in 0..<random.below(5) {
                let (results, expected) = steps[steps.count - 1]
                steps.append(step(results, expected, &random))
            }
            let (results, expected) = steps[steps.count - 1]
            let comment: Comment = "seed \(seed), round \(round): \(results.explain())"
            check(results, expected, &random, comment)
            check(results, expected, &random, comment)
        }
    }

    @Test func whatIsOnlyCountedIsNotGathered() throws {
        var random = RepeatableRandom(seed: 1)
        try fill(count: 900, &random)
        let some = realm.objects(Hero.self).filter("height > 3").sorted(byKeyPath: "name")
        #expect(some.count > 500)
        #expect((some.sum(ofProperty: "height") as Double) > 0)
        #expect((some.max(ofProperty: "age") as Int?) == 39)
        #expect(some.first != nil && some[20].height > 3)
        #expect(!some.query.hasKeys)
        #expect(Array(some).count == some.count)
        #expect(some.query.hasKeys)
    }

    @Test func plansOfSortedResultsAreTold() throws {
        var random = RepeatableRandom(seed: 2)
        try fill(count: 2_000, &random)
        let heroes = realm.objects(Hero.self)
        let byAge = heroes.filter("height >= 0").sorted(byKeyPath: "age").explain()
        #expect(byAge.contains("sorted by age, in the order of the index\n2000 objects"))
        let byName = heroes.sorted(by: [
            SortDescriptor(keyPath: "boss.name"), SortDescriptor(keyPath: "id", ascending: false),
        ]).explain()
        #expect(byName.contains("sorted by boss.name, id descending\n2000 objects"))
        #expect(byName.contains("the first 100 alone: looked at 0 objects"))
    }
}

extension ResultsQuery {
    /// Whether the keys of all objects are in memory.
    fileprivate var hasKeys: Bool {
        let found = Mirror(reflecting: self).children.first { $0.label == "found" }
        let keys = found.flatMap { found in
            Mirror(reflecting: found.value).children.first { $0.label == "keys" }
        }
        return keys.map { !Mirror(reflecting: $0.value).children.isEmpty } ?? false
    }
}
