import Foundation
import Testing

@testable import RealmSwift

/// Tests that predicates without a meaning are refused with the documented texts, and with a
/// position.
@Suite struct RefusedPredicateTests {
    private let realm: Realm

    init() throws { realm = try temporaryRealm(heroTypes) }

    private func refusal(_ format: String, _ arguments: Any...) -> InvalidPredicate? {
        do {
            let syntax = try PredicateParser.parse(format, arguments)
            _ = try realm.objects(Hero.self)._filtered(syntax, format: format)
            return nil
        } catch { return error as? InvalidPredicate }
    }

    private static let needsAggregate =
        "Key paths that include a collection property must use aggregate operations"
    private static let needsCollection =
        "Aggregate operations can only be used on key paths that include an collection property"
    private static let subqueryCount =
        "SUBQUERY is only supported when immediately followed by .@count that is compared with a "
        + "constant number."

    private static let refusals: [(format: String, message: String)] = [
        ("x == 1", "Property 'x' not found in object of type 'Hero'"),
        ("boss.x == 1", "Property 'x' not found in object of type 'Hero'"),
        ("home.x == 1", "Property 'x' not found in object of type 'Lair'"),
        (
            "SUBQUERY(friends, $f, $f.x == 1).@count > 0",
            "Property 'x' not found in object of type 'Hero'"
        ),
        (
            "age.x == 1",
            "Invalid keypath 'age.x': Property 'Hero.age' is not a link or collection and can only "
                + "appear at the end of a keypath."
        ),
        (
            "age.@sum == 1",
            "Invalid keypath 'age.@sum': Property 'Hero.age' is not a link or collection and can "
                + "only appear at the end of a keypath."
        ),
        (
            "friends.@count.age == 1",
            "Invalid keypath 'friends.@count.age': @count must appear at the end of a keypath."
        ),
        (
            "friends.@sum.scores.@sum == 1",
            "Invalid keypath 'friends.@sum.scores.@sum': at most one collection operation per "
                + "keypath is supported."
        ),
        (
            "friends.@size == 1",
            "Invalid keypath 'friends.@size': Unsupported collection operation '@size'"
        ),
        (
            "@links.Hero.boss == 1",
            "Invalid keypath '@links.Hero.boss': Unsupported collection operation '@links'"
        ),
        (
            "friends.@avg.name == 1",
            "Invalid keypath 'friends.@avg.name': @avg can only be applied to a collection of "
                + "numeric values."
        ),
        (
            "tags.@sum == 1",
            "Invalid keypath 'tags.@sum': @sum can only be applied to a collection of numeric "
                + "values."
        ),
        (
            "friends.@sum == 1",
            "Invalid keypath 'friends.@sum': @sum on a collection of objects cannot appear at the "
                + "end of a keypath."
        ),
        (
            "scores.@sum.age == 1",
            "Invalid keypath 'scores.@sum.age': @sum on a collection of values must appear at the "
                + "end of a keypath."
        ),
        (
            "ANY scores.@allKeys == 'a'",
            "Invalid keypath 'scores.@allKeys': @allKeys must follow a dictionary property."
        ),
        ("friends.@sum.born > 1", "Cannot sum or average date properties"),
        ("friends.@avg.born > 1", "Cannot sum or average date properties"),
        ("friends.@count == 'a'", "@count can only be compared with a numeric value."),
        ("ANY traits.@allKeys == 1", "@allKeys can only be compared with a string value."),
        ("age == 'a'", "Cannot compare value 'a' of type 'String' to property 'age' of type 'int'"),
        ("name == 1", "Cannot compare value '1' of type 'Int' to property 'name' of type 'string'"),
        (
            "age == nil",
            "Cannot compare value '(null)' of type '(null)' to property 'age' of type 'int'"
        ),
        (
            "isActive == 2",
            "Cannot compare value '2' of type 'Int' to property 'isActive' of type 'bool'"
        ),
        (
            "age IN {1, 'a'}",
            "Cannot compare value 'a' of type 'String' to property 'age' of type 'int'"
        ),
        ("boss == 1", "Cannot compare value '1' of type 'Int' to property 'boss' of type 'Hero'"),
        ("age LIKE '1'", "Operator 'LIKE' not supported for type 'int'"),
        ("badge LIKE '1'", "Operator 'LIKE' not supported for type 'data'"),
        ("name MATCHES '1'", "Operator 'MATCHES' not supported for type 'string'"),
        ("isActive < TRUE", "Operator '<' not supported for type 'bool'"),
        ("name BETWEEN {'a', 'b'}", "Operator 'BETWEEN' not supported for type 'string'"),
        (
            "name LIKE[d] 'a'",
            "Operator 'LIKE' not supported with diacritic-insensitive modifier."
        ),
        ("name <[c] 'a'", "Lexicographical comparisons must be case-sensitive"),
        ("ALL friends.age == 1", "ALL modifier not supported"),
        ("friends.age == 1", needsAggregate), ("scores == 1", needsAggregate),
        ("fans.age == 1", needsAggregate), ("traits.@allValues == 1", needsAggregate),
        ("ANY age == 1", needsCollection), ("NONE boss.age == 1", needsCollection),
        ("ANY friends.@count == 1", needsCollection), ("1 IN age", needsCollection),
        ("'a' CONTAINS name", "Operator 'CONTAINS' requires a keypath on the left side."),
        ("{1, 2} BETWEEN age", "Operator 'BETWEEN' requires a keypath on the left side."),
        (
            "1 == 1",
            "Predicate expressions must compare a keypath and another keypath or a constant value"
        ),
        ("age == height", "Property type mismatch between int and double"),
        ("boss == home", "Property type mismatch between Hero and Lair"),
        (
            "friends.@count == scores.@count",
            "Key paths including aggregate operations cannot be compared with other aggregate "
                + "operations."
        ),
        ("ANY friends.age == scores", "Comparing two collection columns is not permitted."),
        ("age BETWEEN 1", "object must be of type NSArray for BETWEEN operations"),
        (
            "age BETWEEN {1, 2, 3}",
            "NSArray object must contain exactly two objects for BETWEEN operations"
        ),
        (
            "age BETWEEN rank",
            "Predicate with BETWEEN operator must compare a KeyPath with an aggregate with two "
                + "values"
        ),
        ("age IN rank", "Predicate with IN operator must compare a KeyPath with an aggregate"),
        ("age IN 1", "IN clause requires an array of items"),
        ("SUBQUERY(friends, $f, $f.age > 1) == 1", subqueryCount),
        ("SUBQUERY(friends, $f, $f.age > 1).@sum == 1", subqueryCount),
        (
            "SUBQUERY(friends, $f, $f.age > 1).@count == 'a'",
            "SUBQUERY(friends, $f, $f.age > 1).@count is only supported when compared with a "
                + "constant number."
        ),
        (
            "SUBQUERY(friends, $f, $f.age > 1).@count == age",
            "SUBQUERY(friends, $f, $f.age > 1).@count is only supported when compared with a "
                + "constant number."
        ),
        ("SUBQUERY(friends, $f, $g.age > 1).@count == 1", "Unknown variable '$g'"),
        ("$f.age > 1", "Unknown variable '$f'"),
        (
            "SUBQUERY(age, $f, $f.age > 1).@count == 1",
            "Invalid keypath 'age': SUBQUERY needs a collection of objects."
        ),
        ("SELF < %@", "Operator '<' not supported for type 'object'"),
        (
            "traits['a'].x == 1",
            "Invalid keypath 'traits[\"a\"].x': Cannot apply key path to Map subscripts."
        ),
        (
            "name['a'] == 1",
            "Invalid keypath 'name[\"a\"]': Property 'Hero.name' takes no subscript."
        ),
    ]

