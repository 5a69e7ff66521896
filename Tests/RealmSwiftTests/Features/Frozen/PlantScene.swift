import Foundation
import RealmSwift
import StorageEngine
import Testing

// Model classes and a filled file for the tests of frozen Realms.

class Plant: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var height: Double?
    @Persisted var photo: Data
    @Persisted var parent: Plant?
    @Persisted var pot: Pot?
    @Persisted var branches: List<Plant>
    @Persisted var sizes: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var notes: Map<String, String>
    @Persisted var pots: List<Pot>
    @Persisted var anything: AnyRealmValue
    @Persisted(originProperty: "parent") var children: LinkingObjects<Plant>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Pot: EmbeddedObject {
    @Persisted var color: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class without a primary key.
class Seed: Object {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PlantView: Projection<Plant> {
    @Projected(\Plant.name) var title
    @Projected(\Plant.pot?.color) var color
    @Projected(\Plant.branches.projectTo.name) var branchNames
}

/// A file with plants, each of which is the parent of the next one and has it as a branch.
struct PlantScene: Sendable {
    static let types: [ObjectBase.Type] = [Plant.self, Pot.self, Seed.self]
    let configuration: Realm.Configuration

    init(plants count: Int = 6, encryptionKey: Data? = nil) throws {
        var configuration = TestDirectory.untilExit().configuration(Self.types)
        configuration.encryptionKey = encryptionKey
        self.configuration = configuration
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count { Self.addPlant(id, to: realm) }
            for number in 0..<3 { realm.create(Seed.self, value: ["number": number]) }
        }
    }

    static func addPlant(_ id: Int, to realm: Realm) {
        let plant = realm.create(
            Plant.self,
            value: [
                "id": id, "name": "plant \(id)", "height": Double(id) / 2,
                "photo": Data(repeating: UInt8(id % 256), count: 3_000),
                "sizes": [id, id + 1, id + 2], "tags": ["green", "tag \(id % 3)"],
                "notes": ["a": "note \(id)", "b": "other"], "pot": ["color": "red \(id)"],
                "pots": [["color": "blue"], ["color": "grey"]],
            ])
        plant.anything = .fromArray([.int(id), .string("in a list")])
        if let last = realm.object(ofType: Plant.self, forPrimaryKey: id - 1) {
            plant.parent = last
            last.branches.append(plant)
        }
    }

    func realm() throws -> Realm { try Realm(configuration: configuration) }

    /// Changes everything that is there, and deletes the plants with odd numbers.
    func change(_ realm: Realm) throws {
        try realm.write {
            for plant in realm.objects(Plant.self) where plant.id % 2 == 1 { realm.delete(plant) }
            for plant in realm.objects(Plant.self) {
                plant.name = "changed"
                plant.height = nil
                plant.photo = Data()
                plant.pot = nil
                plant.sizes.removeAll()
                plant.tags.removeAll()
                plant.notes.removeAll()
                plant.pots.removeAll()
                plant.anything = .none
            }
            for seed in realm.objects(Seed.self) { seed.number += 100 }
        }
    }

    /// The versions that readers of the file have pinned.
    func pins() throws -> [Database.PinnedVersion] {
        let path = try #require(configuration.fileURL?.path)
        let key = configuration.encryptionKey.map { Array($0) }
        return try Database.open(path: path, options: .init(encryptionKey: key))
            .statistics().pinnedVersions
    }
}

extension Realm {
    func plant(_ id: Int) throws -> Plant {
        guard let plant = object(ofType: Plant.self, forPrimaryKey: id) else { throw Missing() }
        return plant
    }
}

/// All that can be read of a plant and through it, as text.
func summary(of plant: Plant) -> String {
    let list = plant.anything.listValue.map { Array($0).map { "\($0)" } } ?? []
    return [
        "\(plant.id) \(plant.name) \(plant.height ?? -1) \(plant.photo.count)",
        "\(plant.parent?.id ?? -1) \(plant.pot?.color ?? "")",
        "\(Array(plant.branches.map(\.id))) \(Array(plant.sizes)) \(Array(plant.tags).sorted())",
        "\(plant.notes.keys) \(plant.notes["a"] ?? "") \(Array(plant.pots.map(\.color)))",
        "\(list) \(Array(plant.children.map(\.id))) \(plant["name"] as? String ?? "")",
    ].joined(separator: "; ")
}

func ids(_ plants: Results<Plant>) -> [Int] { plants.map(\.id) }

/// All that can be read of a Realm in several ways, as text.
func summary(of realm: Realm) -> String {
    let plants = realm.objects(Plant.self)
    let some = plants.filter("id > 1 AND name BEGINSWITH 'plant'")
    let ordered = plants.sorted(byKeyPath: "height", ascending: false)
    let linked = plants.filter("ANY branches.height > 0.5")
    let counted = plants.filter("SUBQUERY(branches, $b, $b.height > height).@count > 0")
    let sections = plants.sectioned(by: \.id, ascending: false)
    let lines: [String] = [
        plants.map(summary).joined(separator: "\n"),
        "\(plants.count) \(some.count) \(ids(some)) \(ids(ordered))",
        "\(ids(linked)) \(ids(counted)) \(plants.distinct(by: ["photo"]).count)",
        "\(plants.sum(ofProperty: "id") as Int) \(some.max(ofProperty: "height") as Double? ?? -1)",
        "\(ordered.first?.id ?? -1) \(ordered.last?.id ?? -1) \(plants.isEmpty)",
        "\(ids(plants.where { $0.name == "plant 2" })) \(sections.allKeys)",
        "\(realm.object(ofType: Plant.self, forPrimaryKey: 3)?.name ?? "")",
        "\(plants.first.map { Array($0.sizes.sorted(ascending: false)) } ?? [])",
        realm.objects(PlantView.self).map { "\($0.title) \(Array($0.branchNames))" }
            .joined(separator: " "),
        "\(Array(realm.objects(Seed.self).map(\.number))) \(realm.dynamicObjects("Seed").count)",
        "\(plants.index(matching: "id == 2") ?? -1) \(plants.value(forKey: "id") ?? [])",
    ]
    return lines.joined(separator: "\n")
}
