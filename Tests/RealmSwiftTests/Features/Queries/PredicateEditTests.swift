import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Valid predicate texts of which some characters were changed. They must be parsed and resolved,
/// or refused, and must never stop the process. `PREDICATE_EDITS` sets the number of texts.
@Suite struct PredicateEditTests {
    private static let valid = [
        "age == 30 AND (name BEGINSWITH[cd] 'A' OR rank != nil)",
        "SUBQUERY(friends, $f, $f.age > 3 AND ANY $f.tags == 'x').@count >= 1",
        "ANY friends.boss.name LIKE '?o*' OR NONE scores IN {1, 2, 3}",
        "traits['wit'] BETWEEN {1, 0x1F} && mixed[0]['a'][#any] <> 1.5e3",
        "NOT home.city ENDSWITH \"e\\u0301\" OR friends.@avg.height <= -2.5",
        "%K == %@ AND %d < age AND ANY allies.@allKeys CONTAINS 'a' AND SELF != %@",
        "alias ==[c] name OR isActive == YES OR money > 3 OR fans.@count == 0 OR TRUEPREDICATE",
        "born > %@ OR boss == %@ OR boss.boss.@count = 1 OR things.@sum = 3 "
            + "OR places.@max.size = 1",
    ]
    private static let pieces = [
        "(", ")", "{", "}", "[", "]", "'", "\"", "\\", "%", "%@", "%K", "$f", "@count", "#", ".",
        ",", " ", "AND", "NOT", "ANY", "==", "<", "IN", "nil", "age", "friends", "SUBQUERY(", "é",
        "\u{0}", "9", "-", "mixed", "SELF", "BETWEEN", "@sum", "LIKE", "home", "🙂",
    ]

    @Test func editedTextsNeverStopTheProgram() throws {
        let count =
            ProcessInfo.processInfo.environment["PREDICATE_EDITS"].flatMap(Int.init) ?? 4_000
        let realm = try temporaryRealm(heroTypes)
        let hero = try realm.write { realm.create(Hero.self, value: ["id": 1, "age": 30]) }
        let heroes = realm.objects(Hero.self)
        let arguments: [[Any?]] = [
            ["name", "x", 3, hero, Date(), hero], [1, nil, "age"], [[1, 2], Data(), hero.friends],
        ]
        var accepted = 0
        for seed in 0..<count {
            var random = RepeatableRandom(seed: UInt64(seed))
            let format = edited(Self.valid[random.below(Self.valid.count)], &random)
            do {
                let syntax = try PredicateParser.parse(
                    format, arguments[random.below(arguments.count)])
                accepted += try heroes._filtered(syntax, format: format).count >= 0 ? 1 : 0
            } catch let error as InvalidPredicate {
                #expect(error.position <= format.unicodeScalars.count, "seed \(seed): \(format)")
            }
        }
        // With fewer accepted texts the edits would be too rough to reach the resolver.
        #expect(accepted > count / 50)
    }

    /// Predicates with placeholders. The types and the number of arguments may be wrong.
    private static let placeholders = [
        "age == %@", "%d < age AND weight >= %f", "age BETWEEN %@", "age BETWEEN {%@, %@}",
        "rank IN %@", "rank IN {%@, %@, %@}", "name BEGINSWITH %@", "alias !=[cd] %@",
        "name LIKE[c] %@", "badge CONTAINS %@", "born > %@", "token == %@", "uuid <= %@",
        "money < %@", "isActive == %@", "mixed == %@", "mixed != %@", "mixed IN %@",
        "mixed BETWEEN %@", "mixed[%@][%K] == %@", "boss == %@", "boss.boss != %@", "boss IN %@",
        "boss.home.city == %@", "SELF == %@", "SELF IN %@", "ANY friends == %@", "%@ IN friends",
        "NONE friends.%K == %@", "%K == %@", "%K.%K > %@", "%K == %K", "ANY %K IN %@",
        "traits[%@] == %@", "ANY traits.@allKeys == %@", "%@ IN tags", "ANY scores IN %@",
        "friends.@count == %@", "scores.%K == %@", "friends.@min.%K < %@", "home IN %@",
        "ANY places IN %@", "%@ == %@", "%@ BETWEEN %@",
        "SUBQUERY(friends, $f, $f.%K == %@ AND $f.age > %@).@count > %@",
        "SUBQUERY(%K, $f, $f == %@).@count == %@",
    ]

