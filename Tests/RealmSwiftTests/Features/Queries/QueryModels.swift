import Foundation
import RealmSwift

// Model classes for the tests of queries.

class Hero: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var alias: String?
    @Persisted(indexed: true) var age: Int
    @Persisted var rank: Int?
    @Persisted var height: Double
    @Persisted var weight: Float?
    @Persisted var isActive: Bool
    @Persisted var isFamous: Bool?
    @Persisted var born = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var died: Date?
    @Persisted var badge: Data
    @Persisted var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Persisted var token: ObjectId = ObjectId("000000000000000000000000")
    @Persisted var money: Decimal128
    @Persisted var mixed: AnyRealmValue
    @Persisted var boss: Hero?
    @Persisted var friends: List<Hero>
    @Persisted var rivals: MutableSet<Hero>
    @Persisted var allies: Map<String, Hero?>
    @Persisted var scores: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var traits: Map<String, Int?>
    @Persisted var things: List<AnyRealmValue>
    @Persisted var home: Lair?
    @Persisted var places: List<Lair>
    @Persisted var spots: List<Spot>
    @Persisted(originProperty: "boss") var staff: LinkingObjects<Hero>
    @Persisted(originProperty: "friends") var fans: LinkingObjects<Hero>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Lair: EmbeddedObject {
    @Persisted var city: String
    @Persisted var size: Int?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A custom type that is stored as a `Lair`.
struct Spot: CustomPersistable, Hashable {
    typealias PersistedType = Lair

    var city: String

    init(city: String) { self.city = city }
    init(persistedValue: Lair) { city = persistedValue.city }

    var persistableValue: Lair {
        let lair = Lair()
        lair.city = city
        return lair
    }
}

class HeroName: Projection<Hero> {
    @Projected(\Hero.name) var name
}

let heroTypes: [ObjectBase.Type] = [Hero.self, Lair.self]
