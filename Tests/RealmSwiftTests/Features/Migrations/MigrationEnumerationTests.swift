import Foundation
import RealmSwift
import Testing

// `Migration.enumerateObjects(ofType:_:)`: pairs of an object of the old and of the new schema.

private enum First {
    class Exam: VersionedObject {
        @Persisted var id: Int
        @Persisted var name: String
        @Persisted var result: String?
    }

    class Mark: VersionedObject {
        @Persisted var mark: String
    }

    static let types: [ObjectBase.Type] = [Exam.self, Mark.self]
}

/// A property is added to `Exam`, `Mark` is removed, and `Course` is added.
private enum Second {
    class Exam: VersionedObject {
        @Persisted var id: Int
        @Persisted var name: String
        @Persisted var result: String?
        @Persisted var copy: Int
    }

    class Course: VersionedObject {
        @Persisted var title: String
    }

    static let types: [ObjectBase.Type] = [Exam.self, Course.self]
}

@Suite struct EnumeratingMigrationTests {
    private let file = MigratedFile()
    private let seen = MigrationLog<String>()

    /// Makes exams with the numbers 0, 1, …, `count` - 1, and two marks.
    private func fill(_ count: Int = 5) throws {
        try file.write(First.types) { realm in
            for id in 0..<count {
                realm.create(First.Exam.self, value: ["id": id, "name": "exam \(id)"])
            }
            for mark in ["A", "B"] { realm.create(First.Mark.self, value: ["mark": mark]) }
        }
    }

    private func exams() throws -> [Int: Int] {
        try file.open(Second.types, version: 1) { realm in
            realm.objects(Second.Exam.self).reduce(into: [:]) { $0[$1.id] = $1.copy }
        }
    }

