import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Tests of the parser, by the normal form of the parsed predicate.
@Suite struct PredicateParserTests {
    private func normalForm(_ format: String, _ arguments: Any?...) throws -> String {
        try PredicateParser.parse(format, arguments).description
    }

    private func refusal(_ format: String, _ arguments: Any?...) -> InvalidPredicate? {
        do {
            _ = try PredicateParser.parse(format, arguments)
            return nil
        } catch { return error as? InvalidPredicate }
    }

    @Test(arguments: [
        ("age = 3", "age == 3"), ("age <> 3", "age != 3"), ("age =< 3", "age <= 3"),
        ("age => 3", "age >= 3"), ("a beginswith 'x'", "a BEGINSWITH \"x\""),
        ("a CONTAINS[cd] \"x\"", "a CONTAINS[cd] \"x\""), ("a LIKE[c] 'J*'", "a LIKE[c] \"J*\""),
        ("age BETWEEN {1, 2}", "age BETWEEN {1, 2}"), ("id IN [1, 2]", "id IN {1, 2}"),
        ("a IN {}", "a IN {}"), ("a == yes", "a == TRUE"), ("a != nil", "a != NULL"),
        ("SOME a.b == 1", "ANY a.b == 1"), ("none a.b == 1", "NONE a.b == 1"),
        ("ALL a.b == 1", "ALL a.b == 1"), ("1 < age", "1 < age"), ("SELF == 1", "SELF == 1"),
        ("a.b.@avg.c > 1.5", "a.b.@avg.c > 1.5"), ("TRUEPREDICATE", "TRUEPREDICATE"),
        ("map['a b'] == 1", "map[\"a b\"] == 1"), ("any_[0][#any] == 1", "any_[0][#any] == 1"),
    ])
    func operatorsAndOperandsAreRead(format: String, expected: String) throws {
        #expect(try normalForm(format) == expected)
        #expect(try normalForm(expected) == expected)
    }

    @Test func andBindsMoreTightlyThanOr() throws {
        #expect(try normalForm("a == 1 OR b == 2 AND c == 3") == "a == 1 OR (b == 2 AND c == 3)")
        #expect(try normalForm("(a == 1 || b == 2) && c == 3") == "(a == 1 OR b == 2) AND c == 3")
    }

    @Test func notConcernsWhatFollowsItOnly() throws {
        #expect(try normalForm("NOT a == 1 AND b == 2") == "NOT a == 1 AND b == 2")
        #expect(try normalForm("!(a == 1 AND b == 2)") == "NOT (a == 1 AND b == 2)")
        #expect(try normalForm("NOT NOT a == 1") == "a == 1")
    }

    @Test func argumentsTakeThePlacesOfPlaceholders() throws {
        #expect(try normalForm("%K == %@ AND b > %d", "a.b", "x", 3) == "a.b == \"x\" AND b > 3")
        #expect(try normalForm("a IN {%@, %lld, %f}", 1, 2, 0.5) == "a IN {1, 2, 0.5}")
        #expect(try normalForm("a[%@] == nil", "k") == "a[\"k\"] == NULL")
        #expect(try normalForm("a[%K] == 1", "#any") == "a[#any] == 1")
        #expect(try normalForm("a == %@", nil) == "a == NULL")
    }

    @Test func placeholdersInQuotesAreText() throws {
        #expect(try normalForm("a == '%@'") == "a == \"%@\"")
    }

    @Test func argumentsThatAreLeftOverAreIgnored() throws {
        #expect(try normalForm("a == 1", 2) == "a == 1")
    }

    @Test func numbersAreReadInAllTheirForms() throws {
        #expect(try normalForm("a IN {-5, 0x1f, 1.5e3, 2E-1}") == "a IN {-5, 31, 1500.0, 0.2}")
        #expect(try normalForm("a == 99999999999999999999") == "a == 1e+20")
    }

