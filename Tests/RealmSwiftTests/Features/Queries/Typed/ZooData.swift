import Foundation
import RealmSwift
import StressModel

/// Returns a Realm with animals. Their properties have few values, so that conditions often hold.
/// No optional property is always set.
func zooRealm(seed: UInt64, animals count: Int = 60) throws -> Realm {
    let realm = try temporaryRealm(zooTypes)
    var random = RepeatableRandom(seed: seed)
    try realm.write {
        let zoos = (0..<4).map { _ in
            let zoo = Zoo()
            zoo.city = ["Ulm", "Bonn", "Kiel"].randomElement(using: &random)!
            zoo.isOpen = .random(using: &random)
            realm.add(zoo)
            return zoo
        }
        for zoo in zoos.dropFirst() { zoo.partner = zoos.randomElement(using: &random) }
        let animals = (0..<count).map { id in
            let animal = randomAnimal(&random)
            animal.id = id
            realm.add(animal)
            return animal
        }
        for animal in animals {
            animal.home = Bool.random(using: &random) ? zoos.randomElement(using: &random) : nil
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                animal.friends.append(animals.randomElement(using: &random)!)
            }
            for key in ["x", "y"] where Bool.random(using: &random) {
                animal.neighbours[key] = animals.randomElement(using: &random)!
            }
            zoos.randomElement(using: &random)!.animals.append(animal)
        }
    }
    return realm
}

private func randomAnimal(_ random: inout RepeatableRandom) -> ZooAnimal {
    func maybe<T>(_ value: T, _ random: inout RepeatableRandom) -> T? {
        Bool.random(using: &random) ? value : nil
    }
    func small(_ random: inout RepeatableRandom) -> Int { .random(in: 0...4, using: &random) }
    let names = ["Rex", "Bo", "rex", "Lénya", "", "Boris"]
    let animal = ZooAnimal()
    animal.name = names.randomElement(using: &random)!
    animal.nickname = maybe(names.randomElement(using: &random)!, &random)
    animal.age = small(&random)
    animal.all = small(&random)
    animal.weight = maybe(Double(small(&random)) / 2, &random)
    animal.isTame = .random(using: &random)
    animal.photo = Data((0..<small(&random)).map { UInt8($0) })
    animal.born = Date(timeIntervalSinceReferenceDate: Double(small(&random)))
    animal.mood = .random(using: &random) ? .calm : .wild
    animal.formerMood = maybe(.random(using: &random) ? .calm : .wild, &random)
    animal.length = Meters(Double(small(&random)))
    animal.note = [.none, .int(1), .double(2), .string("Rex"), .bool(true)]
        .randomElement(using: &random)!
    if Bool.random(using: &random) {
        let den = Den()
        den.depth = small(&random)
        den.marks.append(objectsIn: (0..<small(&random)).map { $0 })
        animal.den = den
    }
    animal.scores.append(objectsIn: (0..<small(&random)).map { _ in small(&random) })
    animal.words.insert(
        objectsIn: (0..<small(&random)).map { _ in
            maybe(names.randomElement(using: &random)!, &random)
        })
    animal.moods.append(
        objectsIn: (0..<small(&random)).map { _ in
            .random(using: &random) ? .calm : .wild
        })
    animal.lengths.append(
        objectsIn: (0..<small(&random)).map { _ in
            maybe(Meters(Double(small(&random))), &random)
        })
    for key in ["x", "y", "z"] where Bool.random(using: &random) {
        animal.prices[key] = Double(small(&random))
        animal.labels[key] = .some(maybe(names.randomElement(using: &random)!, &random))
    }
    return animal
}
