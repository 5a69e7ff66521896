import Foundation
import RealmSwift
import Testing

// `MigrationObject`: an object of the old or the new schema, read and written by name.

private enum First {
    class Subject: VersionedObject {
        @Persisted var name: String
    }

    class Place: VersionedEmbeddedObject {
        @Persisted var city: String
    }

    class Exam: VersionedObject {
        @Persisted var name: String
        @Persisted var subject: Subject?
        @Persisted var others: List<Subject>
        @Persisted var taught: MutableSet<Subject>
        @Persisted var byName: Map<String, Subject?>
        @Persisted var place: Place?
        @Persisted var places: List<Place>
        @Persisted var marks: List<Int>
        @Persisted var words: MutableSet<String>
        @Persisted var points: Map<String, Double>
        @Persisted var any: AnyRealmValue
    }

    class Values: VersionedObject {
        @Persisted var bool: Bool
        @Persisted var int: Int
        @Persisted var int8: Int8
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var string: String
        @Persisted var data: Data
        @Persisted var date: Date
        @Persisted var uuid: UUID
        @Persisted var objectId: ObjectId
        @Persisted var decimal: Decimal128
        @Persisted var optional: Int?
    }

    static let types: [ObjectBase.Type] = [Subject.self, Place.self, Exam.self, Values.self]
}

/// As the first version, and with a property that is added to `Exam`, and one that is removed.
private enum Second {
    class Subject: VersionedObject {
        @Persisted var name: String
    }

    class Place: VersionedEmbeddedObject {
        @Persisted var city: String
    }

    class Exam: VersionedObject {
        @Persisted var isMultipleChoice: Bool
        @Persisted var subject: Subject?
        @Persisted var others: List<Subject>
        @Persisted var taught: MutableSet<Subject>
        @Persisted var byName: Map<String, Subject?>
        @Persisted var place: Place?
        @Persisted var places: List<Place>
        @Persisted var marks: List<Int>
        @Persisted var words: MutableSet<String>
        @Persisted var points: Map<String, Double>
        @Persisted var any: AnyRealmValue
    }

    class Values: VersionedObject {
        @Persisted var bool: Bool
        @Persisted var int: Int
        @Persisted var int8: Int8
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var string: String
        @Persisted var data: Data
        @Persisted var date: Date
        @Persisted var uuid: UUID
        @Persisted var objectId: ObjectId
        @Persisted var decimal: Decimal128
        @Persisted var optional: Int?
        @Persisted var isSeen: Bool
    }

    static let types: [ObjectBase.Type] = [Subject.self, Place.self, Exam.self, Values.self]
}

