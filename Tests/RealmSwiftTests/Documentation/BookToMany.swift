import Foundation
import RealmSwift
import Testing

// Chapter 4 of the book, "Schema relationships": to-many relationships and linking objects.

/// "Linking objects".
private enum BackLinks {
    class RepairShop: Object {
        @Persisted var name = ""
        @Persisted(originProperty: "shop") var maintainedCars: LinkingObjects<Car>

        convenience init(_ name: String) {
            self.init()
            self.name = name
        }
    }

    class Car: Object {
        @Persisted var brand = ""
        @Persisted var year = 0
        @Persisted var shop: RepairShop?

        convenience init(brand: String, year: Int) {
            self.init()
            self.brand = brand
            self.year = year
        }
    }
}

/// "Challenge 1".
private enum CarSales {
    class Sale: Object {
        @Persisted var date = Date()
        @Persisted var value = 0.0
        @Persisted var closedBy: Person?
    }

    class Person: Object {
        @Persisted var name = ""
        @Persisted(originProperty: "closedBy") var sales: LinkingObjects<Sale>
        @Persisted var bonuses: List<Double>
    }

    class Car: Object {
        @Persisted var brand = ""
    }

    class Store: Object {
        @Persisted var name = ""
        @Persisted var cars: List<Car>
        @Persisted var employees: List<Person>
    }

    static let types: [ObjectBase.Type] = [Sale.self, Person.self, Car.self, Store.self]
}

@Suite struct BookToMany {
    private let jack = Garage.Person("Jack")
    private let car = Garage.Car(brand: "BMW", year: 1980)

    @Test func addingObjectsToAnotherObjectsListProperty() throws {
        #expect(car.repairs.isEmpty)
        car.repairs.append(Garage.Repair(by: jack))
        car.repairs.append(objectsIn: [
            Garage.Repair(by: jack), Garage.Repair(by: jack), Garage.Repair(by: jack),
        ])
        #expect("\(car) has \(car.repairs.count) repairs" == "Car {BMW, 1980} has 4 repairs")
        let order = Array(car.repairs)
        let realm = try temporaryRealm(Garage.types)
        try realm.write { realm.add(car) }
        let stored = try #require(realm.objects(Garage.Car.self).first)
        #expect(zip(stored.repairs, order).allSatisfy { $0.isSameObject(as: $1) })
    }

