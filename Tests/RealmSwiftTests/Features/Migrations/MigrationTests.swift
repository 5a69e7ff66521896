import Foundation
import RealmSwift
import Testing

/// The classes of an application, version by version. They override `className`, so that the names
/// of the enclosing types are not part of the stored names.
private enum First {
    class Person: Object {
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var yearsSinceBirth: Int
        @Persisted var friend: Person?
        @Persisted var friends: List<Person>
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Gone: Object {
        @Persisted var number: Int
        override class func className() -> String { "Gone" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Second {
    class Person: Object {
        @Persisted var fullName = "a default"
        @Persisted var yearsSinceBirth: Int
        @Persisted var friend: Person?
        @Persisted var friends: List<Person>
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Third {
    class Person: Object {
        @Persisted var age: Int
        @Persisted var fullName: String
        @Persisted var partner: Person?
        @Persisted var people: List<Person>
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// What the documentation says of migrations.
@Suite struct MigrationTests {
    private let file = MigratedFile()

    private func makePersons(_ count: Int = 3) throws {
        try file.write([First.Person.self]) { realm in
            let persons = (0..<count).map {
                First.Person(value: [
                    "firstName": "F\($0)", "lastName": "L\($0)", "yearsSinceBirth": $0 + 20,
                ])
            }
            realm.add(persons)
            for (person, friend) in zip(persons, persons.dropFirst()) { person.friend = friend }
            persons.first?.friends.append(objectsIn: persons)
        }
    }

    private let combineNames: MigrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
            let first = old!["firstName"] as! String
            let last = old!["lastName"] as! String
            new!["fullName"] = "\(first) \(last)"
        }
    }

    @Test func aBlockCombinesTwoProperties() throws {
        try makePersons()
        do {
            let realm = try file.opened([Second.Person.self], version: 1, combineNames)
            let persons = realm.objects(Second.Person.self)
            #expect(persons.map(\.fullName) == ["F0 L0", "F1 L1", "F2 L2"])
            #expect(persons.map(\.yearsSinceBirth) == [20, 21, 22])
            #expect(persons.map { $0.friend?.fullName } == ["F1 L1", "F2 L2", nil])
            #expect(persons.first?.friends.count == 3)
        }
        #expect(try file.problems() == [])
        #expect(try schemaVersionAtURL(file.url) == 1)
    }

    @Test func aRenamedPropertyKeepsValuesAndRelationships() throws {
        try makePersons()
        do {
            let realm = try file.opened([Third.Person.self], version: 2) { migration, old in
                migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
                migration.renameProperty(onType: "Person", from: "friend", to: "partner")
                migration.renameProperty(onType: "Person", from: "friends", to: "people")
                migration.enumerateObjects(ofType: "Person") { old, new in
                    new!["fullName"] = old!["firstName"]
                }
            }
            let persons = realm.objects(Third.Person.self)
            #expect(persons.map(\.age) == [20, 21, 22])
            #expect(persons.map { $0.partner?.fullName } == ["F1", "F2", nil])
            #expect(persons.first?.people.map(\.age) == [20, 21, 22])
            try realm.write { realm.delete(persons[1]) }
            #expect(persons.first?.partner == nil && persons.first?.people.count == 2)
        }
        #expect(try file.problems() == [])
    }

    @Test func renamingAfterObjectsWereChangedKeepsTheOldValues() throws {
        try makePersons()
        do {
            let realm = try file.opened([Third.Person.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "Person") { _, new in
                    new!["age"] = 5
                    new!["partner"] = new
                }
                migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
                migration.renameProperty(onType: "Person", from: "friend", to: "partner")
            }
            #expect(realm.objects(Third.Person.self).map(\.age) == [20, 21, 22])
            #expect(realm.objects(Third.Person.self).map { $0.partner?.age } == [21, 22, nil])
        }
        #expect(try file.problems() == [])
    }

    // MARK: Objects

    @Test func createdObjectsAreVisitedWithoutAnOldOneAndDeletedOnesAreNot() throws {
        try makePersons()
        let visited = MigrationLog<String>()
        do {
            let realm = try file.opened([Second.Person.self], version: 1) { migration, _ in
                migration.create("Person", value: ["fullName": "new"])
                migration.enumerateObjects(ofType: "Person") { old, new in
                    let age = (new!["yearsSinceBirth"] as! Int)
                    visited.note("\(old?["firstName"] ?? "none") \(age)")
                    if age == 21 { migration.delete(new!) }
                    if old == nil { migration.create("Person", value: ["fullName": "newer"]) }
                }
                migration.enumerateObjects(ofType: "Person") { old, new in
                    visited.note(old?["firstName"] as? String ?? "none")
                }
            }
            #expect(realm.objects(Second.Person.self).count == 4)
        }
        #expect(
            visited.all == ["F0 20", "F1 21", "F2 22", "none 0", "F0", "F2", "none", "none"])
        #expect(try file.problems() == [])
    }

    @Test func aClassThatIsGoneIsReadAndThenRemoved() throws {
        try file.write([First.Person.self, First.Gone.self]) { realm in
            for number in 0..<5 { realm.add(First.Gone(value: ["number": number])) }
        }
        let visited = MigrationLog<Int>()
        do {
            let realm = try file.opened([First.Person.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "Gone") { old, new in
                    visited.note(new == nil ? (old!["number"] as! Int) : -1)
                    migration.create(
                        "Person", value: ["yearsSinceBirth": (old!["number"] as! Int)])
                }
                #expect(migration.oldSchema["Gone"] != nil && migration.newSchema["Gone"] == nil)
                #expect(migration.deleteData(forType: "Gone"))
                #expect(!migration.deleteData(forType: "Gone"))
            }
            #expect(realm.objects(First.Person.self).map(\.yearsSinceBirth) == [0, 1, 2, 3, 4])
        }
        #expect(visited.all == [0, 1, 2, 3, 4])
        #expect(try file.problems() == [])
        // A class of that name is a new one.
        let realm = try file.opened([First.Person.self, First.Gone.self], version: 1)
        #expect(realm.objects(First.Gone.self).isEmpty)
        try realm.write { realm.add(First.Gone(value: ["number": 9])) }
        #expect(realm.objects(First.Gone.self).map(\.number) == [9])
    }

    @Test func aRealmCannotBeOpenedInItsOwnMigration() throws {
        try makePersons()
        let configuration = file.configuration([Second.Person.self], version: 1) { _, _ in }
        let texts = MigrationLog<String>()
        _ = try file.opened([Second.Person.self], version: 1) { _, _ in
            texts.note(message { _ = try Realm(configuration: configuration) })
        }
        #expect(texts.all.count == 1 && texts.all[0].contains("write transaction"))
    }

    @Test func everyMigrationOfManyIsSound() throws {
        try makePersons(20_000)
        do { _ = try file.opened([Second.Person.self], version: 1, combineNames) }
        do {
            _ = try file.opened([Third.Person.self], version: 2) { migration, _ in
                migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
            }
        }
        do {
            let realm = try file.opened([Third.Person.self], version: 2)
            let persons = realm.objects(Third.Person.self)
            #expect(persons.last?.fullName == "F19999 L19999" && persons.last?.age == 20_019)
            #expect(persons.sum(of: \.age) == (0..<20_000).reduce(0) { $0 + $1 + 20 })
            #expect(persons.where { $0.fullName.starts(with: "F1999 ") }.count == 1)
        }
        do {
            _ = try file.opened([First.Person.self], version: 3) { migration, _ in
                migration.renameProperty(onType: "Person", from: "age", to: "yearsSinceBirth")
            }
        }
        #expect(try file.problems() == [])
    }
}
