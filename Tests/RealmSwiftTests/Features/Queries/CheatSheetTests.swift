import Foundation
import RealmSwift
import Testing

// The cheat sheet of predicates in chapter 5 of the book, line by line.

private enum CheatSheet {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var age: Int
        @Persisted var hairCount: Int
        @Persisted var deceased: Date?
    }

    class Article: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String?
        @Persisted var people: List<Person>
    }
}

@Suite struct CheatSheetTests {
    private let realm: Realm

    init() throws {
        realm = try temporaryRealm([CheatSheet.Person.self, CheatSheet.Article.self])
        let names = [
            1: ("John", "Johnson", 26), 2: ("John", "Tanner", 30), 3: ("Jane", "Johansson", 26),
            4: ("Frank", "Jonsen", 18), 5: ("SARAJ", "Fullér", 68), 6: ("Dörte", "Mason", 69),
            7: ("john", "Jon", 17),
        ]
        try realm.write {
            for (id, (firstName, lastName, age)) in names {
                realm.create(
                    CheatSheet.Person.self,
                    value: [
                        "id": id, "firstName": firstName, "lastName": lastName, "age": age,
                        "hairCount": age * 100, "deceased": id == 3 ? Date() : nil,
                    ] as [String: Any?])
            }
            for (id, people) in [(1, [4]), (2, [4, 1]), (3, [1, 3]), (4, [])] {
                realm.create(
                    CheatSheet.Article.self,
                    value: [
                        "id": id, "title": id == 1 ? nil : "Frank", "people": people.map(person),
                    ] as [String: Any?])
            }
        }
    }

    private func person(_ id: Int) -> CheatSheet.Person? {
        realm.object(ofType: CheatSheet.Person.self, forPrimaryKey: id)
    }

    private func ids(_ people: Results<CheatSheet.Person>) -> [Int] { people.map(\.id).sorted() }

    /// `[property == %d] filter("age == %d", 30)`,
    /// `[%K == %d] filter("%K == %d", "age", 30)`.
    @Test func predicateReplacements() {
        let people = realm.objects(CheatSheet.Person.self)
        #expect(ids(people.filter("age == %d", 30)) == [2])
        #expect(ids(people.filter("%K == %d", "age", 30)) == [2])
    }

    @Test(arguments: [
        // [==], [!=], [>, >=], [<, <=]
        ("firstName == 'John'", [1, 2]), ("firstName != 'John'", [3, 4, 5, 6, 7]),
        ("age > 30", [5, 6]), ("age >= 30", [2, 5, 6]), ("age < 30", [1, 3, 4, 7]),
        ("age <= 30", [1, 2, 3, 4, 7]),
        // [IN], [BETWEEN]
        ("id IN [1, 2, 3]", [1, 2, 3]), ("age BETWEEN {18, 68}", [1, 2, 3, 4, 5]),
    ])
    func comparisonOperators(line: String, expected: [Int]) {
        #expect(ids(realm.objects(CheatSheet.Person.self).filter(line)) == expected)
    }

    @Test(arguments: [
        ("age == 26 AND firstName == 'John'", [1]),
        ("age == 26 OR firstName == 'John'", [1, 2, 3]),
        ("NOT firstName == 'John'", [3, 4, 5, 6, 7]),
    ])
    func logicOperators(line: String, expected: [Int]) {
        #expect(ids(realm.objects(CheatSheet.Person.self).filter(line)) == expected)
    }

    @Test(arguments: [
        ("firstName BEGINSWITH 'J'", [1, 2, 3]), ("firstName CONTAINS 'J'", [1, 2, 3, 5]),
        ("lastName ENDSWITH 'er'", [2]), ("lastName LIKE 'J*on'", [1, 3, 7]),
        // "In the search pattern a ? matches one symbol of any kind and * zero or more."
        ("lastName LIKE 'J?n'", [7]), ("lastName LIKE 'J?*on'", [1, 3]),
        ("lastName LIKE '*s?n'", [1, 3, 4, 6]),
    ])
    func stringOperators(line: String, expected: [Int]) {
        #expect(ids(realm.objects(CheatSheet.Person.self).filter(line)) == expected)
    }

    /// "All operators above can be modified with [c] and [d]"; but LIKE does not take [d], and the
    /// ordering operators take neither.
    @Test(arguments: [
        ("firstName ==[c] 'JOHN'", [1, 2, 7]), ("firstName !=[c] 'JOHN'", [3, 4, 5, 6]),
        ("firstName IN[c] {'JOHN', 'x'}", [1, 2, 7]),
        ("firstName BEGINSWITH[c] 'j'", [1, 2, 3, 7]),
        ("firstName CONTAINS[c] 'j'", [1, 2, 3, 5, 7]),
        ("lastName ENDSWITH[c] 'ON'", [1, 3, 6, 7]), ("lastName LIKE[c] 'j?N'", [7]),
        ("lastName ENDSWITH[d] 'er'", [2, 5]), ("lastName CONTAINS[d] 'lèr'", [5]),
        ("firstName BEGINSWITH[d] 'Dor'", [6]), ("firstName ==[d] 'Dôrte'", [6]),
        ("firstName !=[d] 'Dôrte'", [1, 2, 3, 4, 5, 7]), ("firstName CONTAINS[cd] 'ÖR'", [6]),
    ])
    func modifiedStringOperators(line: String, expected: [Int]) {
        #expect(ids(realm.objects(CheatSheet.Person.self).filter(line)) == expected)
    }

    @Test(arguments: [
        ("ANY people.firstName == 'Frank'", [1, 2]), ("NONE people.firstName == 'Frank'", [3, 4]),
        ("people.@count == 2", [2, 3]),
    ])
    func aggregateOperators(line: String, expected: [Int]) {
        let articles = realm.objects(CheatSheet.Article.self).filter(line)
        #expect(articles.map(\.id).sorted() == expected)
    }

    /// The predicates of "Filtering", "More advanced predicates" and "Sub-query predicates".
    @Test func samplesOfTheChapter() {
        let people = realm.objects(CheatSheet.Person.self)
        #expect(ids(people.filter("deceased = nil")) == [1, 2, 4, 5, 6, 7])
        let balding = NSPredicate(format: "hairCount < %d AND deceased = nil", 2_700)
        #expect(ids(people.filter(balding)) == [1, 4, 7])
        let named = NSPredicate(format: "%K < %d AND %K = nil", "hairCount", 2_700, "deceased")
        #expect(ids(people.filter(named)) == [1, 4, 7])
        #expect(ids(people.filter("firstName IN %@", ["Jane", "Frank"])) == [3, 4])
        #expect(ids(people.filter("hairCount BETWEEN {%d, %d}", 1_800, 3_000)) == [1, 2, 3, 4])
        let search = people.filter(
            """
            firstName BEGINSWITH %@ OR
            (lastName CONTAINS %@ AND hairCount > %d)
            """,
            "J", "as", 3_000)
        #expect(ids(search) == [1, 2, 3, 6])
        let articles = realm.objects(CheatSheet.Article.self).filter(
            """
            title != nil AND
            people.@count > 0 AND
            SUBQUERY(people, $person,
            $person.firstName BEGINSWITH %@ AND
            $person.age > %@).@count > 0
            """, "Frank", 17)
        #expect(articles.map(\.id) == [2])
    }
}
