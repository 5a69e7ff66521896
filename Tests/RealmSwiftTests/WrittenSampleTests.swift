import Foundation
import RealmSwift
import Testing

private enum Sample {
    final class Dog: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var owner: Person?
    }

    final class Person: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var dogs: List<Dog>
    }

    enum OfQueries {
        final class Dog: Object {
            @Persisted var name: String
            @Persisted var color: String
            @Persisted var age: Int
        }

        final class Person: Object {
            @Persisted var dogs: List<Dog>
        }
    }
}

/// Tests that compile and run the samples of the README and of the documentation of typed queries,
/// unchanged.
@Suite struct WrittenSampleTests {
    @Test func readme() throws {
        typealias Dog = Sample.Dog
        typealias Person = Sample.Person
        /// Replaces the initializer, which would open a file with all classes of the tests.
        func Realm() throws -> RealmSwift.Realm { try temporaryRealm([Dog.self, Person.self]) }

        let realm = try Realm()
        try realm.write {
            let ada = Person()
            ada.name = "Ada"
            let rex = Dog(value: ["id": 1, "name": "Rex"])
            rex.owner = ada
            ada.dogs.append(rex)
            realm.add(ada, update: .modified)
        }

        let rex = realm.object(ofType: Dog.self, forPrimaryKey: 1)
        let named = realm.objects(Dog.self).filter("owner.name == %@", "Ada")
        let same = realm.objects(Dog.self).where { $0.owner.name == "Ada" }.sorted(by: \.name)
        print(rex?.name ?? "no dog", named.count, same.count)

        #expect(rex?.name == "Rex")
        #expect(named.map(\.name) == ["Rex"])
        #expect(same.map(\.name) == ["Rex"])
        try expectSample(of: "README.md", from: "import RealmSwift\n")
    }

    @Test func typedQueries() throws {
        typealias Dog = Sample.OfQueries.Dog
        typealias Person = Sample.OfQueries.Person
        let realm = try temporaryRealm([Dog.self, Person.self])
        try realm.write {
            for (name, ages) in [("bello", [1, 12]), ("Bo", [1, 2]), ("Rex", [11, 12])] {
                let dogs = ages.map { ["name": name, "color": "tan", "age": $0] as [String: Any] }
                realm.create(Person.self, value: ["dogs": dogs])
            }
        }

        let tanDogs = realm.objects(Dog.self).where {
            $0.color == "tan" && $0.name.starts(with: "B", options: .caseInsensitive)
        }
        let families = realm.objects(Person.self).where {
            $0.dogs.age.avg > 3 && ($0.dogs.age > 10).count == 1
        }

        #expect(tanDogs.map(\.name) == ["bello", "bello", "Bo", "Bo"])
        #expect(families.map { $0.dogs[0].name } == ["bello"])
        try expectSample(
            of: "Sources/RealmSwift/Features/Queries/Typed/Query.swift", from: "let tanDogs")
    }

    /// Checks that this file contains each line of a sample, in order.
    private func expectSample(of path: String, from start: String) throws {
        let file = URL(fileURLWithPath: #filePath)
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .replacing(/(?m)^\/\/\/ ?/, with: "")
        let first = try #require(text.range(of: "```swift\n\(start)"))
        let end = try #require(text.range(of: "\n```", range: first.upperBound..<text.endIndex))
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        var rest = lines(try String(contentsOf: file, encoding: .utf8))[...]
        for line in lines(text[first.lowerBound..<end.lowerBound]).dropFirst() {
            let position = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(position + 1)...]
        }
    }
}
