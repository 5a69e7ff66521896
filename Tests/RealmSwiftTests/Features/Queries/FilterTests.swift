import Foundation
import Testing

@testable import RealmSwift

/// Tests of the objects that predicate strings find, among a few objects that differ in every
/// property.
@Suite struct FilterTests {
    private let realm: Realm

    init() throws {
        realm = try temporaryRealm(heroTypes)
        try realm.write {
            let ann = realm.create(
                Hero.self,
                value: [
                    "id": 1, "name": "Ann", "alias": "Ännchen", "age": 30, "rank": 1,
                    "height": 1.5, "weight": Float(0.1), "isActive": true, "isFamous": true,
                    "born": Date(timeIntervalSinceReferenceDate: 100),
                    "died": Date(timeIntervalSinceReferenceDate: 200),
                    "badge": Data([1, 2, 3]), "token": ObjectId("000000000000000000000001"),
                    "money": Decimal128("1.5"), "mixed": AnyRealmValue.int(1),
                    "scores": [1, 2, 3], "tags": ["x", "y"], "traits": ["wit": 5, "luck": nil],
                    "home": ["city": "Rome", "size": 3],
                    "places": [["city": "Rome"], ["city": "Oslo", "size": 1]],
                ] as [String: Any])
            let bob = realm.create(
                Hero.self,
                value: [
                    "id": 2, "name": "bob", "age": 40, "height": 2, "boss": ann,
                    "friends": [ann, ann], "rivals": [ann], "allies": ["first": ann],
                    "mixed": AnyRealmValue.string("one"), "scores": [10], "money": Decimal128(7),
                    "things": [AnyRealmValue.int(3), AnyRealmValue.string("three")],
                ] as [String: Any])
            realm.create(
                Hero.self,
                value: [
                    "id": 3, "name": "Zoë", "alias": "Ann", "age": 50, "rank": 3, "height": 3,
                    "isActive": true, "boss": bob, "friends": [bob, ann],
                    "mixed": AnyRealmValue.fromDictionary([
                        "a": .fromArray([.int(7), .string("deep")]), "b": .bool(true),
                    ]),
                ] as [String: Any])
        }
    }

    private func ids(_ format: String, _ arguments: Any...) throws -> [Int] {
        // Like `filter`, but throws errors instead of stopping the process.
        let syntax = try PredicateParser.parse(format, arguments)
        return try realm.objects(Hero.self)._filtered(syntax, format: format).map(\.id)
    }

    @Test(arguments: [
        ("age == 30", [1]), ("age != 30", [2, 3]), ("age < 40", [1]), ("age <= 40", [1, 2]),
        ("age > 40", [3]), ("age >= 40", [2, 3]), ("30 < age", [2, 3]), ("age == 30.0", [1]),
        ("age > 30.5", [2, 3]), ("age = 30.5", []), ("age BETWEEN {30, 40}", [1, 2]),
        ("age BETWEEN {30.5, 50}", [2, 3]), ("age IN {30, 50, 70}", [1, 3]), ("age IN {}", []),
        ("height > 1.5", [2, 3]), ("height == 2", [2]), ("weight == 0.1", [1]),
        ("rank == 1", [1]), ("rank != 1", [2, 3]), ("rank == nil", [2]), ("rank != nil", [1, 3]),
        ("rank < 3", [1]), ("rank IN {1, nil}", [1, 2]), ("NOT rank == 1", [2, 3]),
        ("isActive == true", [1, 3]), ("isActive != YES", [2]), ("isActive == 1", [1, 3]),
        ("isFamous == nil", [2, 3]), ("isFamous == NO", []), ("money == 1.5", [1]),
        ("money > 1", [1, 2]), ("money BETWEEN {1, 2}", [1]),
    ])
    func numbersAndBooleans(format: String, expected: [Int]) throws {
        #expect(try ids(format) == expected)
    }

