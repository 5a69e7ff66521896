import Foundation
import RealmSwift

let usage = """
    Usage: workshop FILE register PLATE MODEL OWNER
           workshop FILE repair PLATE MECHANIC WORK [PART=CENTS ...]
           workshop FILE car PLATE
           workshop FILE customer NAME
           workshop FILE mechanic NAME
           workshop FILE find [--owner START] [--part TEXT] [--mechanic NAME] [--repairs N]
           workshop FILE scrap PLATE
           workshop FILE dismiss MECHANIC
           workshop FILE forget CUSTOMER
           workshop FILE counts
    """

@main
struct Workshop {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("workshop: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { return stopWithUsage() }
        let garage = try Garage(arguments[0])
        let rest = Array(arguments.dropFirst(2))
        switch (arguments[1], rest.count) {
        case ("register", 3): try garage.register(rest[0], rest[1], owner: rest[2])
        case ("repair", 3...):
            guard let parts = parts(rest.dropFirst(3)) else { return stopWithUsage() }
            try garage.repair(rest[0], by: rest[1], work: rest[2], parts: parts)
        case ("car", 1): show(try garage.car(rest[0]))
        case ("customer", 1): show(try garage.customer(rest[0]))
        case ("mechanic", 1): show(try garage.mechanic(rest[0]))
        case ("find", _):
            guard let search = search(rest) else { return stopWithUsage() }
            for car in garage.cars(search) { print(title(of: car)) }
        case ("scrap", 1): try garage.scrap(rest[0])
        case ("dismiss", 1): try garage.dismiss(rest[0])
        case ("forget", 1): try garage.forget(rest[0])
        case ("counts", 0):
            for (name, count) in garage.counts { print("\(name): \(count)") }
        default: stopWithUsage()
        }
    }

    static func stopWithUsage() {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
}

// MARK: Arguments

/// The parts in arguments such as `pads=4950`; nil if one of them is something else.
func parts(_ arguments: ArraySlice<String>) -> [Part]? {
    var parts: [Part] = []
    for argument in arguments {
        let halves = argument.split(separator: "=")
        guard halves.count == 2, let price = Int(halves[1]) else { return nil }
        parts.append(Part(value: ["name": String(halves[0]), "price": price]))
    }
    return parts
}

/// The search in options such as `--owner Ada`; nil for others.
func search(_ arguments: [String]) -> Search? {
    guard arguments.count.isMultiple(of: 2) else { return nil }
    var search = Search()
    for position in stride(from: 0, to: arguments.count, by: 2) {
        let value = arguments[position + 1]
        switch arguments[position] {
        case "--owner": search.owner = value
        case "--part": search.part = value
        case "--mechanic": search.mechanic = value
        case "--repairs":
            guard let count = Int(value) else { return nil }
            search.repairs = count
        default: return nil
        }
    }
    return search
}

// MARK: Output

func show(_ car: Car) {
    print(title(of: car))
    for repair in car.repairs {
        print("  \(repair.work), by \(repair.mechanic?.name ?? "somebody"): \(price(repair.price))")
        for part in repair.parts { print("    \(part.name) \(price(part.price))") }
    }
    print("  in all \(price(car.price))")
}

func show(_ customer: Customer) {
    let cars = customer.cars.sorted(by: \.plate)
    for car in cars { print("\(title(of: car)): \(price(car.price))") }
    print("in all \(price(cars.reduce(0) { $0 + $1.price }))")
}

/// Goes two links back: from the mechanic to the repairs, and from each to the car.
func show(_ mechanic: Mechanic) {
    for repair in mechanic.repairs {
        print("\(repair.car.map(title) ?? "a car that is gone"): \(repair.work)")
    }
}

func title(of car: Car) -> String {
    "\(car.plate) \(car.model), of \(car.owner?.name ?? "nobody")"
}

func price(_ cents: Int) -> String {
    let fraction = String(cents % 100)
    return "\(cents / 100)." + String(repeating: "0", count: 2 - fraction.count) + fraction
}