@Suite struct MigrationObjectTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write(First.types) { realm in
            let maths = realm.create(First.Subject.self, value: ["name": "maths (choice)"])
            let art = realm.create(First.Subject.self, value: ["name": "art"])
            let exam = realm.create(First.Exam.self, value: ["name": "final"])
            exam.subject = maths
            exam.others.append(objectsIn: [art, maths, art])
            exam.taught.insert(objectsIn: [art, maths])
            exam.byName["a"] = art
            exam.place = First.Place(value: ["Rome"])
            exam.places.append(objectsIn: [First.Place(value: ["Bonn"])])
            exam.marks.append(objectsIn: [3, 1, 2])
            exam.words.insert(objectsIn: ["x", "y"])
            exam.points["p"] = 1.5
            exam.any = .string("mixed")
        }
    }

    /// Migrates the file, and runs `body` with the only exam.
    private func withExam(_ body: @escaping @Sendable (MigrationObject, MigrationObject) -> Void)
        throws
    {
        try fill()
        let calls = MigrationLog<Int>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { old, new in
                guard let old, let new else { return }
                calls.note(1)
                body(old, new)
            }
        }
        #expect(calls.all == [1])
    }

    private func migrated(_ body: (Second.Exam) throws -> Void) throws {
        try file.open(Second.types, version: 1) { realm in
            try body(#require(realm.objects(Second.Exam.self).first))
        }
    }

    @Test func aMigrationObjectIsADynamicObject() throws {
        try withExam { old, new in
            #expect(MigrationObject.self == DynamicObject.self)
            #expect(old.objectSchema.className == "Exam" && new.objectSchema.className == "Exam")
        }
    }

    /// Names of one length share what makes them found faster.
    @Test func namesOfOneLengthAreToldApart() throws {
        try file.write(First.types) { realm in
            for int in [0, 1] {
                let values: [String: Any] = ["bool": int == 1, "data": Data([UInt8(int)])]
                realm.create(First.Values.self, value: values)
            }
        }
        let found = MigrationLog<[String]>()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Values") { old, new in
                for _ in 0..<2 {
                    let (bool, data) = (old!["bool"] as! Bool, old!["data"] as! Data)
                    found.note(["\(bool)", "\(data[0])"])
                    new!["data"] = data + data
                    new!["bool"] = !bool
                }
            }
        }
        #expect(found.all == [["false", "0"], ["false", "0"], ["true", "1"], ["true", "1"]])
        try file.open(Second.types, version: 1) { realm in
            let values = realm.objects(Second.Values.self)
            #expect(values.map(\.bool) == [true, false])
            #expect(values.map(\.data) == [Data([0, 0]), Data([1, 1])])
        }
    }

    @Test func integersOfAllSizesAreNumbers() throws {
        let integers = [-1, 0, 1, 255, 256, Int.max, Int.min]
        try file.write(First.types) { realm in
            for integer in integers { realm.create(First.Values.self, value: ["int": integer]) }
        }
        let (found, small) = (MigrationLog<Int>(), MigrationLog<Int16>())
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Values") { old, _ in
                #expect(old!["int"] is NSNumber)
                found.note(old!["int"] as! Int)
                if let number = old!["int"] as? Int16 { small.note(number) }
            }
        }
        #expect(found.all == integers)
        #expect(small.all == [-1, 0, 1, 255, 256])
    }

    @Test func propertiesAreReadAndSetBySubscript() throws {
        try withExam { old, new in
            #expect(old["name"] as? String == "final")
            #expect(new["isMultipleChoice"] as? Bool == false)
            new["isMultipleChoice"] = true
            #expect(new["isMultipleChoice"] as? Bool == true)
        }
        try migrated { exam in #expect(exam.isMultipleChoice) }
    }

    @Test func propertiesAreMembers() throws {
        try withExam { old, new in
            #expect(old.name as? String == "final")
            new.isMultipleChoice = true
            #expect(new.isMultipleChoice as? Bool == true)
        }
        try migrated { exam in #expect(exam.isMultipleChoice) }
    }

    @Test func propertiesAreReadAndSetByKeyValueCoding() throws {
        try withExam { old, new in
            #expect(old.value(forKey: "name") as? String == "final")
            new.setValue(true, forKey: "isMultipleChoice")
        }
        try migrated { exam in #expect(exam.isMultipleChoice) }
    }

    @Test func anObjectHasThePropertiesOfItsOwnSchema() throws {
        try withExam { old, new in
            #expect(old.objectSchema["name"] != nil && new.objectSchema["name"] == nil)
            #expect(old.objectSchema["isMultipleChoice"] == nil)
            #expect(new.objectSchema["isMultipleChoice"]?.type == .bool)
        }
    }

    @Test func bothObjectsPrintTheirProperties() throws {
        try withExam { old, new in
            #expect(old.description.hasPrefix("Exam {\n"))
            #expect(old.description.contains("\tname = final;\n"))
            #expect(new.description.contains("\tisMultipleChoice = 0;\n"))
        }
    }

    // MARK: Links

    /// The documentation's sample: `newExam["subject"] as? MigrationObject`.
    @Test func linksAreMigrationObjects() throws {
        try withExam { old, new in
            let subject = new["subject"] as? MigrationObject
            #expect(subject?["name"] as? String == "maths (choice)")
            subject?["name"] = "maths"
            let before = old["subject"] as? MigrationObject
            #expect(before?["name"] as? String == "maths (choice)")
        }
        try migrated { exam in #expect(exam.subject?.name == "maths") }
    }

    @Test func linksAreSetToOtherObjectsOfTheNewSchema() throws {
        try withExam { _, new in
            let others = new["others"] as? List<MigrationObject>
            new["subject"] = others?.first
        }
        try migrated { exam in #expect(exam.subject?.name == "art") }
    }

    @Test func linksAreSetToNil() throws {
        try withExam { _, new in new["subject"] = nil }
        try migrated { exam in
            #expect(exam.subject == nil && exam.others.count == 3)
            #expect(exam.realm?.objects(Second.Subject.self).count == 2)
        }
    }

    @Test func embeddedObjectsAreReadAndReplaced() throws {
        try withExam { old, new in
            #expect((old["place"] as? MigrationObject)?["city"] as? String == "Rome")
            (new["place"] as? MigrationObject)?["city"] = "Paris"
            #expect((old["place"] as? MigrationObject)?["city"] as? String == "Rome")
            let places = new["places"] as? List<MigrationObject>
            #expect(places?.first?["city"] as? String == "Bonn")
        }
        try migrated { exam in #expect(exam.place?.city == "Paris" && exam.places[0].city == "Bonn")
        }
    }

    @Test func anEmbeddedObjectIsSetFromADictionary() throws {
        try withExam { _, new in new["place"] = ["city": "Oslo"] }
        try migrated { exam in #expect(exam.place?.city == "Oslo") }
    }

    // MARK: Collections

    @Test func listsOfObjectsAreListsOfMigrationObjects() throws {
        try withExam { old, new in
            let before = old["others"] as? List<MigrationObject>
            #expect(before.map { Array($0).map { $0["name"] as? String } } == Self.names)
            let others = new["others"] as? List<MigrationObject>
            others?.remove(at: 0)
            others?[0]["name"] = "maths"
            #expect(before?.count == 3)
            #expect(old.dynamicList("others").count == 3)
            #expect(new.dynamicList("others").count == 2)
        }
        try migrated { exam in #expect(Array(exam.others.map(\.name)) == ["maths", "art"]) }
    }

    private static let names: [String?] = ["art", "maths (choice)", "art"]

    @Test func listsAreSetFromArraysAndOtherLists() throws {
        try withExam { old, new in
            new["marks"] = [9, 8]
            let others = new["others"] as? List<MigrationObject>
            new["others"] = [others?.last].compactMap { $0 }
            _ = old
        }
        try migrated { exam in
            #expect(Array(exam.marks) == [9, 8])
            #expect(exam.others.map(\.name) == ["art"])
        }
    }

    @Test func listsOfValuesAreTyped() throws {
        try withExam { old, new in
            #expect((old["marks"] as? List<Int>).map(Array.init) == [3, 1, 2])
            (new["marks"] as? List<Int>)?.append(4)
            #expect((old["marks"] as? List<Int>)?.count == 3)
        }
        try migrated { exam in #expect(Array(exam.marks) == [3, 1, 2, 4]) }
    }

    @Test func setsAreTyped() throws {
        try withExam { old, new in
            #expect((old["words"] as? MutableSet<String>)?.contains("x") == true)
            (new["words"] as? MutableSet<String>)?.insert("z")
            #expect((old["taught"] as? MutableSet<MigrationObject>)?.count == 2)
            new.dynamicMutableSet("taught").removeAll()
        }
        try migrated { exam in #expect(exam.words.count == 3 && exam.taught.isEmpty) }
    }

    @Test func mapsAreTyped() throws {
        try withExam { old, new in
            #expect((old["points"] as? Map<String, Double>)?["p"] == 1.5)
            (new["points"] as? Map<String, Double>)?["q"] = 2.5
            let subjects = old["byName"] as? Map<String, MigrationObject?>
            #expect(subjects?["a"]??["name"] as? String == "art")
        }
        try migrated { exam in
            #expect(exam.points["p"] == 1.5 && exam.points["q"] == 2.5)
            #expect(exam.byName["a"]??.name == "art")
        }
    }

    @Test func mixedValuesAreReadAndSet() throws {
        try withExam { old, new in
            let value = old["any"]
            #expect((value as? AnyRealmValue)?.stringValue ?? value as? String == "mixed")
            new["any"] = AnyRealmValue.int(5)
        }
        try migrated { exam in #expect(exam.any == .int(5)) }
    }

    // MARK: Values

    @Test func valuesOfEveryTypeAreReadAndCopied() throws {
        let (date, uuid, objectId) = (Date(timeIntervalSince1970: 5), UUID(), ObjectId.generate())
        let large = 1 << 40
        try file.write(First.types) { realm in
            realm.create(
                First.Values.self,
                value: [
                    "bool": true, "int": large, "int8": Int8(-3), "float": Float(1.5),
                    "double": 2.5, "string": "text", "data": Data([1, 2]), "date": date,
                    "uuid": uuid, "objectId": objectId, "decimal": Decimal128(7), "optional": 6,
                ] as [String: Any])
        }
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Values") { old, new in
                guard let old, let new else { return }
                #expect(old["bool"] as? Bool == true && old["int"] as? Int == large)
                #expect(old["int8"] as? Int == -3 && old["int8"] as? Int8 == -3)
                #expect(old["float"] as? Float == 1.5 && old["double"] as? Double == 2.5)
                #expect(old["string"] as? String == "text")
                #expect(old["data"] as? Data == Data([1, 2]) && old["date"] as? Date == date)
                #expect(old["uuid"] as? UUID == uuid)
                #expect(old["objectId"] as? ObjectId == objectId)
                #expect(old["decimal"] as? Decimal128 == Decimal128(7))
                for name in old.objectSchema.properties.map(\.name) { new[name] = old[name] }
                new["optional"] = nil
                new["isSeen"] = true
            }
        }
        try file.open(Second.types, version: 1) { realm in
            let values = try #require(realm.objects(Second.Values.self).first)
            #expect(values.bool && values.int == large && values.int8 == -3)
            #expect(values.float == 1.5 && values.double == 2.5 && values.string == "text")
            #expect(values.data == Data([1, 2]) && values.date == date && values.uuid == uuid)
            #expect(values.objectId == objectId && values.decimal == 7 && values.optional == nil)
            #expect(values.isSeen)
        }
    }
}

/// Makes a file with one exam, and runs `body` with it in a migration.
private func migrateExam(_ body: @escaping @Sendable (MigrationObject, MigrationObject) -> Void)
    throws
{
    try migrateNewFile(from: First.types, to: Second.types) { realm in
        realm.create(First.Exam.self, value: ["name": "final", "marks": [1]])
    } _: { migration, _ in
        migration.enumerateObjects(ofType: "Exam") { old, new in
            if let old, let new { body(old, new) }
        }
    }
}

private let misuses: [String: Misuse] = [
    "an unknown property": Misuse("Invalid property name 'x' for class 'Exam'.") {
        try migrateExam { old, _ in _ = old["x"] }
    },
    "an added property of the old object": Misuse(
        "Invalid property name 'isMultipleChoice' for class 'Exam'."
    ) { try migrateExam { old, _ in _ = old["isMultipleChoice"] } },
    "a removed property of the new object": Misuse(
        "Invalid property name 'name' for class 'Exam'."
    ) { try migrateExam { _, new in _ = new["name"] } },
    "setting a removed property of the new object": Misuse(
        "Invalid property name 'name' for class 'Exam'."
    ) { try migrateExam { _, new in new["name"] = "x" } },
    "a deleted object": Misuse("Object has been deleted or invalidated.") {
        try migrateNewFile(from: First.types, to: Second.types) { realm in
            realm.create(First.Exam.self)
        } _: { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { _, new in
                guard let new else { return }
                migration.delete(new)
                _ = new["isMultipleChoice"]
            }
        }
    },
]

@Suite struct MigrationObjectMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    /// The old data is what the migration starts from, and cannot be changed.
    @Test func writingAnOldObjectStops() async {
        await #expect(processExitsWith: .failure) {
            try migrateExam { old, _ in old["name"] = "changed" }
        }
    }

    @Test func aValueOfTheWrongTypeStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try migrateExam { _, new in new["isMultipleChoice"] = "text" } }
        expectEnd("for 'bool' property 'Exam.isMultipleChoice'", result)
    }
}
