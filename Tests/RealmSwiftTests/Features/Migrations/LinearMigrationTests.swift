import Foundation
import RealmSwift
import Testing

// Linear migrations: blocks with a step for each version, run from any version to the last one.

// MARK: The documentation's example

private enum JP {
    enum Zero {
        class Person: VersionedObject {
            @Persisted var firstName: String
            @Persisted var lastName: String
            @Persisted var age: Int
        }
    }

    /// The full name is new.
    enum One {
        class Person: VersionedObject {
            @Persisted var fullName: String
            @Persisted var age: Int
        }
    }

    /// The address for mail is new.
    enum Two {
        class Person: VersionedObject {
            @Persisted var fullName: String
            @Persisted var email: String
            @Persisted var age: Int
        }
    }

    /// The age is the number of years since birth.
    enum Three {
        class Person: VersionedObject {
            @Persisted var fullName: String
            @Persisted var email: String
            @Persisted var yearsSinceBirth: Int
        }
    }

    static let versions: [[ObjectBase.Type]] = [
        [Zero.Person.self], [One.Person.self], [Two.Person.self], [Three.Person.self],
    ]

    /// Returns the block of one version of the application, which has the steps up to it.
    static func block(ofVersion last: UInt64, noting log: MigrationLog<String>) -> MigrationBlock {
        { migration, oldVersion in
            if oldVersion < 1, last >= 1 {
                log.note("to 1")
                migration.enumerateObjects(ofType: "Person") { old, new in
                    let firstName = old?["firstName"] as? String ?? ""
                    let lastName = old?["lastName"] as? String ?? ""
                    new?["fullName"] = "\(firstName) \(lastName)"
                }
            }
            if oldVersion < 2, last >= 2 {
                log.note("to 2")
                migration.enumerateObjects(ofType: "Person") { _, new in
                    new?["email"] = "\(new?["fullName"] as? String ?? "")@example.com"
                }
            }
            if oldVersion < 3, last >= 3 {
                log.note("to 3")
                migration.renameProperty(onType: "Person", from: "age", to: "yearsSinceBirth")
            }
        }
    }
}

@Suite struct LinearMigrationTests {
    private let file = MigratedFile()
    private let log = MigrationLog<String>()

    private func fill() throws {
        try file.write(JP.versions[0]) { realm in
            for age in 0..<10 {
                realm.create(
                    JP.Zero.Person.self,
                    value: ["firstName": "P\(age)", "lastName": "Lee", "age": age])
            }
        }
    }

    private func expectLast() throws {
        #expect(try file.version() == 3)
        try file.open(JP.versions[3], version: 3) { realm in
            let people = realm.objects(JP.Three.Person.self)
            #expect(people.map(\.yearsSinceBirth).sorted() == Array(0..<10))
            for person in people {
                #expect(person.fullName == "P\(person.yearsSinceBirth) Lee")
                #expect(person.email == "\(person.fullName)@example.com")
            }
        }
    }

    /// Every way from version 0 to version 3: the versions of the application that were installed.
    @Test(arguments: [[3], [1, 3], [2, 3], [1, 2, 3]] as [[UInt64]])
    func everyWayLeadsToTheSameData(installed: [UInt64]) throws {
        try fill()
        for version in installed {
            try file.migrate(
                to: JP.versions[Int(version)], version: version,
                JP.block(ofVersion: version, noting: log))
        }
        #expect(log.all == ["to 1", "to 2", "to 3"])
        try expectLast()
    }

    @Test func versionsMayBeLeftOut() throws {
        try fill()
        try file.migrate(
            to: JP.versions[1], version: 100, JP.block(ofVersion: 1, noting: log))
        #expect(try file.version() == 100 && log.all == ["to 1"])
    }

    @Test func aHundredVersionsAreMigratedInOneBlock() throws {
        try fill()
        try file.migrate(to: JP.versions[0], version: 100) { migration, oldVersion in
            for version in oldVersion + 1...100 {
                migration.enumerateObjects(ofType: "Person") { _, new in
                    new?["age"] = (new?["age"] as? Int ?? 0) + 1
                    new?["lastName"] = "version \(version)"
                }
            }
        }
        try file.open(JP.versions[0], version: 100) { realm in
            let people = realm.objects(JP.Zero.Person.self)
            #expect(people.map(\.age).sorted() == Array(100..<110))
            #expect(people.allSatisfy { $0.lastName == "version 100" })
        }
    }

