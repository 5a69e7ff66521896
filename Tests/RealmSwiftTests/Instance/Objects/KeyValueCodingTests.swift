import Foundation
import RealmSwift
import Testing

@Suite struct KeyValueCodingTests {
    let directory = TestDirectory()

    /// Returns the same object unmanaged and managed.
    private func both(_ value: Any) throws -> [Everything] {
        let realm = try directory.realm()
        let managed = Everything(value: value)
        try realm.write { realm.add(managed) }
        return [Everything(value: value), managed]
    }

    @Test func numbersCastToEveryTypeThatHoldsThem() throws {
        for object in try both(["int": 5, "int8": 7, "double": 1.5, "bool": true]) {
            #expect(object.value(forKey: "int") as? Int == 5)
            #expect(object.value(forKey: "int") as? Int8 == 5)
            #expect(object.value(forKey: "int") as? NSNumber == 5)
            #expect(object.value(forKey: "int8") as? Int == 7)
            #expect(object["int8"] as? Int64 == 7)
            #expect(object.value(forKey: "double") as? Double == 1.5)
            #expect(object.value(forKey: "bool") as? Bool == true)
            #expect(object["bool"] as? NSNumber == true)
        }
    }

    @Test func otherValuesAreGivenAsTheyAre() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let uuid = UUID()
        let values: [String: Any] = [
            "string": "text", "data": Data([1]), "date": date, "uuid": uuid, "ints": [1, 2],
        ]
        for object in try both(values) {
            #expect(object["string"] as? String == "text")
            #expect(object["data"] as? Data == Data([1]))
            #expect(object["date"] as? Date == date && object["uuid"] as? UUID == uuid)
            #expect((object["ints"] as? List<Int>).map { Array($0) } == [1, 2])
            #expect(object["optionalInt"] == nil && object.value(forKey: "link") == nil)
        }
    }

    @Test func setsEveryProperty() throws {
        let realm = try directory.realm()
        let managed = Everything()
        try realm.write {
            realm.add(managed)
            for object in [Everything(), managed] {
                object.setValue(5, forKey: "int")
                object.setValue(NSNumber(value: 6), forKey: "int8")
                object.setValue("text", forKey: "optionalString")
                object["double"] = 2
                object["ints"] = [3, 4]
                object["link"] = Everything(value: ["int": 9])
                #expect(object.int == 5 && object.int8 == 6 && object.optionalString == "text")
                #expect(object.double == 2 && Array(object.ints) == [3, 4])
                #expect(object.link?.int == 9)
                object.setValue(nil, forKey: "optionalString")
                object["link"] = NSNull()
                #expect(object.optionalString == nil && object.link == nil)
            }
        }
    }

    @Test func pathsLeadThroughLinks() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "best": ["name": "Rex", "owner": ["Bob"]]])
        #expect(owner.value(forKeyPath: "best.owner.name") as? String == "Bob")
        try realm.write { realm.add(owner) }
        #expect(owner.value(forKeyPath: "best.name") as? String == "Rex")
        #expect(owner.value(forKeyPath: "best.owner.best.name") == nil)
        try realm.write {
            owner.setValue("Bo", forKeyPath: "best.name")
            owner.setValue("ignored", forKeyPath: "best.owner.best.name")
        }
        #expect(owner.best?.name == "Bo")
    }

    @Test func invalidatedIsAKey() throws {
        let realm = try directory.realm()
        let person = Person()
        #expect(person.value(forKey: "invalidated") as? Bool == false)
        try realm.write { realm.add(person) }
        #expect(person.value(forKey: "invalidated") as? Bool == false)
        try realm.write { realm.delete(person) }
        #expect(person.value(forKey: "invalidated") as? Bool == true)
    }

    @Test func undefinedKeysCanBeGivenAMeaning() throws {
        let object = Lenient()
        #expect(object.value(forKey: "nonsense") as? String == "no nonsense")
        object.setValue("x", forKey: "other")
        #expect(object.name == "other = x")
    }
}

private class Lenient: Object {
    @Persisted var name: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
    override func setValue(_ value: Any?, forUndefinedKey key: String) {
        name = "\(key) = \(value ?? "nil")"
    }
}

@Suite struct KeyValueCodingTrapTests {
    private static func managed(_ value: Any) throws -> (Realm, Keyed) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Keyed.self]))
        let keyed = Keyed(value: value)
        try realm.write { realm.add(keyed) }
        return (realm, keyed)
    }

    @Test func unknownNames() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Person()["nonsense"] }
        expectStop("Invalid property name 'nonsense' for class 'Person'.", result)
    }

    @Test func unknownKeys() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try KeyValueCodingTrapTests.managed(["id": 1]).1.value(forKey: "nonsense") }
        expectStop("Invalid property name 'nonsense' for class 'Keyed'.", result)
    }

    @Test func valuesThatDoNotFit() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, keyed) = try KeyValueCodingTrapTests.managed(["id": 1])
            try realm.write { keyed["number"] = "many" }
        }
        expectStop(
            "Invalid value 'many' of type 'String' for 'int?' property 'Keyed.number'.", result)
    }

    @Test func changingThePrimaryKey() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, keyed) = try KeyValueCodingTrapTests.managed(["id": 1])
            try realm.write { keyed.setValue(2, forKey: "id") }
        }
        expectStop("Primary key can't be changed to '2' after an object is inserted.", result)
    }

    @Test func settingThePrimaryKeyToItself() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, keyed) = try KeyValueCodingTrapTests.managed(["id": 1])
            try realm.write { keyed.id = 1 }
        }
        expectStop("Primary key can't be changed after an object is inserted.", result)
    }
}
