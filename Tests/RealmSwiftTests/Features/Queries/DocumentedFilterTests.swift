import Foundation
import Testing

@testable import RealmSwift

// "Filtering" of the documentation, line by line.

private enum Filtering {
    class Dog: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var color: String
    }

    class Student: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String?
        @Persisted var age: Int
        @Persisted var best: Int
        @Persisted var isTall: Bool
        @Persisted var isQuick: Bool?
        @Persisted var photo: Data
        @Persisted var school: School?
        @Persisted(originProperty: "student") var schools: LinkingObjects<School>
    }

    class School: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var head: Student?
        @Persisted var student: List<Student>
    }

    class Measured: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var int: Int
        @Persisted var int8: Int8
        @Persisted var int16: Int16
        @Persisted var int32: Int32
        @Persisted var int64: Int64
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var date: Date
    }

    static let types: [ObjectBase.Type] = [
        Dog.self, Student.self, School.self, Measured.self,
    ]
}

@Suite struct DocumentedFilterTests {
    private let realm: Realm

    init() throws {
        realm = try temporaryRealm(Filtering.types)
        try realm.write {
            for (id, name, color) in [
                (1, "Bello", "tan"), (2, "Rex", "tan"), (3, "Bo", "black"),
            ] {
                realm.create(Filtering.Dog.self, value: [id, name, color] as [Any])
            }
            let students: [(name: String?, age: Int, best: Int)] = [
                ("Jane", 20, 45), ("étoile", 32, 32), ("JACK", 45, 20), (nil, 45, 50),
            ]
            for (index, student) in students.enumerated() {
                realm.create(
                    Filtering.Student.self,
                    value: [
                        "id": index + 1, "name": student.name as Any, "age": student.age,
                        "best": student.best, "isTall": index < 2,
                        "isQuick": (index < 3 ? index == 0 : nil) as Any,
                        "photo": Data([1, UInt8(index), 3]),
                    ] as [String: Any])
            }
            for (id, head, members) in [(1, 1, [1, 2, 4]), (2, nil, [3]), (3, nil, [])] {
                let school = realm.create(Filtering.School.self, value: ["id": id])
                school.head = head.flatMap(student)
                for member in members.compactMap(student) {
                    school.student.append(member)
                    member.school = school
                }
            }
            for id in 1...3 {
                let names = ["int", "int8", "int16", "int32", "int64", "float", "double"]
                var values: [String: Any] = Dictionary(uniqueKeysWithValues: names.map { ($0, id) })
                values["id"] = id
                values["date"] = Date(timeIntervalSinceReferenceDate: Double(id))
                realm.create(Filtering.Measured.self, value: values)
            }
        }
    }

    private func student(_ id: Int) -> Filtering.Student? {
        realm.object(ofType: Filtering.Student.self, forPrimaryKey: id)
    }

    private func students(_ format: String, _ arguments: Any...) throws -> [Int] {
        // Like `filter`, but throws errors instead of stopping the process.
        let syntax = try PredicateParser.parse(format, arguments)
        return try realm.objects(Filtering.Student.self)._filtered(syntax, format: format).map(\.id)
    }

    private func schools(_ format: String, _ arguments: Any...) throws -> [Int] {
        let syntax = try PredicateParser.parse(format, arguments)
        return try realm.objects(Filtering.School.self)._filtered(syntax, format: format).map(\.id)
    }

    private func refusal(_ find: () throws -> [Int]) -> String? {
        do {
            _ = try find()
            return nil
        } catch { return (error as? InvalidPredicate)?.message }
    }

    /// "Objects, Realm, List, and Results all provide methods that allow you to query".
    @Test func samples() throws {
        // Query using a predicate string
        var tanDogs = realm.objects(Filtering.Dog.self)
            .filter("color = 'tan' AND name BEGINSWITH 'B'")
        #expect(tanDogs.map(\.id) == [1])
        // Query using an NSPredicate
        let predicate = NSPredicate(
            format: "color = %@ AND name BEGINSWITH %@", "tan", "B")
        tanDogs = realm.objects(Filtering.Dog.self).filter(predicate)
        #expect(tanDogs.map(\.id) == [1])
        let list = try #require(realm.objects(Filtering.School.self).first).student
        #expect(list.filter("age > 30").map(\.id) == [2, 4])
        #expect(list.filter("age > 30").filter("age < 40").map(\.id) == [2])
    }

