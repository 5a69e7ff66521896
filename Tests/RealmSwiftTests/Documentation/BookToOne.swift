import Foundation
import RealmSwift
import Testing

// Chapter 4 of the book, "Schema relationships": to-one relationships.

/// The models of the chapter, which `BookToMany` uses as well.
enum Garage {
    class Person: Object {
        @Persisted var name = ""

        convenience init(_ name: String) {
            self.init()
            self.name = name
        }
    }

    class RepairShop: Object {
        @Persisted var name = ""
        @Persisted var contact: Person?

        convenience init(_ name: String) {
            self.init()
            self.name = name
        }
    }

    class Car: Object {
        @Persisted var brand = ""
        @Persisted var year = 0
        // Object relationships
        @Persisted var owner: Person?
        @Persisted var shop: RepairShop?
        @Persisted var repairs: List<Repair>
        @Persisted var plates: List<String>
        @Persisted var checkups: List<Date>
        @Persisted var stickers: List<String>

        convenience init(brand: String, year: Int) {
            self.init()
            self.brand = brand
            self.year = year
        }

        override var description: String { "Car {\(brand), \(year)}" }
    }

    class Repair: Object {
        @Persisted var date = Date()
        @Persisted var person: Person?

        convenience init(by person: Person) {
            self.init()
            self.person = person
        }
    }

    class Sticker: Object {
        @Persisted(primaryKey: true) var id = UUID().uuidString
        @Persisted var text = ""

        convenience init(_ text: String) {
            self.init()
            self.text = text
        }
    }

    static let types: [ObjectBase.Type] = [
        Person.self, RepairShop.self, Car.self, Repair.self,
    ]
}

/// "To-one relationships as object inheritance".
private enum Fleet {
    class Vehicle: Object {
        @Persisted var year = 0
        @Persisted var isDiesel = false
    }

    class Truck: Object {
        @Persisted var vehicle: Vehicle?
        @Persisted var nrOfGears = 12
        @Persisted var nrOfWheels = 16

        convenience init(year: Int, isDiesel: Bool, gears: Int, wheels: Int) {
            self.init()
            vehicle = Vehicle(value: ["year": year, "isDiesel": isDiesel])
            nrOfGears = gears
            nrOfWheels = wheels
        }
    }
}

@Suite struct BookToOne {
    private let jack = Garage.Person("Jack")
    private let shop = Garage.RepairShop("My Little Auto Shop")

    @Test func objectRelationships() {
        let car = Garage.Car(brand: "BMW", year: 1980)
        car.shop = shop
        car.owner = Garage.Person("Marin")
        #expect(car.shop == shop && car.owner!.name == "Marin")
    }

    @Test func assignmentNeitherCopiesTheObjectNorBindsIt() throws {
        shop.contact = jack
        #expect(shop.contact === jack && shop.contact?.name ?? "n/a" == "Jack")
        shop.contact = nil
        #expect(shop.contact?.name ?? "n/a" == "n/a")
    }

    @Test func manyObjectsLinkToOne() throws {
        let realm = try temporaryRealm(Garage.types)
        let shops = (0..<3).map { Garage.RepairShop("shop \($0)") }
        for shop in shops { shop.contact = jack }
        try realm.write { realm.add(shops) }
        try realm.write { jack.name = "Jill" }
        #expect(realm.objects(Garage.RepairShop.self).allSatisfy { $0.contact?.name == "Jill" })
        #expect(realm.objects(Garage.Person.self).count == 1)
    }

    @Test func deletingTheLinkedObjectMakesTheLinkNil() throws {
        let realm = try temporaryRealm(Garage.types)
        shop.contact = jack
        try realm.write { realm.add(shop) }
        try realm.write { realm.delete(jack) }
        #expect(shop.contact == nil && !shop.isInvalidated)
    }

    @Test func deletingTheLinkingObjectLeavesTheLinkedOne() throws {
        let realm = try temporaryRealm(Garage.types)
        shop.contact = jack
        try realm.write { realm.add(shop) }
        try realm.write { realm.delete(shop) }
        #expect(!jack.isInvalidated && realm.objects(Garage.Person.self).count == 1)
    }

    @Test func composition() throws {
        let realm = try temporaryRealm([Fleet.Vehicle.self, Fleet.Truck.self])
        let truck = Fleet.Truck(year: 1999, isDiesel: true, gears: 8, wheels: 6)
        try realm.write { realm.add(truck) }
        let vehicle = try #require(realm.objects(Fleet.Vehicle.self).first)
        #expect(vehicle.year == 1999 && vehicle.isDiesel)
        #expect(truck.nrOfGears == 8 && truck.nrOfWheels == 6)
    }
}
