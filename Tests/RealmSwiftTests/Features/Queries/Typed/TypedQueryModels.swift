import Foundation
import RealmSwift

// Model classes for the tests of typed queries.

enum Mood: String, PersistableEnum, Codable {
    case calm, wild
}

/// A custom type that is stored as a number.
struct Meters: CustomPersistable, Equatable, Codable {
    typealias PersistedType = Double
    var value: Double
    init(_ value: Double) { self.value = value }
    init(persistedValue: Double) { value = persistedValue }
    var persistableValue: Double { value }
}

class ZooAnimal: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var nickname: String?
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted var born = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var isTame: Bool
    @Persisted var photo: Data
    @Persisted var mood: Mood
    @Persisted var formerMood: Mood?
    @Persisted var length: Meters
    @Persisted var number: ObjectId
    @Persisted var note: AnyRealmValue
    @Persisted var home: Zoo?
    @Persisted var den: Den?
    @Persisted var friends: List<ZooAnimal>
    @Persisted var scores: List<Int>
    @Persisted var words: MutableSet<String?>
    @Persisted var moods: List<Mood>
    @Persisted var lengths: List<Meters?>
    @Persisted var prices: Map<String, Double>
    @Persisted var labels: Map<String, String?>
    @Persisted var neighbours: Map<String, ZooAnimal?>
    @Persisted var all: Int
    @Persisted(originProperty: "animals") var zoos: LinkingObjects<Zoo>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Den: EmbeddedObject {
    @Persisted var depth: Int
    @Persisted var marks: List<Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Zoo: Object {
    @Persisted var city: String
    @Persisted var isOpen: Bool
    @Persisted var animals: List<ZooAnimal>
    @Persisted var partner: Zoo?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

let zooTypes: [ObjectBase.Type] = [ZooAnimal.self, Den.self, Zoo.self]
