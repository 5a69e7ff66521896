import Foundation
import RealmSwift
import StorageEngine
import Testing

@Suite struct FrozenVersionTests {
    @Test func freezingAgainGivesTheSame() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        let frozen = realm.freeze()
        #expect(frozen == realm.freeze() && frozen.freeze() == frozen && frozen != realm)
        let plant = try realm.plant(1).freeze()
        #expect(plant.freeze() === plant && plant.realm == frozen)
        let all = realm.objects(Plant.self).freeze()
        #expect(all.freeze() == all && realm.freeze(all) == all && realm.freeze(plant) === plant)
        // Also for another thread that shows this version.
        let handed = Handed(frozen)
        #expect(try runThread { try scene.realm().freeze() == handed.value })
        try realm.write { try realm.plant(1).name = "new" }
        #expect(realm.freeze() != frozen)
        #expect(try realm.freeze().plant(1).name == "new")
    }

    @Test func thawingMovesAnOlderRealmToTheVersion() throws {
        let scene = try PlantScene()
        let old = try scene.realm()
        #expect(old.objects(Plant.self).count == 6)
        let added = try runThread {
            let realm = try scene.realm()
            try realm.write { PlantScene.addPlant(9, to: realm) }
            return Handed(try realm.plant(9).freeze())
        }
        #expect(added.value.thaw()?.name == "plant 9" && old.objects(Plant.self).count == 7)
    }

    @Test func aQueueThawsToItsOwnRealm() async throws {
        let scene = try PlantScene()
        let frozen = Handed(try scene.realm().plant(1).freeze())
        let queue = ObservingQueue()
        let isOwn = try await queue.run {
            let realm = try Realm(configuration: scene.configuration, queue: queue.queue)
            return frozen.value.thaw()?.realm == realm
        }
        #expect(isOwn)
    }

    @Test func inAWriteTransactionWhatWasBeforeIsFrozen() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        let plant = try realm.plant(1)
        try realm.write {
            plant.name = "not committed"
            plant.sizes.append(99)
            #expect(plant.freeze().name == "plant 1" && plant.sizes.freeze().count == 3)
            #expect(realm.freeze().objects(Plant.self).filter("name == 'plant 1'").count == 1)
            PlantScene.addPlant(9, to: realm)
            #expect(realm.objects(Plant.self).freeze().count == 6)
        }
        #expect(plant.freeze().name == "not committed")
        realm.beginWrite()
        plant.name = "cancelled"
        let frozen = plant.freeze()
        realm.cancelWrite()
        #expect(frozen.name == "not committed" && plant.freeze() == frozen)
    }

    @Test func aFrozenRealmIsCopied() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        let frozen = realm.freeze()
        try scene.change(realm)
        let copy = TestDirectory()
        let configuration = copy.configuration(PlantScene.types)
        try frozen.writeCopy(configuration: configuration)
        #expect(try summary(of: Realm(configuration: configuration)) == summary(of: frozen))
    }

    @Test func realmsInMemoryAndReadOnlyOnesAreFrozen() throws {
        let memory = try temporaryRealm(PlantScene.types)
        try memory.write { PlantScene.addPlant(1, to: memory) }
        let frozen = memory.freeze()
        try memory.write { try memory.plant(1).name = "new" }
        #expect(try frozen.plant(1).name == "plant 1")
        #expect(try frozen.plant(1).thaw()?.name == "new")
        let scene = try PlantScene()
        let before = try runThread { summary(of: try scene.realm()) }
        let read = try runThread {
            var configuration = scene.configuration
            configuration.readOnly = true
            return summary(of: try Realm(configuration: configuration).freeze())
        }
        #expect(read == before)
    }

    @Test func tooManyVersionsInUseAreAnErrorOfWriteTransactions() throws {
        let scene = try PlantScene()
        var configuration = scene.configuration
        configuration.maximumNumberOfActiveVersions = 3
        #expect(configuration.maximumNumberOfActiveVersions == 3)
        let realm = try Realm(configuration: configuration)
        var frozen: Realm? = realm.freeze()
        for _ in 0..<3 { try realm.write { realm.create(Seed.self) } }
        do {
            try realm.write { realm.create(Seed.self) }
            Issue.record("the limit was not noticed")
        } catch let error as Realm.Error {
            #expect(error.code == .fail)
            #expect(
                error.localizedDescription.contains(
                    "Number of active versions (4) in the Realm exceeded the limit of 3"))
        }
        #expect(!realm.isInWriteTransaction && frozen?.objects(Seed.self).count == 3)
        frozen = nil
        try realm.write { realm.create(Seed.self) }
        #expect(realm.objects(Seed.self).count == 7)
    }
}