    @Test func everyObjectIsPassedOnce() throws {
        try fill(1000)
        let ids = MigrationLog<Int>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, _ in
                ids.note(old?["id"] as? Int ?? -1)
            }
        }
        #expect(ids.all.sorted() == Array(0..<1000))
    }

    @Test func objectsArePassedInTheOrderInWhichARealmHasThem() throws {
        try fill(100)
        try file.write(First.types) { realm in
            realm.delete(realm.objects(First.Exam.self).filter { $0.id % 7 == 3 })
            realm.create(First.Exam.self, value: ["id": 100])
        }
        let order = try file.open(First.types) { Array($0.objects(First.Exam.self).map(\.id)) }
        let ids = MigrationLog<Int>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, _ in
                ids.note(old?["id"] as? Int ?? -1)
            }
        }
        #expect(ids.all == order)
    }

    @Test func bothObjectsOfAPairAreTheSameObject() throws {
        try fill()
        let pairs = MigrationLog<[Int?]>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                pairs.note([old?["id"] as? Int, new?["id"] as? Int])
            }
        }
        #expect(pairs.all.count == 5 && pairs.all.allSatisfy { $0[0] != nil && $0[0] == $0[1] })
    }

    /// An object that the block does not keep may become the next one; one that it keeps may not.
    @Test func objectsThatTheBlockKeepsStayWhatTheyAre() throws {
        try fill(1000)
        try file.migrate(to: Second.types) { migration, _ in
            var kept: [(old: MigrationObject?, new: MigrationObject?, id: Int)] = []
            migration.enumerateObjects(ofType: "Exam") { old, new in
                let id = old?["id"] as? Int ?? -1
                if id % 3 == 0 { kept.append((old, new, id)) } else { new?["copy"] = id }
            }
            for (old, new, id) in kept {
                #expect(old?["id"] as? Int == id && new?["id"] as? Int == id)
                new?["copy"] = id + 1
            }
        }
        let expected = (0..<1000).map { ($0, $0 % 3 == 0 ? $0 + 1 : $0) }
        #expect(try exams() == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test func theNewObjectCanBeWritten() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                new?["copy"] = (old?["id"] as? Int ?? 0) * 10
            }
        }
        #expect(try exams() == [0: 0, 1: 10, 2: 20, 3: 30, 4: 40])
    }

    @Test func theOldObjectKeepsItsValuesWhenTheNewOneIsWritten() throws {
        try fill(1)
        let values = MigrationLog<String?>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                new?["name"] = "changed"
                values.note(old?["name"] as? String)
                values.note(new?["name"] as? String)
            }
            migration.enumerateObjects(ofType: "Exam") { old, new in
                values.note(old?["name"] as? String)
                values.note(new?["name"] as? String)
            }
        }
        #expect(values.all == ["exam 0", "changed", "exam 0", "changed"])
    }

    /// The documentation's sample: `if old?["result"] == nil { new?["result"] = "n/a" }`.
    @Test func nilIsReadAsNil() throws {
        try fill(1)
        try file.write(First.types) { realm in
            realm.create(First.Exam.self, value: ["id": 1, "result": "passed"])
        }
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                if old?["result"] == nil { new?["result"] = "n/a" }
            }
        }
        let results = try file.open(Second.types, version: 1) { realm in
            Array(realm.objects(Second.Exam.self).map { $0.result ?? "nil" })
        }
        #expect(results == ["n/a", "passed"])
    }

    @Test func aBlockMayEnumerateSeveralTimes() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            for _ in 0..<3 {
                migration.enumerateObjects(ofType: "Exam") { _, new in
                    new?["copy"] = (new?["copy"] as? Int ?? 0) + 1
                }
            }
        }
        #expect(try exams().values.allSatisfy { $0 == 3 })
    }

    @Test func enumerationsMayBeNested() throws {
        try fill(3)
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { _, outer in
                migration.enumerateObjects(ofType: "Exam") { _, inner in
                    inner?["copy"] = (inner?["copy"] as? Int ?? 0) + 1
                }
                _ = outer?["copy"]
            }
        }
        #expect(try exams() == [0: 3, 1: 3, 2: 3])
    }

    @Test func aClassWithoutObjectsIsEnumeratedWithoutACall() throws {
        try fill(0)
        try file.migrate(to: Second.types) { [seen] migration, _ in
            migration.enumerateObjects(ofType: "Exam") { _, _ in seen.note("exam") }
        }
        #expect(seen.all == [])
    }

    @Test func aNameOfNoClassIsEnumeratedWithoutACall() throws {
        try fill()
        try file.migrate(to: Second.types) { [seen] migration, _ in
            migration.enumerateObjects(ofType: "Nothing") { _, _ in seen.note("nothing") }
        }
        #expect(seen.all == [])
    }

    // MARK: Without an old or a new object

    /// Documented: "if you just removed Exam, the to parameter will always be nil".
    @Test func objectsOfARemovedClassHaveNoNewObject() throws {
        try fill()
        try file.migrate(to: Second.types) { [seen] migration, _ in
            migration.enumerateObjects(ofType: "Mark") { old, new in
                seen.note(old?["mark"] as? String ?? "no old object")
                if new != nil { seen.note("a new object") }
            }
        }
        #expect(seen.all == ["A", "B"])
    }

    @Test func dataOfARemovedClassCanBeMovedToAnother() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Mark") { old, _ in
                migration.create("Course", value: ["title": old?["mark"] as? String ?? ""])
            }
            migration.deleteData(forType: "Mark")
        }
        let titles = try file.open(Second.types, version: 1) { realm in
            Array(realm.objects(Second.Course.self).map(\.title))
        }
        #expect(titles.sorted() == ["A", "B"])
    }

    /// Documented: "if you just added Exam in the latest scheme, from will always be nil".
    @Test func objectsOfAnAddedClassHaveNoOldObject() throws {
        try fill()
        try file.migrate(to: Second.types) { [seen] migration, _ in
            migration.enumerateObjects(ofType: "Course") { _, _ in seen.note("before creating") }
            migration.create("Course", value: ["title": "Physics"])
            migration.enumerateObjects(ofType: "Course") { old, new in
                seen.note(new?["title"] as? String ?? "no new object")
                if old != nil { seen.note("an old object") }
            }
        }
        #expect(seen.all == ["Physics"])
    }

    @Test func anObjectCreatedInTheBlockNeverHasAnOldObject() throws {
        try fill(2)
        try file.migrate(to: Second.types) { [seen] migration, _ in
            migration.create("Exam", value: ["id": 7])
            migration.enumerateObjects(ofType: "Exam") { old, new in
                if old?["id"] as? Int == 7 { seen.note("an old object") }
                if new?["id"] as? Int == 7, old != nil { seen.note("a pair") }
            }
        }
        #expect(seen.all == [])
        #expect(try exams().keys.sorted() == [0, 1, 7])
    }

    // MARK: Deleting meanwhile

    @Test func theNewObjectOfAPairCanBeDeleted() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                if let new, old?["id"] as? Int ?? 0 > 2 { migration.delete(new) }
            }
        }
        #expect(try exams().keys.sorted() == [0, 1, 2])
    }

    @Test func everyObjectCanBeDeletedWhileEnumerating() throws {
        try fill(500)
        let count = MigrationLog<Int>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                count.note(old?["id"] as? Int ?? -1)
                if let new { migration.delete(new) }
            }
        }
        #expect(count.all.sorted() == Array(0..<500))
        #expect(try exams().isEmpty)
    }

    @Test func objectsDeletedBeforeAreSkipped() throws {
        try fill()
        let ids = MigrationLog<Int>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                if let new, old?["id"] as? Int ?? 0 < 3 { migration.delete(new) }
            }
            migration.enumerateObjects(ofType: "Exam") { old, _ in
                ids.note(old?["id"] as? Int ?? -1)
            }
        }
        #expect(ids.all == [3, 4])
    }

    @Test func objectsDeletedByAnEarlierCallOfTheSameEnumerationAreSkipped() throws {
        try fill(4)
        let ids = MigrationLog<Int>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, _ in
                ids.note(old?["id"] as? Int ?? -1)
                guard ids.all.count == 1 else { return }
                migration.enumerateObjects(ofType: "Exam") { old, new in
                    if let new, old?["id"] as? Int != ids.all[0] { migration.delete(new) }
                }
            }
        }
        #expect(ids.all.count == 1)
        #expect(try exams().keys.sorted() == ids.all)
    }

    @Test func objectsMayBeCreatedWhileEnumerating() throws {
        try fill(50)
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, _ in
                guard let id = old?["id"] as? Int else { return }
                migration.create("Exam", value: ["id": 1000 + id])
            }
        }
        #expect(try exams().keys.sorted() == Array(0..<50) + Array(1000..<1050))
    }

    /// Documented: after `deleteData` nothing is enumerated, "even if new ones are created".
    @Test func afterDeletingTheDataOfAClassNothingOfItIsEnumerated() throws {
        try fill()
        try file.migrate(to: Second.types) { [seen] migration, _ in
            #expect(migration.deleteData(forType: "Exam"))
            migration.create("Exam", value: ["id": 9])
            migration.enumerateObjects(ofType: "Exam") { _, _ in seen.note("a call") }
        }
        #expect(seen.all == [])
        #expect(try exams().keys.sorted() == [9])
    }
}