    @Test func aHundredVersionsAreMigratedOneByOne() throws {
        try fill()
        for version in UInt64(1)...100 {
            let types = version.isMultiple(of: 2) ? JP.versions[0] : JP.versions[1]
            try file.migrate(to: types, version: version) { migration, oldVersion in
                #expect(oldVersion == version - 1)
                migration.enumerateObjects(ofType: "Person") { old, new in
                    let name = old?.objectSchema["fullName"] == nil ? "lastName" : "fullName"
                    let other = name == "fullName" ? "lastName" : "fullName"
                    new?[other] = old?[name]
                }
            }
        }
        try file.open(JP.versions[0], version: 100) { realm in
            let people = realm.objects(JP.Zero.Person.self)
            #expect(people.map(\.age).sorted() == Array(0..<10))
            #expect(people.allSatisfy { $0.lastName == "Lee" && $0.firstName == "" })
        }
    }
}

// MARK: A property that went and came back

private enum Mail {
    enum One {
        class Person: VersionedObject {
            @Persisted var name: String
            @Persisted var email: String?
        }
    }

    enum Two {
        class Person: VersionedObject {
            @Persisted var name: String
        }
    }
}

/// Documented: a property deleted at version 2 and introduced again at version 3 keeps its content
/// for who jumps from 1 to 3, unless the block sets it to nil.
@Suite struct ReturningPropertyTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write([Mail.One.Person.self], version: 1) { realm in
            realm.create(Mail.One.Person.self, value: ["name": "Tim", "email": "old form"])
        }
    }

    private func email() throws -> String? {
        try file.open([Mail.One.Person.self], version: 3) { realm in
            try #require(realm.objects(Mail.One.Person.self).first).email
        }
    }

    @Test func whoSkipsTheVersionWithoutThePropertyKeepsItsContent() throws {
        try fill()
        try file.migrate(to: [Mail.One.Person.self], version: 3)
        #expect(try email() == "old form")
    }

    @Test func whoSeesEveryVersionHasNoContent() throws {
        try fill()
        try file.migrate(to: [Mail.Two.Person.self], version: 2)
        try file.migrate(to: [Mail.One.Person.self], version: 3)
        #expect(try email() == nil)
    }

    @Test func theBlockMakesBothAlike() throws {
        try fill()
        try file.migrate(to: [Mail.One.Person.self], version: 3) { migration, oldVersion in
            if oldVersion < 3 {
                migration.enumerateObjects(ofType: "Person") { _, new in new?["email"] = nil }
            }
        }
        #expect(try email() == nil)
    }
}

// MARK: The book's application

private enum Exams {
    enum One {
        class Exam: VersionedObject {
            @Persisted var name: String
            @Persisted var subject: Subject?
        }

        class Subject: VersionedObject {
            @Persisted var name: String
        }

        static let types: [ObjectBase.Type] = [Exam.self, Subject.self]
    }

    enum Two {
        class Exam: VersionedObject {
            @Persisted var name: String
            @Persisted var subject: Subject?
            @Persisted var isMultipleChoice: Bool
            @Persisted var result: String?
        }

        class Subject: VersionedObject {
            @Persisted var name: String
        }

        class Mark: VersionedObject {
            @Persisted var mark: String
        }

        static let types: [ObjectBase.Type] = [Exam.self, Subject.self, Mark.self]
    }

    enum Three {
        class Exam: VersionedObject {
            @Persisted var name: String
            @Persisted var subject: Subject?
            @Persisted var isMultipleChoice: Bool
            @Persisted var passed: Result?
        }

        class Subject: VersionedObject {
            @Persisted var name: String
        }

        class Result: VersionedObject {
            @Persisted(primaryKey: true) var result: String
        }

        class MigrationTask: VersionedObject {
            @Persisted(primaryKey: true) var name: String
        }

        static let types: [ObjectBase.Type] = [
            Exam.self, Subject.self, Result.self, MigrationTask.self,
        ]
    }

    @Sendable static func migrate(_ migration: Migration, _ oldVersion: UInt64) {
        if oldVersion < 2 { nameExams(migration) }
        if oldVersion < 3 { giveResults(migration) }
    }

