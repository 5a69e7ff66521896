import Foundation
import RealmSwift
import Testing

/// Tests of embedded objects that keep their identity, because no other object replaces them.
@Suite struct EmbeddedInPlaceTests {
    typealias Address = EmbeddedModels.Address
    typealias Resident = EmbeddedModels.Resident

    let directory = TestDirectory()

    private func filled() throws -> (Realm, Resident) {
        let realm = try directory.realm(EmbeddedModels.all)
        let resident = try realm.write {
            realm.create(
                Resident.self,
                value: [
                    "id": 1, "address": ["street": "Main", "rooms": [["name": "hall"]]],
                    "earlier": [["street": "one", "city": "A"], ["street": "two", "city": "B"]],
                    "byName": ["home": ["street": "three", "city": "C"]],
                ])
        }
        return (realm, resident)
    }

    // MARK: The same object again

    @Test func assigningTheSameObjectDoesNothing() throws {
        let (realm, resident) = try filled()
        let address = try #require(resident.address)
        let elements = Array(resident.earlier)
        let home = try #require(resident.byName["home"] ?? nil)
        try realm.write {
            resident.address = address
            resident.address = resident.address
            resident.earlier[1] = elements[1]
            resident.earlier[0] = resident.earlier[0]
            resident.byName["home"] = home
            resident["address"] = address
            resident.setValue(resident.address, forKey: "address")
            resident.byName.setValue(home, forKey: "home")
            let dynamic = try #require(
                realm.dynamicObject(ofType: Resident.className(), forPrimaryKey: 1))
            dynamic["address"] = dynamic["address"]
            dynamic["address"] = address
        }
        #expect(!address.isInvalidated && address.street == "Main")
        #expect(address.rooms.map(\.name) == ["hall"])
        #expect(elements.allSatisfy { !$0.isInvalidated } && !home.isInvalidated)
        #expect(resident.earlier.map(\.street) == ["one", "two"])
        #expect(realm.dynamicObjects(Address.className()).count == 4)
    }

    @Test func addingAnOwnerThatHoldsItDoesNothingToIt() throws {
        let (realm, resident) = try filled()
        let address = try #require(resident.address)
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let other = Resident(value: ["id": 1])
            other.address = address
            try realm.write { realm.add(other, update: policy) }
            #expect(!address.isInvalidated && resident.address?.street == "Main")
        }
    }

    @Test func inAnotherPlaceItStillStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, resident) = try EmbeddedInPlaceTests().filled()
            try realm.write { resident.earlier[0] = resident.earlier[1] }
        }
        expectStop("Cannot add an existing managed embedded object to a List.", result)
    }

    @Test func outsideOfAWriteItStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, resident) = try EmbeddedInPlaceTests().filled()
            resident["address"] = resident.address
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("outside of a write transaction") == true)
    }

    // MARK: Updates

    @Test func modifiedChangesTheElementsOfAListByIndex() throws {
        let (realm, resident) = try filled()
        let elements = Array(resident.earlier)
        let home = try #require(resident.byName["home"] ?? nil)
        try realm.write {
            realm.create(
                Resident.self,
                value: [
                    "id": 1, "earlier": [["street": "new"], ["city": "D"], ["street": "more"]],
                    "byName": ["home": ["city": "E"], "work": ["city": "F"]],
                ], update: .modified)
        }
        #expect(elements.allSatisfy { !$0.isInvalidated } && !home.isInvalidated)
        // Properties that are not given keep their values.
        #expect(resident.earlier.map(\.street) == ["new", "two", "more"])
        #expect(resident.earlier.map(\.city) == ["A", "D", nil])
        #expect(home.street == "three" && home.city == "E" && resident.byName.count == 2)
        try realm.write {
            realm.create(
                Resident.self, value: ["id": 1, "earlier": [["city": "G"]], "byName": [:]],
                update: .modified)
        }
        #expect(!elements[0].isInvalidated && elements[0].city == "G")
        #expect(elements[1].isInvalidated && resident.earlier.count == 1)
        #expect(home.isInvalidated && resident.byName.count == 0)
        #expect(realm.dynamicObjects(Address.className()).count == 2)
    }

    @Test func addingWithModifiedDoesSoToo() throws {
        let (realm, resident) = try filled()
        let elements = Array(resident.earlier)
        let other = Resident(value: [
            "id": 1, "address": ["street": "Side", "rooms": [["name": "loft"], ["name": "bath"]]],
            "earlier": [["street": "x"], ["street": "two", "city": "B"]],
        ])
        let room = try #require(resident.address?.rooms[0])
        let given = Array(other.earlier)
        try realm.write { realm.add(other, update: .modified) }
        #expect(elements.allSatisfy { !$0.isInvalidated })
        #expect(resident.earlier.map(\.street) == ["x", "two"])
        #expect(elements[0].city == nil && given[0].isSameObject(as: elements[0]))
        #expect(!room.isInvalidated && room.name == "loft" && resident.address?.rooms.count == 2)
    }

    @Test func allReplacesThem() throws {
        let (realm, resident) = try filled()
        let elements = Array(resident.earlier)
        try realm.write {
            realm.create(
                Resident.self, value: ["id": 1, "earlier": [["city": "A"]]], update: .all)
        }
        #expect(elements.allSatisfy { $0.isInvalidated } && resident.earlier[0].street == "unknown")
    }

    /// The class is in the file only, not in the configuration.
    @Test func dynamicUpdatesChangeThemInPlace() throws {
        try autoreleasepool { _ = try filled() }
        let realm = try directory.realm([Person.self])
        let name = Resident.className()
        let resident = try #require(realm.dynamicObject(ofType: name, forPrimaryKey: 1))
        let address = try #require(resident.address as? DynamicObject)
        let elements = try #require(resident.earlier as? List<DynamicObject>).map { $0 }
        let kept = Array(elements)
        try realm.write {
            realm.dynamicCreate(
                name,
                value: [
                    "id": 1, "address": ["city": "Bern"], "earlier": [["street": "new"]],
                    "byName": ["home": ["street": "four"]],
                ], update: .modified)
        }
        #expect(address.street as? String == "Main" && address.city as? String == "Bern")
        #expect(kept[0].street as? String == "new" && kept[0].city as? String == "A")
        #expect(kept[1].isInvalidated)
        let home = (resident.byName as? Map<String, DynamicObject?>)?["home"] ?? nil
        #expect(home?.street as? String == "four" && home?.city as? String == "C")
    }
}
