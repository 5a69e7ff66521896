import Foundation
import Testing

@testable import RealmSwift

/// Tests of `index(matching:)` on collections that belong to no Realm.
@Suite struct UnmanagedIndexTests {
    private let friends: List<Hero>
    private let ann = Hero()

    init() {
        friends = List()
        ann.id = 1
        ann.name = "Ann"
        ann.age = 30
        ann.scores.append(objectsIn: [1, 2])
        ann.weight = 0.1
        let bob = Hero()
        bob.id = 2
        bob.name = "Bob"
        bob.age = 40
        bob.boss = ann
        bob.friends.append(objectsIn: [ann, bob])
        bob.mixed = .fromArray([.int(1), .fromDictionary(["a": .string("x")])])
        bob.traits["wit"] = 5
        bob.spots.append(Spot(city: "Rome"))
        friends.append(objectsIn: [ann, bob])
    }

    @Test(
        arguments: [
            ("age > 30", 1), ("age > 40", nil), ("boss.name == 'Ann'", 1), ("boss.name == nil", 0),
            ("boss.name != 'x'", 1), ("ANY scores == 2", 0), ("2 IN scores", 0),
            ("ANY friends.age == 30", 1), ("friends.@count == 2", 1), ("friends.@sum.age > 60", 1),
            ("SUBQUERY(friends, $f, $f.age < age).@count == 1", 1), ("weight == 0.1", 0),
            ("name BEGINSWITH[c] 'b'", 1), ("mixed[1]['a'] == 'x'", 1), ("mixed[#any] == 1", 1),
            ("traits['wit'] == 5", 1), ("ANY traits.@allKeys == 'wit'", 1), ("alias > nil", nil),
            ("NOT age IN {30}", 1), ("age BETWEEN {35, 45}", 1), ("FALSEPREDICATE", nil),
        ] as [(String, Int?)])
    func strings(_ format: String, _ position: Int?) {
        #expect(friends.index(matching: format) == position)
        #expect(friends.index(matching: NSPredicate(format: format)) == position)
    }

    @Test func otherForms() throws {
        let ann = ann
        #expect(friends.index(matching: { $0.age == 40 && $0.boss == ann }) == 1)
        #expect(friends.index(matching: { ($0.friends.age < $0.age).count == 1 }) == 1)
        #expect(friends.index(matching: { $0.boss == Hero() }) == nil)
        #expect(try friends.index(matching: #Predicate { $0.name == "Bob" }) == 1)
        #expect(friends.index(matching: "ANY spots == %@", Spot(city: "Rome")) == 1)
        #expect(friends.index(matching: "mixed == %@", [1, ["a": "x"]] as [Any] as Any) == 1)
        #expect(AnyRealmCollection(friends).index(matching: "age == 40") == 1)
        #expect(
            LinkingObjects(fromType: Hero.self, property: "boss").index(matching: "age == 1") == nil
        )
    }

    @Test func values() {
        let numbers = List<Int>()
        numbers.append(objectsIn: [3, 5, 7])
        #expect(numbers.index(matching: "SELF > 4") == 1)
        let words = MutableSet<String?>()
        words.insert(objectsIn: [nil, "x"])
        #expect(words.index(matching: "SELF == %@", "x") == Array(words).firstIndex(of: "x"))
    }
}