    /// "The comparison operands can be property names or constants. At least one of the operands
    /// must be a property name."
    @Test func operands() throws {
        #expect(try students("age == 45") == [3, 4])
        #expect(try students("45 == age") == [3, 4])
        #expect(try students("age == best") == [2])
        #expect(
            refusal { try students("45 == 45") }
                == "Predicate expressions must compare a keypath and another keypath or a constant "
                + "value")
    }

    /// "The comparison operators ==, <=, <, >=, >, !=, and BETWEEN are supported for Int, Int8,
    /// Int16, Int32, Int64, Float, Double and Date property types, e.g. age == 45".
    @Test(arguments: ["int", "int8", "int16", "int32", "int64", "float", "double", "date"])
    func comparisons(property: String) throws {
        func value(_ number: Int) -> Any {
            property == "date" ? Date(timeIntervalSinceReferenceDate: Double(number)) : number
        }
        func ids(_ operation: String, _ right: Any) -> [Int] {
            realm.objects(Filtering.Measured.self).filter("\(property) \(operation) %@", right)
                .map(\.id)
        }
        #expect(ids("==", value(2)) == [2])
        #expect(ids("<=", value(2)) == [1, 2])
        #expect(ids("<", value(2)) == [1])
        #expect(ids(">=", value(2)) == [2, 3])
        #expect(ids(">", value(2)) == [3])
        #expect(ids("!=", value(2)) == [1, 3])
        #expect(ids("BETWEEN", [value(2), value(5)]) == [2, 3])
    }

    /// "Identity comparisons ==, !=, e.g. Results<Employee>().filter("company == %@", company)."
    @Test func identity() throws {
        let school = try #require(
            realm.object(ofType: Filtering.School.self, forPrimaryKey: 2))
        #expect(try students("school == %@", school) == [3])
        #expect(try students("school != %@", school) == [1, 2, 4])
    }

    /// "The comparison operators == and != are supported for boolean properties."
    @Test func booleans() throws {
        #expect(try students("isTall == TRUE") == [1, 2])
        #expect(try students("isTall == false") == [3, 4])
        #expect(try students("isTall != true") == [3, 4])
        #expect(try students("isTall == %@", true) == [1, 2])
        #expect(try students("isQuick == NO") == [2, 3])
        #expect(try students("isQuick != YES") == [2, 3, 4])
        #expect(
            refusal { try students("isTall > FALSE") }
                == "Operator '>' not supported for type 'bool'")
    }

    /// "For String and Data properties, the ==, !=, BEGINSWITH, CONTAINS, and ENDSWITH operators
    /// are supported, e.g. name CONTAINS 'Ja'".
    @Test func partsOfStringsAndData() throws {
        #expect(try students("name == 'Jane'") == [1])
        #expect(try students("name != 'Jane'") == [2, 3, 4])
        #expect(try students("name BEGINSWITH 'J'") == [1, 3])
        #expect(try students("name CONTAINS 'Ja'") == [1])
        #expect(try students("name ENDSWITH 'e'") == [1, 2])
        #expect(try students("photo == %@", Data([1, 2, 3])) == [3])
        #expect(try students("photo != %@", Data([1, 2, 3])) == [1, 2, 4])
        #expect(try students("photo BEGINSWITH %@", Data([1, 1])) == [2])
        #expect(try students("photo CONTAINS %@", Data([3])) == [1, 2, 3, 4])
        #expect(try students("photo ENDSWITH %@", Data([3, 3])) == [4])
    }

    /// "For String properties, the LIKE operator may be used [...]: ? and * are allowed as wildcard
    /// characters, where ? matches 1 character and * matches 0 or more characters. Example: value
    /// LIKE '?bc*' matching strings like "abcde" and "cbc"."
    @Test func wildcards() throws {
        try realm.write {
            for (id, name) in [(4, "abcde"), (5, "cbc"), (6, "bc"), (7, "aabc"), (8, "ébc")] {
                realm.create(Filtering.Dog.self, value: [id, name, ""] as [Any])
            }
        }
        let dogs = realm.objects(Filtering.Dog.self).filter("name LIKE '?bc*'")
        #expect(dogs.map(\.id) == [4, 5, 8])
        #expect(
            refusal { try students("photo LIKE '?'") }
                == "Operator 'LIKE' not supported for type 'data'")
    }

    /// "Case-insensitive comparisons for strings, such as name CONTAINS[c] 'Ja'. Note that only
    /// characters "A-Z" and "a-z" will be ignored for case. The [c] modifier can be combined with
    /// the [d] modifier."
    @Test func caseInsensitive() throws {
        #expect(try students("name CONTAINS[c] 'Ja'") == [1, 3])
        #expect(try students("name BEGINSWITH[c] 'ÉT'") == [])
        #expect(try students("name ENDSWITH[c] 'TOILE'") == [2])
        #expect(try students("name BEGINSWITH[cd] 'ÊT'") == [2])
    }

    /// "Diacritic-insensitive comparisons for strings, such as name BEGINSWITH[d] 'e' matching
    /// étoile. This modifier can be combined with the [c] modifier."
    @Test func diacriticInsensitive() throws {
        #expect(try students("name BEGINSWITH[d] 'e'") == [2])
        #expect(try students("name BEGINSWITH 'e'") == [])
        #expect(try students("name BEGINSWITH[d] 'E'") == [])
        #expect(try students("name BEGINSWITH[cd] 'E'") == [2])
    }

    /// "Realm supports the following compound operators: "AND", "OR", and "NOT", e.g. name
    /// BEGINSWITH 'J' AND age >= 32."
    @Test func compounds() throws {
        #expect(try students("name BEGINSWITH 'J' AND age >= 32") == [3])
        #expect(try students("name BEGINSWITH 'J' OR age >= 32") == [1, 2, 3, 4])
        #expect(try students("NOT name BEGINSWITH 'J'") == [2, 4])
    }

    /// "The containment operand IN, e.g. name IN {'Lisa', 'Spike', 'Hachi'}".
    @Test func containment() throws {
        #expect(try students("name IN {'Jane', 'Spike', 'JACK'}") == [1, 3])
        #expect(try students("name IN %@", ["étoile", "Hachi"]) == [2])
        #expect(try students("name IN {'Lisa', nil}") == [4])
    }

    /// "Nil comparisons ==, !=, e.g. Results<Company>().filter("ceo == nil"). Note that Realm
    /// treats nil as a special value rather than the absence of a value; unlike with SQL, nil
    /// equals itself."
    @Test func nilComparisons() throws {
        #expect(try schools("head == nil") == [2, 3])
        #expect(try schools("head != nil") == [1])
        #expect(try students("name == nil") == [4])
        #expect(try students("name != nil") == [1, 2, 3])
        #expect(try students("name == name") == [1, 2, 3, 4])
        #expect(try students("name != name") == [])
    }

    /// "ANY comparisons, e.g. ANY student.age < 21."
    @Test func anyComparisons() throws {
        #expect(try schools("ANY student.age < 21") == [1])
        #expect(try schools("ANY student.age > 21") == [1, 2])
        #expect(try students("ANY schools.id == 1") == [1, 2, 4])
    }

    /// "The aggregate expressions @count, @min, @max, @sum and @avg are supported on List and
    /// Results properties, e.g. realm.objects(Company.self).filter("employees.@count > 5") to find
    /// all companies with more than five employees."
    @Test func aggregates() throws {
        #expect(try schools("student.@count > 2") == [1])
        #expect(try schools("student.@min.age == 45") == [2])
        #expect(try schools("student.@max.age == 45") == [1, 2])
        #expect(try schools("student.@sum.age == 97") == [1])
        #expect(try schools("student.@avg.best == 20") == [2])
        #expect(try students("schools.@count == 1") == [1, 2, 3, 4])
        #expect(try students("schools.@max.id > 1") == [3])
    }

    /// "Subqueries are supported with the following limitations: @count is the only operator that
    /// may be applied to the SUBQUERY expression. The SUBQUERY(…).@count expression must be
    /// compared with a constant. Correlated subqueries are not yet supported."
    @Test func subqueries() throws {
        let subquery = "SUBQUERY(student, $s, $s.age > 30 AND $s.best > 40)"
        #expect(try schools("\(subquery).@count == 1") == [1])
        #expect(try schools("\(subquery).@count == 0") == [2, 3])
        #expect(
            refusal { try schools("\(subquery).@max == 1") }
                == "SUBQUERY is only supported when immediately followed by .@count that is "
                + "compared with a constant number.")
        #expect(
            refusal { try schools("\(subquery).@count == id") }
                == "\(subquery).@count is only supported when compared with a constant number.")
    }
}