    @Test(arguments: [
        ("name == 'Ann'", [1]), ("name != 'Ann'", [2, 3]), ("name ==[c] 'ANN'", [1]),
        ("name BEGINSWITH 'A'", [1]), ("name BEGINSWITH[c] 'B'", [2]), ("name ENDSWITH 'n'", [1]),
        ("name CONTAINS 'o'", [2, 3]), ("name CONTAINS[cd] 'E'", [3]), ("name LIKE '?o*'", [2, 3]),
        ("name LIKE[c] 'B?B'", [2]), ("name ==[d] 'Zoe'", [3]), ("name LIKE 'Zo?'", [3]),
        ("alias BEGINSWITH[d] 'An'", [1, 3]), ("alias == nil", [2]), ("alias != 'Ann'", [1, 2]),
        ("alias BEGINSWITH nil", []), ("alias > nil", [1, 3]), ("alias >= nil", [1, 3]),
        ("nil < alias", [1, 3]), ("alias < nil", []), ("alias <= nil", []), ("rank > nil", []),
        ("name < 'a'", [1, 3]), ("name IN {'bob', 'x'}", [2]),
        ("name IN[c] {'BOB', 'ANN'}", [1, 2]), ("alias == name", []), ("name != alias", [1, 2, 3]),
        ("name CONTAINS ''", [1, 2, 3]), ("alias CONTAINS ''", [1, 3]),
    ])
    func strings(format: String, expected: [Int]) throws {
        #expect(try ids(format) == expected)
    }

    @Test(arguments: [
        ("boss == nil", [1]), ("boss != nil", [2, 3]), ("boss.name == 'Ann'", [2]),
        ("boss.name != 'Ann'", [3]), ("boss.boss.name == 'Ann'", [3]),
        ("boss.rank == nil", [1, 3]), ("boss.rank != nil", [2]), ("boss.boss == nil", [1, 2]),
        ("NOT boss.name == 'Ann'", [1, 3]), ("home.city == 'Rome'", [1]),
        ("home.size == nil", [2, 3]), ("home == nil", [2, 3]),
        ("ANY friends.name == 'Ann'", [2, 3]), ("ANY friends.name != 'Ann'", [3]),
        ("NONE friends.name == 'Ann'", [1]), ("SOME rivals.age == 30", [2]),
        ("ANY allies.age == 30", [2]), ("ANY staff.name == 'bob'", [1]),
        ("ANY fans.age > 40", [1, 2]), ("ANY friends.boss.name == 'Ann'", [3]),
        ("ANY friends.friends.name == 'Ann'", [3]), ("ANY boss.friends.name == 'Ann'", [3]),
        ("ANY places.city == 'Oslo'", [1]), ("ANY scores == 2", [1]), ("ANY scores > 3", [2]),
        ("2 IN scores", [1]), ("ANY scores IN {2, 10}", [1, 2]), ("NONE scores == 2", [2, 3]),
        ("'x' IN tags", [1]), ("ANY tags BEGINSWITH 'y'", [1]), ("ANY traits == nil", [1]),
        ("ANY traits == 5", [1]), ("traits['wit'] == 5", [1]), ("traits['wit'] == nil", [2, 3]),
        ("ANY traits.@allKeys BEGINSWITH 'l'", [1]), ("ANY traits.@allValues > 4", [1]),
        ("ANY boss.scores == 2", [2]), ("ANY friends.age IN {30}", [2, 3]),
    ])
    func linksAndCollections(format: String, expected: [Int]) throws {
        #expect(try ids(format) == expected)
    }

