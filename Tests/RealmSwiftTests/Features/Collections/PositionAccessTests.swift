import RealmSwift
import Testing
import ToolSupport

/// Tests of access to results by position, mostly in sequence, while their contents change. A model
/// gives the expected object at each position.
@Suite struct PositionAccessTests {
    private let directory = TestDirectory()

    /// Ranks by identifier, as in the Realm.
    private typealias Model = [Int: Int]

    private final class Ranked: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var rank: Int
        @Persisted var text: String
    }

    private static func text(_ rank: Int) -> String {
        "\(rank) \(String(repeating: "x", count: rank % 70))"
    }

    /// Adds, changes or deletes an object in the open write transaction.
    private static func change(
        _ realm: Realm, _ model: inout Model, _ generator: inout SeededGenerator
    ) {
        let id = Int.random(in: 0..<4000, using: &generator)
        let rank = Int.random(in: 0..<1_000_000, using: &generator)
        if let ranked = realm.object(ofType: Ranked.self, forPrimaryKey: id) {
            if rank % 3 == 0 {
                realm.delete(ranked)
                model[id] = nil
                return
            }
            ranked.rank = rank
            ranked.text = text(rank)
        } else {
            realm.create(Ranked.self, value: ["id": id, "rank": rank, "text": text(rank)])
        }
        model[id] = rank
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func findTheObjectsThatAreThereNow(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let configuration = directory.configuration([Ranked.self])
        let realm = try Realm(configuration: configuration)
        var model: Model = [:]
        try realm.write { for _ in 0..<3000 { Self.change(realm, &model, &generator) } }
        let results = realm.objects(Ranked.self).filter("rank >= 200000")
            .sorted(by: [SortDescriptor(keyPath: "rank"), SortDescriptor(keyPath: "id")])
        func sorted(_ model: Model) -> [Int] {
            model.filter { $0.value >= 200_000 }
                .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        }

        var expected = sorted(model)
        var position = 0
        var kept: [(object: Ranked, id: Int)] = []
        for _ in 0..<400 {
            for _ in 0..<Int.random(in: 1..<60, using: &generator) where position < expected.count {
                let (object, id) = (results[position], expected[position])
                try #require(object.id == id, "seed \(seed), position \(position)")
                #expect(object.rank == model[id] && object.text == Self.text(object.rank))
                if position % 50 == 0 { kept.append((object, id)) }
                position += 1
            }
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                try realm.write { Self.change(realm, &model, &generator) }
            case 1:
                // Checks inside the transaction. It is rolled back afterwards.
                var changed = model
                realm.beginWrite()
                for _ in 0..<5 { Self.change(realm, &changed, &generator) }
                let during = sorted(changed)
                let first = min(position, during.count)
                for place in first..<min(first + 30, during.count) {
                    try #require(results[place].id == during[place], "seed \(seed)")
                }
                realm.cancelWrite()
            case 2:
                let (before, start) = (model, generator)
                (model, generator) = try runThread {
                    var (changed, random) = (before, start)
                    let other = try Realm(configuration: configuration)
                    try other.write { Self.change(other, &changed, &random) }
                    return (changed, random)
                }
                realm.refresh()
            default:
                position = Int.random(in: 0...expected.count, using: &generator)
            }
            expected = sorted(model)
            position = min(position, expected.count)
            if position == expected.count { position = 0 }
        }
        for (object, id) in kept where !object.isInvalidated {
            #expect(object.id == id && object.rank == model[id])
        }
    }

    /// A slice of a collection reads one position after the other.
    @Test func slicesShowTheirPart() throws {
        let realm = try directory.realm([Ranked.self])
        try realm.write {
            for id in 0..<3000 {
                let rank = id * 7919 % 3000
                realm.create(Ranked.self, value: ["id": id, "rank": rank, "text": Self.text(rank)])
            }
        }
        let results = realm.objects(Ranked.self).sorted(byKeyPath: "rank")
        #expect(results.prefix(200).map(\.rank) == Array(0..<200))
        #expect(results.dropFirst(1000).prefix(500).map(\.rank) == Array(1000..<1500))
        #expect(results.suffix(40).map(\.text) == (2960..<3000).map(Self.text))
        #expect(results.reversed().prefix(100).map(\.rank) == (2900..<3000).reversed())
    }
}
