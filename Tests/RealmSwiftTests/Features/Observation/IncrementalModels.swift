import Foundation
import RealmSwift
import Testing
import ToolSupport

// Models and random changes for the tests of change sets of queries, with what an observer must be
// told, found by comparing all objects.

class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var level: Int
    @Persisted var favourites: List<Pet>
    @Persisted(originProperty: "owner") var pets: LinkingObjects<Pet>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Pet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(indexed: true) var kind: String
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted var score: Int?
    @Persisted var isTame: Bool
    @Persisted var owner: Keeper?
    @Persisted var friends: List<Pet>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

let incrementalTypes: [ObjectBase.Type] = [Pet.self, Keeper.self]

/// A query of pets.
struct PetQuery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (Realm) -> AnyRealmCollection<Pet>

    init(_ name: String, _ make: @escaping @Sendable (Results<Pet>) -> Results<Pet>) {
        testDescription = name
        self.make = { AnyRealmCollection(make($0.objects(Pet.self))) }
    }

    /// A query that begins with keeper 0.
    init(
        ofKeeper name: String, _ make: @escaping @Sendable (Keeper) -> AnyRealmCollection<Pet>
    ) {
        testDescription = name
        self.make = { realm in
            guard let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: 0) else {
                fatalError("keeper 0 is never deleted")
            }
            return make(keeper)
        }
    }

    static let all = filters + orders + linked + groups + collections

    static let filters = [
        PetQuery("all") { $0 },
        PetQuery("age > 5") { $0.filter("age > 5") },
        PetQuery("score = nil") { $0.filter("score = nil") },
        PetQuery("name BEGINSWITH[c] 'a'") { $0.filter("name BEGINSWITH[c] 'a'") },
        PetQuery("name CONTAINS[c] 'An' AND age < 8") {
            $0.filter("name CONTAINS[c] 'An' AND age < 8")
        },
        PetQuery("name ==[c] 'anna' OR isTame = true") {
            $0.filter("name ==[c] 'anna' OR isTame = true")
        },
        PetQuery("kind = 'cat' AND NOT (age BETWEEN {2, 6})") {
            $0.filter("kind = 'cat' AND NOT (age BETWEEN {2, 6})")
        },
    ]

    static let orders = [
        PetQuery("by age") { $0.sorted(byKeyPath: "age") },
        PetQuery("by age, descending") { $0.sorted(byKeyPath: "age", ascending: false) },
        PetQuery("by score") { $0.sorted(byKeyPath: "score") },
        PetQuery("by kind, age descending, name") {
            $0.sorted(by: ["kind", SortDescriptor(keyPath: "age", ascending: false), "name"])
        },
        PetQuery("age > 3 by name") { $0.filter("age > 3").sorted(byKeyPath: "name") },
        PetQuery("isTame by weight, descending") {
            $0.filter("isTame = true").sorted(byKeyPath: "weight", ascending: false)
        },
    ]

    static let linked = [
        PetQuery("owner.name = 'keeper 1'") { $0.filter("owner.name = 'keeper 1'") },
        PetQuery("owner.level > 2 by age") {
            $0.filter("owner.level > 2").sorted(byKeyPath: "age")
        },
        PetQuery("owner = nil") { $0.filter("owner = nil") },
        PetQuery("by owner.name") { $0.sorted(byKeyPath: "owner.name") },
        PetQuery("by owner.level descending, age") {
            $0.sorted(by: [SortDescriptor(keyPath: "owner.level", ascending: false), "age"])
        },
        PetQuery("ANY friends.age > 7") { $0.filter("ANY friends.age > 7") },
        PetQuery("friends.@count > 1 by name") {
            $0.filter("friends.@count > 1").sorted(byKeyPath: "name")
        },
        PetQuery("friends.@max.age < 4") { $0.filter("friends.@max.age < 4") },
    ]

    static let groups = [
        PetQuery("distinct kind") { $0.distinct(by: ["kind"]) },
        PetQuery("by age distinct kind, isTame") {
            $0.sorted(byKeyPath: "age").distinct(by: ["kind", "isTame"])
        },
        PetQuery("age > 2 by name, descending, distinct owner.level") {
            $0.filter("age > 2").sorted(byKeyPath: "name", ascending: false)
                .distinct(by: ["owner.level"])
        },
    ]

    static let collections = [
        PetQuery(ofKeeper: "favourites with age > 4") {
            AnyRealmCollection($0.favourites.filter("age > 4"))
        },
        PetQuery(ofKeeper: "favourites by age") {
            AnyRealmCollection($0.favourites.sorted(byKeyPath: "age"))
        },
        PetQuery(ofKeeper: "pets of a keeper") { AnyRealmCollection($0.pets) },
        PetQuery(ofKeeper: "tame pets of a keeper by name") {
            AnyRealmCollection($0.pets.filter("isTame = true").sorted(byKeyPath: "name"))
        },
    ]
}

