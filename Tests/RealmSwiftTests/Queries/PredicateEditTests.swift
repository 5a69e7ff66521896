import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Texts that were valid until some characters changed: they are read and resolved, or refused, and
/// never stop the program. `PREDICATE_EDITS` sets how many are tried.
@Suite struct PredicateEditTests {
    private static let valid = [
        "age == 30 AND (name BEGINSWITH[cd] 'A' OR rank != nil)",
        "SUBQUERY(friends, $f, $f.age > 3 AND ANY $f.tags == 'x').@count >= 1",
        "ANY friends.boss.name LIKE '?o*' OR NONE scores IN {1, 2, 3}",
        "traits['wit'] BETWEEN {1, 0x1F} && mixed[0]['a'][#any] <> 1.5e3",
        "NOT home.city ENDSWITH \"e\\u0301\" OR friends.@avg.height <= -2.5",
        "%K == %@ AND %d < age AND ANY allies.@allKeys CONTAINS 'a' AND SELF != %@",
        "alias ==[c] name OR isActive == YES OR money > 3 OR fans.@count == 0 OR TRUEPREDICATE",
        "born > %@ OR boss == %@ OR boss.boss.@count = 1 OR things.@sum = 3 OR places.@max.size = 1",
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
        // Or else the edits are too rough to reach the resolver.
        #expect(accepted > count / 50)
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
