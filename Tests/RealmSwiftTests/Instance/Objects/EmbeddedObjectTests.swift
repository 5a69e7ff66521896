import Foundation
import RealmSwift
import Testing

enum EmbeddedModels {
    class Address: EmbeddedObject {
        @Persisted var street = "unknown"
        @Persisted var city: String?
        @Persisted var country: Country?
        @Persisted var rooms: List<Room>
    }

    class Room: EmbeddedObject {
        @Persisted var name: String
        @Persisted var keeper: Resident?
    }

    class Country: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var name = "?"
    }

    class Resident: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var address: Address?
        @Persisted var earlier: List<Address>
        @Persisted var byName: Map<String, Address?>
    }

    /// A chain of embedded objects.
    class Link: EmbeddedObject {
        @Persisted var value: Int
        @Persisted var next: Link?
    }

    class Chain: Object {
        @Persisted var first: Link?
    }

    static let all: [ObjectBase.Type] = [
        Address.self, Room.self, Country.self, Resident.self, Link.self, Chain.self,
    ]
}

@Suite struct EmbeddedObjectTests {
    typealias Address = EmbeddedModels.Address
    typealias Resident = EmbeddedModels.Resident
    typealias Country = EmbeddedModels.Country
    typealias Room = EmbeddedModels.Room

    let directory = TestDirectory()

    private func openRealm() throws -> Realm { try directory.realm(EmbeddedModels.all) }

    private func count(_ name: String, in realm: Realm) -> Int {
        realm.dynamicObjects(name).count
    }

    private func addresses(in realm: Realm) -> Int { count("EmbeddedModels_Address", in: realm) }