/// Random changes of pets and keepers. It notes every object that it writes to, and every pet that
/// it moves in a list: `p3` is pet 3, and `k0` is keeper 0.
///
/// Keepers are never deleted. The list of favourites never has a pet twice.
struct PetOperations: Sendable {
    private var random: SeededGenerator
    private var nextID = 0
    var touched: Set<String> = []

    static let keepers = 6
    private static let names = ["Anna", "anna", "Hannes", "ANTON", "Bob", "bo", "Zoe", "Äpfel", ""]
    private static let kinds = ["cat", "dog", "Dog", "bird"]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number(_ bound: Int) -> Int { random.next(below: bound) }

    // Each function below needs a write transaction.

    mutating func fill(_ realm: Realm, pets: Int) {
        for id in 0..<Self.keepers {
            let keeper = realm.create(Keeper.self, value: ["id": id, "level": id])
            keeper.name = "keeper \(id)"
        }
        for _ in 0..<pets { insert(realm) }
        let all = realm.objects(Pet.self)
        for pet in all where number(3) == 0 {
            pet.friends.append(all[number(all.count)])
        }
        let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: 0)
        keeper?.favourites.append(objectsIn: all.filter("id < 20"))
        touched = []
    }

    /// Changes one pet or one keeper.
    private mutating func changeOne(_ realm: Realm) {
        switch number(12) {
        case 0: insert(realm)
        case 1: delete(realm)
        case 2: changeKeeper(realm)
        case 3: changeFavourites(realm)
        default: changePet(somePet(realm), realm)
        }
    }

    /// Changes some objects, at most `limit`.
    mutating func change(_ realm: Realm, atMost limit: Int) {
        for _ in 0..<1 + number(limit) { changeOne(realm) }
    }

    private mutating func somePet(_ realm: Realm) -> Pet {
        let pets = realm.objects(Pet.self)
        return pets[number(pets.count)]
    }

    private mutating func someKeeper(_ realm: Realm) -> Keeper {
        realm.objects(Keeper.self)[number(Self.keepers)]
    }

    private mutating func insert(_ realm: Realm) {
        let pet = realm.create(Pet.self, value: ["id": nextID])
        nextID += 1
        touched.insert("p\(pet.id)")
        pet.name = Self.names[number(Self.names.count)]
        pet.kind = Self.kinds[number(Self.kinds.count)]
        pet.age = number(10)
        pet.weight = Double(number(6)) / 2
        pet.score = number(3) == 0 ? nil : number(5)
        pet.isTame = number(2) == 0
        pet.owner = number(4) == 0 ? nil : someKeeper(realm)
    }

    private mutating func delete(_ realm: Realm) {
        let pet = somePet(realm)
        let id = pet.id
        guard realm.objects(Pet.self).count > 8 else { return }
        for other in realm.objects(Pet.self).filter("ANY friends.id = %@", id) {
            touched.insert("p\(other.id)")
        }
        for keeper in realm.objects(Keeper.self).filter("ANY favourites.id = %@", id) {
            touched.insert("k\(keeper.id)")
        }
        touched.insert("p\(id)")
        realm.delete(pet)
    }

    private mutating func changeKeeper(_ realm: Realm) {
        let keeper = someKeeper(realm)
        touched.insert("k\(keeper.id)")
        if number(2) == 0 {
            keeper.name = "keeper \(number(4))"
        } else {
            keeper.level = number(6)
        }
    }

    private mutating func changeFavourites(_ realm: Realm) {
        guard let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: 0) else { return }
        let pet = somePet(realm)
        touched.formUnion(["k0", "p\(pet.id)"])
        if let index = keeper.favourites.index(of: pet) {
            keeper.favourites.remove(at: index)
        } else {
            keeper.favourites.insert(pet, at: number(keeper.favourites.count + 1))
        }
    }

    private mutating func changePet(_ pet: Pet, _ realm: Realm) {
        touched.insert("p\(pet.id)")
        switch number(9) {
        case 0: pet.name = Self.names[number(Self.names.count)]
        case 1: pet.kind = Self.kinds[number(Self.kinds.count)]
        case 2, 3: pet.age = number(10)
        case 4: pet.weight = Double(number(6)) / 2
        case 5: pet.score = number(3) == 0 ? nil : number(5)
        case 6: pet.isTame.toggle()
        case 7: pet.owner = number(4) == 0 ? nil : someKeeper(realm)
        default:
            if pet.friends.count > 1 {
                pet.friends.remove(at: number(pet.friends.count))
            } else {
                pet.friends.append(somePet(realm))
            }
        }
    }
}
