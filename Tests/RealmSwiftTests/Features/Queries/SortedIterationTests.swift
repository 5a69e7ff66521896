import StressModel
import Testing
import ToolSupport

@testable import RealmSwift

/// Tests of iteration over many objects in an order other than that of their keys. The next objects
/// are found in advance, while one is used and others change.
@Suite struct SortedIterationTests {
    private let realm: Realm
    /// Ids in the order of `rank` descending, then `name`.
    private let order: [Int]

    private static let count = 4_000

    init() throws {
        let realm = try temporaryRealm(heroTypes)
        self.realm = realm
        var random = RepeatableRandom(seed: 5)
        var rows: [(id: Int, rank: Int?, name: String)] = []
        for id in 0..<Self.count {
            rows.append(
                (id, random.below(5) == 0 ? nil : random.below(1_000), "\(random.below(9_000))"))
        }
        try realm.write {
            for row in rows {
                realm.create(
                    Hero.self,
                    value: ["id": row.id, "name": row.name, "rank": row.rank as Any])
            }
        }
        order = rows.sorted {
            let (left, right) = ($0.rank ?? -1, $1.rank ?? -1)
            if left != right { return left > right }
            return $0.name != $1.name ? $0.name < $1.name : $0.id < $1.id
        }.map(\.id)
    }

    private var heroes: Results<Hero> {
        realm.objects(Hero.self).sorted(by: [
            SortDescriptor(keyPath: "rank", ascending: false), SortDescriptor(keyPath: "name"),
        ])
    }

    @Test func allAreVisitedInOrder() {
        #expect(heroes.map(\.id) == order)
        // An accessor that is kept is not reused for the next object.
        #expect(Array(heroes).map(\.id) == order)
    }

    /// Each thread makes its own map of the leaves.
    @Test func manyThreadsVisitFrozenObjectsInOrder() throws {
        let frozen = Handed(heroes.freeze())
        let threads = (0..<4).map { _ in BackgroundThread { _ in frozen.value.map(\.id) } }
        for thread in threads { #expect(try thread.finish() == order) }
    }

    @Test func theDeletedArePassedOver() throws {
        var random = RepeatableRandom(seed: 9)
        var deleted: Set<Int> = []
        var visited: [Int] = []
        var position = -1
        try realm.write {
            for hero in heroes {
                visited.append(hero.id)
                repeat { position += 1 } while order[position] != hero.id
                // Deletes only later in the iteration, when objects have been found in advance.
                guard position > 500, random.below(10) == 0 else { continue }
                let next = position + 1 + random.below(40)
                guard next < order.count, deleted.insert(order[next]).inserted else { continue }
                realm.delete(realm.object(ofType: Hero.self, forPrimaryKey: order[next])!)
            }
        }
        #expect(visited == order.filter { !deleted.contains($0) })
        #expect(deleted.count > 100)
    }

    @Test func changesMeanwhileAreSeen() throws {
        var names: [String] = []
        for (position, hero) in heroes.enumerated() {
            if position == 1_000 {
                // Longer names, so that rows move.
                try realm.write {
                    for id in order[1_010..<1_020] {
                        realm.object(ofType: Hero.self, forPrimaryKey: id)!.name =
                            "a name that is much longer than it was"
                    }
                    for id in order[1_005..<1_008] {
                        realm.delete(realm.object(ofType: Hero.self, forPrimaryKey: id)!)
                    }
                }
            }
            if (1_000..<1_030).contains(position) { names.append(hero.name) }
        }
        #expect(names.count == 30)
        #expect(names.filter { $0.hasPrefix("a name") }.count == 10)
        #expect(realm.objects(Hero.self).count == Self.count - 3)
    }

    @Test func listsInAnyOrderAreFollowed() throws {
        let friends = heroes.map { $0 }
        let hero = friends[7]
        try realm.write { hero.friends.append(objectsIn: friends) }
        #expect(hero.friends.map(\.id) == order)
    }
}