    /// Returns the keys that a query finds, or its refusal with the position.
    private static func outcome(_ make: () throws -> ResultsQuery) -> String {
        do { return "\(try make().findAll().map(\.rawValue))" } catch {
            // The description of an object has addresses of temporary collections.
            return "\(error)".replacing(#/0x[0-9a-f]+/#, with: "0x")
        }
    }

    @Test func argumentsNeverStopTheProgram() throws {
        let count =
            ProcessInfo.processInfo.environment["PREDICATE_EDITS"].flatMap(Int.init) ?? 4_000
        let realm = try temporaryRealm(heroTypes)
        let heroes = realm.objects(Hero.self)
        let values = try Self.values(in: realm)
        var accepted = 0
        for seed in 0..<count {
            var random = RepeatableRandom(seed: UInt64(seed))
            let format = Self.placeholders[random.below(Self.placeholders.count)]
            let arguments = (0..<random.below(6)).map { _ in values[random.below(values.count)] }
            // Predicate texts that the Realm has cached change neither results nor refusals.
            let read = Self.outcome {
                try heroes._querySource.query().filtered(
                    PredicateParser.parse(format, arguments.map(unwrapped)), format: format)
            }
            let kept = Self.outcome {
                try heroes._querySource.filtered(format, arguments.map { $0 as Any })
            }
            #expect(read == kept, "seed \(seed): \(format)")
            do {
                let syntax = try PredicateParser.parse(format, arguments)
                accepted += try heroes._filtered(syntax, format: format).count >= 0 ? 1 : 0
            } catch let error as InvalidPredicate {
                #expect(error.position <= format.unicodeScalars.count, "seed \(seed): \(format)")
            }
        }
        // With fewer accepted predicates the arguments would not suit the placeholders.
        #expect(accepted > count / 50)
    }

    /// Returns all kinds of values that a program can pass by mistake, and names for `%K`.
    private static func values(in realm: Realm) throws -> [Any?] {
        let (hero, deleted) = try realm.write {
            let hero = realm.create(
                Hero.self, value: ["id": 1, "age": 30, "home": ["city": "Rome"]] as [String: Any])
            hero.friends.append(hero)
            hero.scores.append(objectsIn: [1, 2])
            let deleted = realm.create(Hero.self, value: ["id": 2])
            realm.delete(deleted)
            return (hero, deleted)
        }
        let other = try temporaryRealm(heroTypes)
        let foreign = try other.write { other.create(Hero.self, value: ["id": 1]) }
        let mixed: [AnyRealmValue] = [
            .none, .int(1), .bool(true), .float(0.5), .double(-.infinity), .string("a"),
            .data(Data([0])), .date(.distantPast), .object(hero), .objectId(.generate()),
            .decimal128(1), .uuid(UUID()), .fromArray([.int(1), .none]),
            .fromDictionary(["a": .int(1)]),
        ]
        let numbers: [Any] = [
            0, 1, -1, 2, Int.min, Int.max, UInt64.max, Int8.min, UInt8.max, 0.1, -0.0, Double.nan,
            Double.infinity, -Double.greatestFiniteMagnitude, Float(0.1), Float.nan, true, false,
            Decimal128(1), Decimal128.min, NSNumber(value: 3), NSNumber(value: true),
        ]
        let others: [Any?] = [
            nil, NSNull(), Int?.none as Any, Int??.some(nil) as Any, "", "a", "\u{0}", "é", "%@",
            "#any", NSString("a"), Character("a"), Data(), Data([1, 2]), Date(),
            Date.distantFuture, NSDate(), UUID(), ObjectId.generate(), [Any](), [1, 2], [1, "a"],
            [nil, 3] as [Int?], [[1], [2]], [Date.distantPast, Date()], Set(["a"]), 0..<3,
            ["a": 1], NSArray(array: [1, 2]), hero, deleted, foreign, Hero(), Lair(), hero.home,
            hero.friends, hero.rivals, hero.allies, hero.scores, hero.tags, hero.traits,
            hero.staff, realm.objects(Hero.self), [hero, deleted], Spot(city: "a"),
            GeoPoint(latitude: 0, longitude: 0), GeoBox(bottomLeft: (0, 0), topRight: (1, 1)),
            Hero.self, StringOptions.caseInsensitive, { 1 } as () -> Int,
        ]
        let paths = [
            "age", "name", "boss", "boss.name", "friends", "friends.age", "friends.@count",
            "scores", "@sum", "@max.age", "@avg", "traits", "mixed", "home.city", "SELF", "x", ".",
            "a..b", "@", "#in", "staff.boss", "@allKeys", "places",
        ]
        return mixed + numbers + others.map { $0 as Any } + paths
    }

    private func edited(_ text: String, _ random: inout RepeatableRandom) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<random.below(4) {
            let position = random.below(scalars.count + 1)
            let length = min(random.below(4), scalars.count - position)
            switch random.below(3) {
            case 0: scalars.removeSubrange(position..<position + length)
            case 1:
                let piece = Self.pieces[random.below(Self.pieces.count)]
                scalars.replaceSubrange(position..<position + length, with: piece.unicodeScalars)
            default:
                let start = random.below(scalars.count + 1)
                let end = min(scalars.count, start + random.below(12))
                scalars.insert(contentsOf: scalars[start..<end], at: position)
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