    @Test(arguments: refusals)
    func refused(format: String, message: String) {
        let refusal = refusal(format, Hero())
        #expect(refusal?.message == message)
        let description = refusal.map { "\($0)" } ?? ""
        #expect(description.hasPrefix("\(message) (at character "))
        #expect((refusal?.position ?? -1) < format.unicodeScalars.count)
    }

    @Test func keyPathsWithEmptyNames() {
        for (path, place) in [
            (".age", "before"), ("boss..age", "before"), ("boss.", "after last"),
            ("boss..", "before"), (".", "before"), ("@", "before"), ("", "before"),
        ] {
            #expect(
                refusal("%K == 1", path)?.message
                    == "Invalid keypath '\(path)': no key name \(place) '.'")
        }
    }

    @Test func objectsOfOtherRealms() throws {
        let other = try temporaryRealm(heroTypes)
        let hero = try other.write { other.create(Hero.self, value: ["id": 1]) }
        let message = "Object must be from the Realm being queried"
        #expect(refusal("boss == %@", hero)?.message == message)
        #expect(refusal("ANY friends == %@", hero)?.message == message)
        #expect(refusal("SELF == %@", hero)?.message == message)
        #expect(refusal("boss IN %@", [hero])?.message == message)
    }

    @Test func valuesOfUnknownTypes() {
        struct Strange { var x = 1 }
        #expect(
            refusal("age == %@", Strange())?.message
                == "Cannot compare value 'Strange(x: 1)' of type 'Strange' to property 'age' of "
                + "type 'int'")
    }

    @Test func positionsTellWhere() {
        #expect(refusal("age == 1 AND name < 3")?.position == 18)
        #expect(refusal("age == 1 AND nam == 'x'")?.position == 13)
    }

    @Test func filtersStopWithTheText() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm(heroTypes).objects(Hero.self).filter("x == 1") }
        expectStop(
            "Property 'x' not found in object of type 'Hero' (at character 1 of \"x == 1\")",
            result)
    }

    @Test func unmanagedCollectionsCannotBeFiltered() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Hero().friends.filter("age == 1") }
        expectStop(
            "This method may only be called on RLMArray instances retrieved from an RLMRealm",
            result)
    }

    @Test func collectionsOfValuesCannotBeFiltered() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm(heroTypes)
            let hero = try realm.write { realm.create(Hero.self, value: ["id": 1]) }
            _ = hero.scores.filter("SELF == 1")
        }
        expectStop(
            "Querying is currently only implemented for arrays of Realm Objects", result)
    }
}