    @Test(arguments: [false, true]) func addingPointersToTheSameObject(managed: Bool) throws {
        let realm = try temporaryRealm(Garage.types)
        let repair = Garage.Repair(by: jack)
        repair.date = Date(timeIntervalSince1970: 0)
        for _ in 0..<2 { car.repairs.append(repair) }
        if managed { try realm.write { realm.add(car) } }
        let element = """
            Garage_Repair {
            \t\tdate = 1970-01-01 00:00:00 +0000;
            \t\tperson = Garage_Person {
            \t\t\tname = Jack;
            \t\t};
            \t}
            """
        #expect(
            withoutAddresses(car.repairs.description)
                == "List<Garage_Repair> <0x> (\n\t[0] \(element),\n\t[1] \(element)\n)")
    }

    @Test(arguments: [false, true]) func managingListElements(managed: Bool) throws {
        let realm = try temporaryRealm(Garage.types)
        if managed { try realm.write { realm.add(car) } }
        let repairs = car.repairs
        func names() -> String { repairs.map { $0.person!.name }.joined() }
        func repair(_ name: String) -> Garage.Repair { Garage.Repair(by: Garage.Person(name)) }
        try realm.write {
            repairs.append(repair("a"))
            repairs.insert(repair("b"), at: 0)
            repairs.insert(contentsOf: [repair("c"), repair("d"), repair("e")], at: 1)
            #expect(names() == "bcdea")
            repairs.move(from: 0, to: 3)
            #expect(names() == "cdeba")
            repairs.removeFirst()
            #expect(names() == "deba")
            repairs.removeLast()
            #expect(names() == "deb")
            repairs.append(objectsIn: [repair("f"), repair("g"), repair("h"), repair("i")])
            repairs.removeFirst(2)
            #expect(names() == "bfghi")
            repairs.removeLast(2)
            #expect(names() == "bfg")
            repairs.remove(at: 1)
            #expect(names() == "bg")
            repairs.append(repair("j"))
            repairs.removeSubrange(0..<2)
            #expect(names() == "j")
            repairs.removeAll()
            #expect(repairs.isEmpty)
        }
    }

    @Test(arguments: [false, true]) func aggregateFunctions(managed: Bool) throws {
        let realm = try temporaryRealm(Garage.types)
        for time in [30.0, 10, 20] {
            let repair = Garage.Repair(by: jack)
            repair.date = Date(timeIntervalSince1970: time)
            car.repairs.append(repair)
        }
        if managed { try realm.write { realm.add(car) } }
        let firstRepair: Date? = car.repairs.min(ofProperty: "date")
        let lastRepair: Date? = car.repairs.max(ofProperty: "date")
        #expect(firstRepair == Date(timeIntervalSince1970: 10))
        #expect(lastRepair == Date(timeIntervalSince1970: 30))
    }

    @Test(arguments: [false, true]) func addingPrimitiveTypesToLists(managed: Bool) throws {
        let realm = try temporaryRealm(Garage.types)
        if managed { try realm.write { realm.add(car) } }
        let dates = [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 86400)]
        try realm.write {
            // String
            car.plates.append("WYZ 201 Q")
            car.plates.append("2MNYC0DZ")
            // Date
            car.checkups.append(objectsIn: dates)
        }
        #expect(
            withoutAddresses(car.plates.description)
                == "List<string> <0x> (\n\t[0] WYZ 201 Q,\n\t[1] 2MNYC0DZ\n)")
        #expect("Current registration: \(car.plates.last!)" == "Current registration: 2MNYC0DZ")
        #expect(
            withoutAddresses(car.checkups.description) == """
                List<date> <0x> (
                \t[0] 1970-01-01 00:00:00 +0000,
                \t[1] 1970-01-02 00:00:00 +0000
                )
                """)
        #expect(car.checkups.first! == dates[0] && car.checkups.max()! == dates[1])
        #expect(car.checkups.min() == dates[0])
    }

    @Test func valuesRemovedFromAListAreGoneWhereObjectsStay() throws {
        let realm = try temporaryRealm(Garage.types)
        car.plates.append("WYZ 201 Q")
        car.repairs.append(Garage.Repair(by: jack))
        try realm.write { realm.add(car) }
        try realm.write {
            car.plates.removeAll()
            car.repairs.removeAll()
        }
        #expect(car.plates.isEmpty && car.repairs.isEmpty)
        #expect(realm.objects(Garage.Repair.self).count == 1)
    }

    @Test func referencingObjectsFromADifferentRealm() throws {
        let realm = try temporaryRealm(Garage.types)
        let stickers = try temporaryRealm([Garage.Sticker.self])
        let sticker = Garage.Sticker("Swift is my life")
        car.stickers.append(sticker.id)
        try stickers.write { stickers.add([sticker, Garage.Sticker("other")]) }
        try realm.write { realm.add(car) }
        let linked = car.stickers.compactMap {
            stickers.object(ofType: Garage.Sticker.self, forPrimaryKey: $0)
        }
        #expect(linked.map(\.text) == ["Swift is my life"])
    }
}

@Suite struct BookLinkingObject {
    @Test func backlinks() throws {
        let realm = try temporaryRealm([BackLinks.Car.self, BackLinks.RepairShop.self])
        let myLittleShop = BackLinks.RepairShop("My Little Shop")
        let car = BackLinks.Car(brand: "BMW", year: 1980)
        car.shop = myLittleShop
        try realm.write {
            realm.add(car)
            realm.add(myLittleShop)
        }
        #expect(
            withoutAddresses(myLittleShop.maintainedCars.description) == """
                LinkingObjects<BackLinks_Car> <0x> (
                \t[0] BackLinks_Car {
                \t\tbrand = BMW;
                \t\tyear = 1980;
                \t\tshop = BackLinks_RepairShop {
                \t\t\tname = My Little Shop;
                \t\t};
                \t}
                )
                """)
        #expect(myLittleShop.maintainedCars[0].isSameObject(as: car))
        try realm.write { car.shop = nil }
        #expect(myLittleShop.maintainedCars.isEmpty)
    }

    @Test func challenge() throws {
        let realm = try temporaryRealm(CarSales.types)
        let ann = CarSales.Person(value: ["name": "Ann", "bonuses": [100, 250.5]])
        let store = CarSales.Store(
            value: [
                "name": "Cars", "cars": [["brand": "BMW"]], "employees": [ann],
            ] as [String: Any])
        try realm.write {
            realm.add(store)
            realm.create(CarSales.Sale.self, value: ["value": 9000, "closedBy": ann])
            realm.create(CarSales.Sale.self, value: ["value": 1000.5, "closedBy": ann])
            realm.create(CarSales.Sale.self, value: ["value": 5])
        }
        #expect(ann.sales.count == 2 && ann.sales.sum(ofProperty: "value") == 10000.5)
        #expect(ann.bonuses.sum() == 350.5)
        #expect(store.employees.first?.name == "Ann" && store.cars[0].brand == "BMW")
    }
}