    @Test func unmanagedObjectsAreMovedIn() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1])
        let address = Address(value: ["street": "Main", "city": "Bern"])
        try realm.write {
            realm.add(resident)
            resident.address = address
        }
        #expect(address.realm == realm && resident.address?.isSameObject(as: address) == true)
        #expect(resident.address?.street == "Main" && resident.address?.city == "Bern")
        try realm.write { address.city = nil }
        #expect(resident.address?.city == nil && addresses(in: realm) == 1)
    }

    @Test func addedWithTheirOwner() throws {
        let realm = try openRealm()
        let address = Address(value: ["street": "Main"])
        address.country = Country(value: ["code": "CH"])
        address.rooms.append(Room(value: ["name": "kitchen"]))
        let resident = Resident(value: ["id": 1])
        resident.address = address
        resident.earlier.append(objectsIn: [Address(), Address(value: ["street": "Side"])])
        resident.byName["home"] = Address(value: ["street": "Home"])
        try realm.write { realm.add(resident) }
        #expect(address.realm == realm && addresses(in: realm) == 4)
        #expect(resident.address?.country?.code == "CH" && realm.objects(Country.self).count == 1)
        #expect(resident.address?.rooms.map(\.name) == ["kitchen"])
        #expect(resident.earlier.map(\.street) == ["unknown", "Side"])
        #expect(resident.byName["home"]??.street == "Home")
    }

    @Test func replacingDeletesTheOldOne() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1])
        try realm.write {
            realm.add(resident)
            resident.address = Address(value: ["street": "old", "rooms": [["name": "a"]]])
        }
        let old = try #require(resident.address)
        try realm.write { resident.address = Address(value: ["street": "new"]) }
        #expect(old.isInvalidated && resident.address?.street == "new")
        #expect(addresses(in: realm) == 1 && count("EmbeddedModels_Room", in: realm) == 0)
        try realm.write { resident.address = nil }
        #expect(resident.address == nil && addresses(in: realm) == 0)
    }

    @Test func anEmbeddedObjectMayBeDeletedItself() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1, "address": [:], "earlier": [[:], ["x"]]])
        try realm.write { realm.add(resident) }
        try realm.write {
            realm.delete(try #require(resident.address))
            realm.delete(resident.earlier[0])
        }
        #expect(resident.address == nil && resident.earlier.map(\.street) == ["x"])
    }

    @Test func listsOwnTheirElements() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1])
        try realm.write {
            realm.add(resident)
            resident.earlier.append(Address(value: ["a"]))
            resident.earlier.insert(Address(value: ["b"]), at: 0)
            resident.earlier[1] = Address(value: ["c"])
        }
        #expect(resident.earlier.map(\.street) == ["b", "c"] && addresses(in: realm) == 2)
        try realm.write { resident.earlier.remove(at: 0) }
        #expect(resident.earlier.map(\.street) == ["c"] && addresses(in: realm) == 1)
        try realm.write { resident.earlier.removeAll() }
        #expect(addresses(in: realm) == 0)
    }

    @Test func mapsOwnTheirValues() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1])
        try realm.write {
            realm.add(resident)
            resident.byName["a"] = Address(value: ["one"])
            resident.byName["a"] = Address(value: ["two"])
            resident.byName["b"] = .some(nil)
        }
        #expect(resident.byName["a"]??.street == "two" && resident.byName.count == 2)
        #expect(addresses(in: realm) == 1)
        try realm.write { resident.byName["a"] = nil }
        #expect(resident.byName.count == 1 && addresses(in: realm) == 0)
    }

    @Test func createdFromNestedValues() throws {
        let realm = try openRealm()
        try realm.write {
            let resident = realm.create(
                Resident.self,
                value: [
                    "id": 1, "address": ["street": "Main", "country": ["code": "CH"]],
                    "earlier": [["one", "Bern"], ["street": "two"]],
                    "byName": ["x": ["street": "three"], "y": NSNull()],
                ])
            #expect(resident.address?.country?.code == "CH")
            #expect(resident.earlier.map(\.city) == ["Bern", nil])
            #expect(resident.byName["x"]??.street == "three")
            #expect(resident.byName.count == 2)
        }
    }

    @Test func copyingTheOwnerCopiesThem() throws {
        let realm = try openRealm()
        try realm.write {
            let resident = realm.create(
                Resident.self, value: ["id": 1, "address": ["street": "Main"]])
            let values: [String: Any] = [
                "id": 2, "address": try #require(resident.address),
                "earlier": [try #require(resident.address)],
            ]
            let copy = realm.create(Resident.self, value: values)
            #expect(copy.address?.street == "Main")
            #expect(copy.address?.isSameObject(as: resident.address) == false)
            #expect(addresses(in: realm) == 3)
        }
    }

    @Test func updatingWithModifiedKeepsTheObjectThatIsThere() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1, "address": ["street": "Main", "city": "Bern"]])
        try realm.write { realm.add(resident) }
        let address = try #require(resident.address)
        try realm.write {
            realm.create(
                Resident.self, value: ["id": 1, "address": ["city": "Biel"]], update: .modified)
        }
        #expect(!address.isInvalidated && address.street == "Main" && address.city == "Biel")
        try realm.write {
            realm.create(
                Resident.self, value: ["id": 1, "address": ["city": "Basel"]], update: .all)
        }
        #expect(address.isInvalidated && resident.address?.street == "unknown")
        #expect(resident.address?.city == "Basel" && addresses(in: realm) == 1)
        try realm.write {
            realm.create(Resident.self, value: ["id": 1, "address": NSNull()], update: .modified)
        }
        #expect(resident.address == nil && addresses(in: realm) == 0)
    }

    @Test func chainsNeedNoStack() throws {
        let realm = try openRealm()
        let chain = EmbeddedModels.Chain()
        var last = EmbeddedModels.Link()
        chain.first = last
        for value in 1..<2_000 {
            let next = EmbeddedModels.Link()
            next.value = value
            last.next = next
            last = next
        }
        try realm.write { realm.add(chain) }
        #expect(count("EmbeddedModels_Link", in: realm) == 2_000 && last.value == 1_999)
        try realm.write {
            let copy = realm.create(EmbeddedModels.Chain.self, value: chain)
            #expect(copy.first?.next?.next?.value == 2)
        }
        #expect(count("EmbeddedModels_Link", in: realm) == 4_000)
        try realm.write { realm.delete(chain) }
        #expect(count("EmbeddedModels_Link", in: realm) == 2_000)
    }

    @Test func survivesReopening() throws {
        try autoreleasepool {
            let realm = try openRealm()
            try realm.write {
                realm.create(
                    Resident.self,
                    value: ["id": 1, "address": ["Main", "Bern"], "earlier": [["one"], ["two"]]])
            }
        }
        let realm = try openRealm()
        let resident = try #require(realm.object(ofType: Resident.self, forPrimaryKey: 1))
        #expect(resident.address?.street == "Main" && resident.address?.city == "Bern")
        #expect(resident.earlier.map(\.street) == ["one", "two"])
    }

    @Test func cancelledObjectsAreInvalid() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1])
        try realm.write { realm.add(resident) }
        let address = Address()
        realm.beginWrite()
        resident.address = address
        realm.cancelWrite()
        #expect(address.isInvalidated && resident.address == nil)
    }

    @Test func theSchemaSaysSo() throws {
        let schema = try openRealm().schema
        #expect(schema["EmbeddedModels_Address"]?.isEmbedded == true)
        #expect(schema["EmbeddedModels_Resident"]?.isEmbedded == false)
        let description = try #require(schema["EmbeddedModels_Room"]).description
        #expect(description.hasPrefix("EmbeddedModels_Room (embedded) {\n\tname {\n"))
        let property = try #require(schema["EmbeddedModels_Resident"]?["address"])
        #expect(property.type == .object && property.isOptional)
        #expect(property.objectClassName == "EmbeddedModels_Address")
    }

    @Test func equalityIsIdentity() throws {
        let realm = try openRealm()
        let resident = Resident(value: ["id": 1, "address": [:]])
        try realm.write { realm.add(resident) }
        let first = try #require(resident.address)
        let second = try #require(resident.address)
        #expect(first != second && first.isSameObject(as: second) && first == first)
        #expect(!Address().isSameObject(as: Address()) && !first.isSameObject(as: nil))
    }
}

private class KeyedPart: EmbeddedObject {
    @Persisted(primaryKey: true) var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OwnerOfASet: Object {
    @Persisted var addresses: MutableSet<EmbeddedModels.Address>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct EmbeddedTrapTests {
    private static func managed() throws -> (Realm, EmbeddedModels.Resident) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: EmbeddedModels.all))
        let resident = EmbeddedModels.Resident(value: ["id": 1, "address": [:]])
        try realm.write { realm.add(resident) }
        return (realm, resident)
    }

    @Test func settingOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, resident) = try EmbeddedTrapTests.managed()
            resident.address = EmbeddedModels.Address()
        }
        expectStop(
            "Attempting to modify object outside of a write transaction - call "
                + "beginWriteTransaction on an RLMRealm instance first.", result)
    }

    @Test func aPrimaryKey() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "keyed", objectTypes: [KeyedPart.self]))
        }
        expectStop(
            "Schema validation failed due to the following errors:\n"
                + "- Embedded object type 'KeyedPart' cannot have a primary key.", result)
    }

    @Test func aSet() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "set",
                    objectTypes: EmbeddedModels.all + [OwnerOfASet.self]))
        }
        expectStop(
            "Schema validation failed due to the following errors:\n"
                + "- Set property 'OwnerOfASet.addresses' cannot contain embedded objects.", result)
    }
}