    @Test func stringsKnowEscapes() throws {
        guard
            case .comparison(let comparison) = try PredicateParser.parse(
                #"a == 'x\'\n\x41\u00e9'"#),
            case .value(let value) = comparison.right
        else {
            Issue.record("not a comparison with a value")
            return
        }
        #expect(value as? String == "x'\nAé")
    }

    @Test func reservedWordsAreNamesAfterAHash() throws {
        #expect(try normalForm("#in == 1 AND a.#any == 2") == "#in == 1 AND a.#any == 2")
        #expect(refusal("in == 1") != nil)
    }

    @Test func namesMayBeOfAnyScript() throws {
        #expect(try normalForm("größe > 1 AND 名前 == 'x'") == "größe > 1 AND 名前 == \"x\"")
    }

    @Test func subqueriesAreRead() throws {
        let text = "SUBQUERY(people, $p, $p.age > 3 AND $p.name == \"x\").@count > 0"
        #expect(try normalForm(text) == text)
        #expect(
            try normalForm("(SUBQUERY(list, $col1, ($col1.intCol > %@)).@count > %@)", 1, 2)
                == "SUBQUERY(list, $col1, $col1.intCol > 1).@count > 2")
    }

    @Test(arguments: [
        ("age >", 5), ("age > 3 name == 'x'", 8), ("a..b == 1", 2), ("a == 'x", 5),
        ("3abc == 1", 0), ("a == 1 AND", 10), ("(a == 1", 7), ("a == 1)", 6), ("a == ?", 5),
        ("a ~ 1", 2), ("a == %@", 5), ("a == %z", 5), ("a CONTAINS[x] 'y'", 11), ("", 0),
        ("a IN {b}", 6), ("CAST(1, 'x') == a", 0), ("SUBQUERY(a, b, c == 1).@count > 1", 12),
    ])
    func mistakesAreReportedWhereTheyAre(format: String, position: Int) throws {
        let error = try #require(refusal(format))
        #expect(error.position == position, "\(error)")
        // An empty text has no position to show.
        let place = "at character \(position + 1) of"
        #expect(format.isEmpty || error.description.contains(place))
    }

    @Test func wrongArgumentsAreReported() throws {
        #expect(refusal("a == %d", "x")?.message.contains("takes a number") == true)
        #expect(refusal("%K == 1", 5)?.message.contains("takes a key path") == true)
        #expect(refusal("a == %@ AND b == %@", 1)?.message.contains("more placeholders") == true)
    }

    /// Each text has hundreds of thousands of characters. The stack must not grow with them, and
    /// the time at most linearly.
    @Test(arguments: [
        "(", "NOT ", "{", "[", "a==SUBQUERY(b,$x,", "a.", "((a == 1)", "'\\", "a[", "!(", "a == ((",
    ])
    func depthIsBounded(unit: String) {
        #expect(refusal(String(repeating: unit, count: 100_000)) != nil)
    }

    @Test(arguments: 1...20)
    func noInputStopsTheProgram(seed: Int) throws {
        let words = [
            "(", ")", "{", "}", "[", "]", ".", ",", "==", "<", "IN", "AND", "NOT", "OR", "a", "$x",
            "@count", "SUBQUERY", "%@", "%K", "%d", "'s'", "1", "-2.5", "NULL", "ANY", "SELF",
            "#any", "!", "[c]", "BETWEEN", "é", "\u{301}", "\\", "'", "%", "$", "#", "\0",
        ]
        var random = RepeatableRandom(seed: UInt64(seed))
        for _ in 0..<2_000 {
            let count = Int(random.next() % 15)
            let separator = random.next() % 2 == 0 ? " " : ""
            let format = (0..<count).map { _ in words[Int(random.next() % UInt64(words.count))] }
                .joined(separator: separator)
            guard let predicate = try? PredicateParser.parse(format, ["x", 3, nil]) else {
                continue
            }
            // The normal form must be parsed as the same predicate.
            let text = predicate.description
            #expect(try normalForm(text) == text, "seed \(seed): \(format)")
        }
    }
}
