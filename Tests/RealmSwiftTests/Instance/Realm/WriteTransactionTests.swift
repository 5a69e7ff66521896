import Foundation
import RealmSwift
import Testing

@Suite struct WriteTransactionTests {
    let directory = TestDirectory()

    @Test func cancellingRevertsValues() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "nicknames": ["a"]])
        let person = Person(value: ["age": 1])
        try realm.write {
            realm.add(owner)
            realm.add(person)
        }
        realm.beginWrite()
        person.age = 2
        owner.nicknames.append("b")
        realm.cancelWrite()
        #expect(person.age == 1 && Array(owner.nicknames) == ["a"])
    }

    @Test func valuesWrittenAreVisibleAtOnceEverywhereOnTheThread() throws {
        let realm = try directory.realm()
        let person = Person()
        try realm.write { realm.add(person) }
        let other = try #require(realm.objects(Person.self).first)
        try realm.write {
            person.age += 5
            #expect(other.age == 5)
            other.name = "Ann"
            #expect(person.name == "Ann")
        }
        #expect(person.isSameObject(as: other) && person != other)
    }

    @Test func everyTypeSurvives() throws {
        let realm = try directory.realm()
        let date = Date(timeIntervalSinceReferenceDate: 1234.5678)
        let uuid = UUID()
        let object = Everything()
        object.bool = true
        object.int = .min
        object.int8 = -128
        object.int16 = .max
        object.int32 = .min
        object.int64 = .max
        object.float = -1.5
        object.double = .greatestFiniteMagnitude
        object.string = "naïve \u{1F600}"
        object.data = Data((0...255).map { UInt8($0) })
        object.date = date
        object.uuid = uuid
        try realm.write { realm.add(object) }
        let stored = try #require(realm.objects(Everything.self).first)
        #expect(stored.bool && stored.int == .min && stored.int8 == -128)
        #expect(stored.int16 == .max && stored.int32 == .min && stored.int64 == .max)
        #expect(stored.float == -1.5 && stored.double == .greatestFiniteMagnitude)
        #expect(stored.string == "naïve \u{1F600}" && stored.data.count == 256)
        #expect(stored.data[200] == 200 && stored.date == date && stored.uuid == uuid)
        #expect(stored.optionalBool == nil && stored.optionalInt == nil && stored.link == nil)
        #expect(stored.optionalString == nil && stored.optionalUUID == nil)
        try realm.write {
            stored.optionalBool = false
            stored.optionalInt = -1
            stored.optionalInt8 = 127
            stored.optionalFloat = 0
            stored.optionalDouble = .infinity
            stored.optionalString = ""
            stored.optionalData = Data()
            stored.optionalDate = date
            stored.optionalUUID = uuid
            stored.link = stored
            stored.int8 = 1
            stored.uuid = UUID()
        }
        #expect(object.optionalBool == false && object.optionalInt == -1)
        #expect(object.optionalInt8 == 127 && object.optionalFloat == 0)
        #expect(object.optionalDouble == .infinity && object.optionalString == "")
        #expect(object.optionalData == Data() && object.optionalDate == date)
        #expect(object.optionalUUID == uuid && object.link?.isSameObject(as: object) == true)
        #expect(object.int8 == 1 && object.uuid != uuid)
    }

    @Test func longStringsSurvive() throws {
        let realm = try directory.realm()
        let text = String(repeating: "0123456789abcdef", count: 10_000)
        let person = Person(value: ["name": text])
        try realm.write { realm.add(person) }
        #expect(person.name == text)
    }

    @Test func subscriptsReachManagedProperties() throws {
        let realm = try directory.realm()
        let keyed = Keyed(value: ["id": 1])
        try realm.write {
            realm.add(keyed)
            keyed["text"] = "x"
            keyed["number"] = 5
        }
        #expect(keyed["text"] as? String == "x" && keyed["id"] as? Int == 1)
        #expect(keyed.number == 5)
    }
}
