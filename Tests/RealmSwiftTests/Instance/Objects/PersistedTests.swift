import Foundation
import RealmSwift
import Testing

@Suite struct UnmanagedPropertyTests {
    @Test func propertiesWithoutInitialValueStartAtTheirDefaults() {
        let before = Date()
        let object = Everything()
        #expect(!object.bool && object.int == 0 && object.int8 == 0 && object.int64 == 0)
        #expect(object.float == 0 && object.double == 0 && object.string == "")
        #expect(object.data.isEmpty && object.optionalInt == nil && object.optionalString == nil)
        #expect(object.link == nil && object.ints.isEmpty)
        #expect(object.date >= before && object.date <= Date())
        #expect(object.uuid != Everything().uuid)
    }

    @Test func defaultsAreMadeOnceForEachInstance() {
        let object = Everything()
        #expect(object.uuid == object.uuid)
        #expect(object.date == object.date)
        #expect(object.ints === object.ints)
    }

    @Test func valuesAreReadBack() {
        let object = Everything()
        object.int8 = -128
        object.optionalBool = true
        object.string = "naïve"
        object.int += 5
        object.link = object
        #expect(object.int8 == -128 && object.optionalBool == true && object.string == "naïve")
        #expect(object.int == 5 && object.link === object)
        object.link = nil
        object.optionalBool = nil
        #expect(object.optionalBool == nil)
    }

    @Test func assigningAListCopiesItsElements() {
        let object = Everything()
        let list = object.ints
        let other = List<Int>()
        other.append(objectsIn: [1, 2, 3])
        object.ints = other
        #expect(object.ints === list && Array(list) == [1, 2, 3])
        object.ints = object.ints
        #expect(Array(list) == [1, 2, 3])
    }

    @Test func unmanagedObjectsHaveNoRealm() {
        let object = Person()
        #expect(object.realm == nil && !object.isInvalidated)
        #expect(object == object && object != Person())
        #expect(object.isSameObject(as: object) && !object.isSameObject(as: Person()))
        #expect(!object.isSameObject(as: nil))
    }

    @Test func subscriptsReachPropertiesByName() {
        let object = Keyed()
        object["text"] = "new"
        object["number"] = 3
        object["next"] = object
        #expect(object.text == "new" && object.number == 3 && object.next === object)
        object["number"] = nil
        #expect(object.number == nil && object["number"] == nil)
        #expect(object["text"] as? String == "new")
        object.next = nil
    }

    @Test func convertsNumbersThatFit() {
        let object = Everything()
        object["int8"] = 12
        object["double"] = 3
        object["float"] = 0.5
        object["optionalInt"] = NSNumber(value: 7)
        object["bool"] = true
        #expect(object.int8 == 12 && object.double == 3 && object.float == 0.5)
        #expect(object.optionalInt == 7 && object.bool)
    }
}

@Suite struct ObjectFromValueTests {
    @Test func fillsLists() {
        let owner = Owner(value: [
            "name": "Ann", "dogs": [["name": "Rex"], ["name": "Bo"]], "nicknames": ["a", "b"],
        ])
        #expect(owner.dogs.map(\.name) == ["Rex", "Bo"])
        #expect(Array(owner.nicknames) == ["a", "b"])
        let everything = Everything(value: ["optionalStrings": ["a", nil] as [String?]])
        #expect(Array(everything.optionalStrings) == ["a", nil])
    }
}
