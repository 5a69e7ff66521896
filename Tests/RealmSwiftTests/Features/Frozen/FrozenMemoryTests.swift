import Foundation
import StorageEngine
import Testing

@testable import RealmSwift

/// Frozen Realms of an encrypted file that is larger than the memory for decrypted pages.
@Suite struct FrozenMemoryTests {
    private let scene: PlantScene
    /// Keeps the limit, which the first opener decides.
    private let database: Database
    private static let mostBytes = 64 << 10

    init() throws {
        let key = Data((0..<64).map { UInt8($0) })
        // On a thread that ends, and with it the Realm.
        let scene = try runThread { try PlantScene(plants: 1_500, encryptionKey: key) }
        self.scene = scene
        var options = Database.Options(encryptionKey: Array(key))
        options.mostDecryptedBytes = Self.mostBytes
        let path = try #require(scene.configuration.fileURL?.path)
        database = try Database.open(path: path, options: options)
    }

    @Test func searchesKeepNothing() throws {
        let frozen = try scene.realm().freeze()
        let connection = frozen.instance.connection
        #expect(connection.exceedsDecryptedMemory)
        let before = connection.decryptedBytes
        let plants = frozen.objects(Plant.self)
        for _ in 0..<3 {
            #expect(plants.filter("height >= 0").count == 1_500)
            #expect(plants.filter("name CONTAINS 'plant 7'").map(\.id).count == 111)
            #expect(plants.sum(ofProperty: "height") as Double == 562_125)
            #expect(plants.filter("id > 3").max(ofProperty: "height") as Double? == 749.5)
            #expect(plants.filter("photo == %@", Data()).isEmpty)
            #expect(plants.filter("id < 0").explain().isEmpty == false)
        }
        // The branches, and the leaves of the plants that were read.
        let kept = connection.decryptedBytes - before
        #expect(kept < 1 << 20, "\(kept)")
    }

    @Test func manyThreadsSearchAndRead() throws {
        let realm = try scene.realm()
        let frozen = Handed(realm.freeze())
        let sums = try onThreads(4) { _ in
            let plants = frozen.value.objects(Plant.self)
            let some = plants.filter("name ENDSWITH '1' OR height > 500")
            return try (0..<5).map { round in
                let plant = try frozen.value.plant(round * 17)
                return some.count + plant.sizes.count + plant.photo.count
            }
        }
        #expect(Set(sums).count == 1)
    }

    @Test func theLiveRealmDoesNotKeepItsFrozenCopy() throws {
        let realm = try scene.realm()
        func frozenPins() throws -> Int {
            try database.statistics().pinnedVersions.filter(\.isFrozen).count
        }
        var plant: Plant? = try realm.plant(1).freeze()
        #expect(plant?.realm == realm.freeze())
        #expect(try frozenPins() == 1)
        plant = nil
        #expect(try frozenPins() == 0 && realm.plant(1).id == 1)
    }
}