    /// The first object has no boss. The second object's boss has none.
    @Test(arguments: [
        ("boss.name == nil", [1]), ("nil == boss.name", [1]), ("boss.name != nil", [2, 3]),
        ("NOT boss.name == nil", [2, 3]), ("boss.alias == nil", [1, 3]),
        ("boss.alias != nil", [2]), ("boss.alias IN {'x', nil}", [1, 3]),
        ("boss.alias IN {'x'}", []), ("NOT boss.alias IN {'x'}", [1, 2, 3]),
        ("boss.alias != 'x'", [2, 3]), ("boss.age != 30", [3]), ("boss.age < 99", [2, 3]),
        ("boss.age BETWEEN {0, 99}", [2, 3]), ("NOT boss.age BETWEEN {0, 99}", [1]),
        ("boss.name CONTAINS ''", [2, 3]), ("boss.isActive != TRUE", [3]),
        ("boss.mixed == nil", [1]), ("boss.mixed != 1", [3]),
        ("boss.boss.name == nil", [1, 2]), ("boss.boss.name != 'x'", [3]),
        ("NOT boss.boss.name != 'x'", [1, 2]), ("boss.boss.rank IN {1, nil}", [1, 2, 3]),
        ("boss.boss != nil", [3]), ("boss.boss.boss == nil", [1, 2, 3]),
        ("boss.home.size == nil", [1, 3]), ("boss.home.size != 4", [2]),
        // Comparisons of two paths.
        ("boss.alias != alias", [2, 3]), ("alias != boss.alias", [2, 3]),
        ("boss.boss.alias == alias", []), ("NOT boss.boss.alias == alias", [1, 2, 3]),
        ("boss.boss.weight == boss.weight", [1]), ("boss.boss != boss", [2, 3]),
        // A value of a map, or inside a mixed value.
        ("boss.traits['wit'] == nil", [1, 3]), ("boss.traits['wit'] != 7", [2, 3]),
        ("boss.traits['wit'] IN {5, nil}", [1, 2, 3]), ("boss.mixed['a'] == nil", [1, 2, 3]),
        ("boss.mixed['a'][0] != 7", [2, 3]), ("boss.mixed[#any] == nil", []),
        // Collections.
        ("ANY boss.scores != 99", [2, 3]), ("ANY boss.scores == nil", []),
        ("NONE boss.scores == 2", [1, 3]), ("ANY friends.boss.name != 'x'", [3]),
        ("boss.scores.@count == 0", [1]), ("boss.scores.@count != 3", [1, 3]),
        ("boss.scores.@sum == 0", [1]), ("boss.scores.@max == nil", [1]),
        ("boss.scores.@max != 3", [1, 3]),
        ("SUBQUERY(boss.friends, $f, $f.age > 0).@count == 0", [1, 2]),
    ])
    func nullLinks(format: String, expected: [Int]) throws {
        #expect(try ids(format) == expected)
    }

    @Test(arguments: [
        ("friends.@count == 2", [2, 3]), ("friends.@count == 0", [1]), ("scores.@count > 1", [1]),
        ("traits.@count == 2", [1]), ("staff.@count == 1", [1, 2]), ("fans.@count == 3", [1]),
        ("boss.friends.@count == 2", [3]), ("boss.friends.@count == 0", [1, 2]),
        ("scores.@sum == 6", [1]), ("scores.@min == 1", [1]), ("scores.@max >= 3", [1, 2]),
        ("scores.@avg == 2", [1]), ("scores.@min == nil", [3]), ("scores.@sum == 0", [3]),
        ("friends.@sum.age == 60", [2]), ("friends.@max.age > 30", [3]),
        ("friends.@avg.height == 1.75", [3]), ("friends.@min.born < %@", [2, 3]),
        ("friends.@count > rank", []),
        ("staff.@count == TRUE", [1, 2]), ("friends.@min.weight == 0.1", [2, 3]),
        ("scores.@count BETWEEN {1, 2}", [2]),
        ("SUBQUERY(friends, $f, $f.age > 30).@count > 0", [3]),
        ("SUBQUERY(friends, $f, $f.name == 'Ann' AND $f.age == 30).@count == 2", [2]),
        (
            "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.age == 30).@count > 1).@count == 1",
            [3]
        ),
        ("0 < SUBQUERY(staff, $s, $s.age == 40).@count", [1]),
    ])
    func operatorsAndSubqueries(format: String, expected: [Int]) throws {
        #expect(try ids(format, Date(timeIntervalSinceReferenceDate: 101)) == expected)
    }