    /// Names what has no name, and takes the kind of an exam out of the name of its subject.
    static func nameExams(_ migration: Migration) {
        migration.enumerateObjects(ofType: String(describing: One.Exam.self)) { from, to in
            guard let from, let to else { return }
            if (from["name"] as? String)?.isEmpty == true { to["name"] = "n/a" }
            guard let subject = to["subject"] as? MigrationObject,
                let name = subject["name"] as? String
            else { return }
            let text = " (multiple choice)"
            guard name.contains(text) else { return }
            to["isMultipleChoice"] = true
            subject["name"] = name.replacingOccurrences(of: text, with: "")
        }
    }

    /// Makes the results there are. Leaves a task for exams with a result of the user's.
    static func giveResults(_ migration: Migration) {
        let results = ["none", "passed", "failed"].map {
            migration.create("Result", value: ["result": $0])
        }
        var isTaskNeeded = false
        migration.enumerateObjects(ofType: "Exam") { old, new in
            guard let old, let new else { return }
            let properties = migration.oldSchema["Exam"]?.properties ?? []
            if properties.contains(where: { $0.name == "result" }),
                old["result"] as? String != nil
            {
                isTaskNeeded = true
            } else {
                new["passed"] = results[0]
            }
        }
        if isTaskNeeded {
            migration.create("MigrationTask", value: ["name": "askForExamResults"])
        }
        migration.deleteData(forType: "Mark")
    }
}

@Suite struct BookMigrationTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write(Exams.One.types, version: 1) { realm in
            realm.create(Exams.One.Exam.self)
            realm.create(
                Exams.One.Exam.self,
                value: ["name": "final", "subject": ["name": "art (multiple choice)"]])
        }
    }

    @Test func anExamWithoutANameIsNamed() throws {
        try fill()
        try file.migrate(to: Exams.Two.types, version: 2) { migration, oldVersion in
            if oldVersion < 2 { Exams.nameExams(migration) }
        }
        try file.open(Exams.Two.types, version: 2) { realm in
            let exams = realm.objects(Exams.Two.Exam.self).sorted(byKeyPath: "name")
            #expect(exams.map(\.name) == ["final", "n/a"])
            #expect(exams[0].isMultipleChoice && exams[0].subject?.name == "art")
            #expect(!exams[1].isMultipleChoice && exams[1].subject == nil)
            #expect(realm.objects(Exams.Two.Mark.self).isEmpty)
        }
    }

    @Test func whoSkipsAVersionRunsBothSteps() throws {
        try fill()
        try file.migrate(to: Exams.Three.types, version: 3, Exams.migrate)
        try file.open(Exams.Three.types, version: 3) { realm in
            let exams = realm.objects(Exams.Three.Exam.self).sorted(byKeyPath: "name")
            #expect(exams.map(\.name) == ["final", "n/a"] && exams[0].isMultipleChoice)
            #expect(exams.allSatisfy { $0.passed?.result == "none" })
            #expect(realm.objects(Exams.Three.MigrationTask.self).isEmpty)
            #expect(realm.objects(Exams.Three.Result.self).count == 3)
        }
    }

    @Test func aTaskIsLeftForResultsThatOnlyTheUserKnows() throws {
        try fill()
        try file.migrate(to: Exams.Two.types, version: 2) { migration, oldVersion in
            if oldVersion < 2 { Exams.nameExams(migration) }
        }
        try file.write(Exams.Two.types, version: 2) { realm in
            realm.objects(Exams.Two.Exam.self).first { $0.name == "final" }?.result = "so so"
            realm.create(Exams.Two.Mark.self, value: ["mark": "F"])
        }
        try file.migrate(to: Exams.Three.types, version: 3, Exams.migrate)
        try file.open(Exams.Three.types, version: 3) { realm in
            let exams = realm.objects(Exams.Three.Exam.self).sorted(byKeyPath: "name")
            #expect(exams.map { $0.passed?.result } == [nil, "none"])
            #expect(
                realm.objects(Exams.Three.MigrationTask.self).map(\.name) == ["askForExamResults"])
        }
        try file.migrate(to: Exams.Three.types, version: 4) { migration, _ in
            #expect(migration.oldSchema["Mark"] == nil)
        }
    }
}
