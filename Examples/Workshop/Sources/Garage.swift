import Foundation
import RealmSwift

/// What cannot be done.
struct Refusal: Error, CustomStringConvertible {
    let description: String
}

/// What a search looks for. What is nil is not asked for.
struct Search {
    var owner: String?
    var part: String?
    var mechanic: String?
    var repairs: Int?
}

/// The workshop's file.
struct Garage {
    private let realm: Realm

    init(_ path: String) throws {
        realm = try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: [
                    Customer.self, Car.self, Repair.self, Part.self, Mechanic.self,
                ]))
    }

    func car(_ plate: String) throws -> Car { try existing(Car.self, plate) }
    func customer(_ name: String) throws -> Customer { try existing(Customer.self, name) }
    func mechanic(_ name: String) throws -> Mechanic { try existing(Mechanic.self, name) }

    // MARK: Writing

    /// Takes a car in. A car that is known gets its present owner.
    func register(_ plate: String, _ model: String, owner: String) throws {
        try realm.write {
            let owner = realm.create(Customer.self, value: ["name": owner], update: .modified)
            realm.create(
                Car.self, value: ["plate": plate, "model": model, "owner": owner],
                update: .modified)
        }
    }

    /// Writes down a repair. Objects that are not in the Realm yet are added with the first one
    /// that leads to them.
    func repair(_ plate: String, by mechanic: String, work: String, parts: [Part]) throws {
        let car = try car(plate)
        try realm.write {
            let repair = Repair()
            repair.work = work
            repair.mechanic = realm.create(
                Mechanic.self, value: ["name": mechanic], update: .modified)
            repair.parts.append(objectsIn: parts)
            car.repairs.append(repair)
        }
    }

    // MARK: Searching

    /// The cars that fit, by their plates. A comparison through a list holds if it does for any of
    /// its elements.
    func cars(_ search: Search) -> Results<Car> {
        var cars = realm.objects(Car.self)
        if let owner = search.owner {
            cars = cars.where { $0.owner.name.starts(with: owner) }
        }
        if let part = search.part {
            cars = cars.where { $0.repairs.parts.name.contains(part, options: .caseInsensitive) }
        }
        if let mechanic = search.mechanic {
            cars = cars.where { $0.repairs.mechanic.name == mechanic }
        }
        if let repairs = search.repairs {
            cars = cars.where { $0.repairs.count >= repairs }
        }
        return cars.sorted(by: \.plate)
    }

    // MARK: Deleting

    // Deleting an object deletes its embedded objects, and nothing else. What should happen to the
    // others is a decision of the application, made here once for each class.

    /// Deletes a car, and its repairs, which mean nothing without it. Their parts are embedded, and
    /// go by themselves.
    func scrap(_ plate: String) throws {
        let car = try car(plate)
        try realm.write {
            // The list first: the car's own list is gone with the car.
            realm.delete(car.repairs)
            realm.delete(car)
        }
    }

    /// Deletes a mechanic. The repairs stay; their links become nil.
    func dismiss(_ name: String) throws {
        let mechanic = try mechanic(name)
        try realm.write { realm.delete(mechanic) }
    }

    /// Deletes a customer, but not one whose cars are here.
    func forget(_ name: String) throws {
        try realm.write {
            // Inside of the transaction, so that no other program brings a car in between.
            let customer = try customer(name)
            guard customer.cars.isEmpty else {
                let plates = customer.cars.map(\.plate).joined(separator: ", ")
                throw Refusal(description: "\(name) still has \(plates).")
            }
            realm.delete(customer)
        }
    }

    /// How many objects of each class there are.
    var counts: [(name: String, count: Int)] {
        [
            ("customers", realm.objects(Customer.self).count),
            ("cars", realm.objects(Car.self).count),
            ("repairs", realm.objects(Repair.self).count),
            ("mechanics", realm.objects(Mechanic.self).count),
        ]
    }

    private func existing<T: Object>(_ type: T.Type, _ key: String) throws -> T {
        guard let object = realm.object(ofType: type, forPrimaryKey: key) else {
            throw Refusal(description: "There is no \(type.className().lowercased()) '\(key)'.")
        }
        return object
    }
}