    @Test(arguments: [
        ("mixed == 1", [1]), ("mixed == 1.0", [1]), ("mixed == 'one'", [2]),
        ("mixed != 1", [2, 3]),
        ("mixed BEGINSWITH[c] 'O'", [2]), ("mixed < 5", [1]), ("mixed == TRUE", []),
        ("mixed == nil", []),
        ("mixed['a'][0] == 7", [3]), ("mixed['a'][-1] == 'deep'", [3]), ("mixed['b'] == TRUE", [3]),
        ("mixed[#any][#any] == 'deep'", [3]), ("mixed[#any] == TRUE", [3]),
        ("ANY things == 3", [2]),
        ("ANY things BEGINSWITH 'th'", [2]), ("mixed['x'] == 7", []),
        ("mixed['x'] == nil", [1, 2, 3]), ("mixed['a'][0] != 7", [1, 2]),
        ("mixed[#any] == nil", []), ("things[0] == 3", [2]), ("things[-1] == 'three'", [2]),
    ])
    func mixedValues(format: String, expected: [Int]) throws {
        #expect(try ids(format) == expected)
    }

    @Test func argumentsOfAllTypes() throws {
        #expect(try ids("born > %@", Date(timeIntervalSinceReferenceDate: 50)) == [1])
        #expect(try ids("died == %@", Date(timeIntervalSinceReferenceDate: 200)) == [1])
        #expect(try ids("badge BEGINSWITH %@", Data([1, 2])) == [1])
        #expect(try ids("badge == %@", Data()) == [2, 3])
        #expect(try ids("token == %@", ObjectId("000000000000000000000001")) == [1])
        #expect(try ids("uuid == %@", UUID()) == [])
        #expect(try ids("money == %@", Decimal128("1.50")) == [1])
        #expect(try ids("%K == %@", "boss.name", "Ann") == [2])
        #expect(try ids("age IN %@", [30, 40]) == [1, 2])
        #expect(try ids("age IN %@", Set([50])) == [3])
        #expect(try ids("name == %@ OR age == %d", "bob", 50) == [2, 3])
        #expect(try ids("mixed == %@", AnyRealmValue.string("one")) == [2])
        #expect(try ids("traits[%@] == %@", "wit", 5) == [1])
        #expect(try ids("rank == %@", NSNull()) == [2])
        #expect(try ids("age == %@", NSNumber(value: 30)) == [1])
    }

    @Test func objectsAreComparedByIdentity() throws {
        let ann = try #require(realm.object(ofType: Hero.self, forPrimaryKey: 1))
        let bob = try #require(realm.object(ofType: Hero.self, forPrimaryKey: 2))
        #expect(try ids("boss == %@", ann) == [2])
        #expect(try ids("boss != %@", ann) == [1, 3])
        #expect(try ids("boss.boss != %@", bob) == [2, 3])
        #expect(try ids("boss.boss == %@", Hero()) == [])
        #expect(try ids("boss.boss != %@", Hero()) == [2, 3])
        #expect(try ids("ANY friends == %@", bob) == [3])
        #expect(try ids("%@ IN friends", ann) == [2, 3])
        #expect(try ids("SELF == %@", ann) == [1])
        #expect(try ids("SELF IN %@", [ann, bob]) == [1, 2])
        #expect(try ids("SELF IN %@", realm.objects(Hero.self).filter("age > 30")) == [2, 3])
        #expect(try ids("boss IN %@", [ann]) == [2])
        #expect(try ids("ANY staff == %@", bob) == [1])
        #expect(try ids("ANY friends == %@", Hero()) == [])
        #expect(try ids("boss == %@", Hero()) == [])
    }

    @Test func constantsAndLogic() throws {
        #expect(try ids("TRUEPREDICATE") == [1, 2, 3])
        #expect(try ids("FALSEPREDICATE") == [])
        #expect(try ids("age == 30 OR age == 40 AND name == 'x'") == [1])
        #expect(try ids("NOT (age == 30 OR age == 40)") == [3])
    }
}
