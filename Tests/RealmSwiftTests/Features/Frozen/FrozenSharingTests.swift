import Foundation
import RealmSwift
import Testing

/// To which live Realm frozen things lead back, whichever threads have frozen their version.
@Suite struct FrozenSharingTests {
    private func seedsOnly(_ scene: PlantScene) -> Realm.Configuration {
        var configuration = scene.configuration
        configuration.objectTypes = [Seed.self]
        return configuration
    }

    @Test func aRealmWithFewerClassesHasAFrozenRealmOfItsOwn() throws {
        let scene = try PlantScene()
        let other = try runThread { Handed(try scene.realm().freeze()) }
        let realm = try Realm(configuration: seedsOnly(scene))
        let frozen = try #require(realm.objects(Seed.self).first).freeze()
        #expect(frozen.realm != other.value && frozen.thaw()?.realm == realm)
        #expect(realm.freeze().thaw() == realm && realm.freeze() == frozen.realm)
        try realm.write { frozen.thaw()?.number = 7 }
        #expect(realm.objects(Seed.self).first?.number == 7 && frozen.number == 0)
        // The other way round.
        let all = try runThread { Handed(try scene.realm().freeze()) }
        #expect(realm.freeze() != all.value && realm.freeze().thaw() == realm)
    }

    @Test func theLimitOfVersionsIsThatOfTheRealm() throws {
        let scene = try PlantScene()
        let other = try runThread { Handed(try scene.realm().freeze()) }
        var configuration = scene.configuration
        configuration.maximumNumberOfActiveVersions = 10
        let frozen = try Realm(configuration: configuration).freeze()
        #expect(frozen != other.value)
        #expect(frozen.configuration.maximumNumberOfActiveVersions == 10)
    }

    @Test func whatIsThawedIsOfTheRealmThatIsOpen() throws {
        let scene = try PlantScene()
        let handed = try runThread {
            let seeds = try scene.realm().objects(Seed.self)
            return Handed((seeds.freeze(), seeds[1].freeze(), seeds.filter("number > 0").freeze()))
        }
        // This Realm has fewer classes than the one that froze.
        let realm = try Realm(configuration: seedsOnly(scene))
        let (seeds, seed, some) = handed.value
        try realm.write {
            seed.thaw()?.number = 9
            #expect(seeds.thaw()?.realm == realm && some.thaw()?.count == 2)
        }
        #expect(seed.thaw()?.realm == realm && realm.objects(Seed.self)[1].number == 9)
    }

    @Test func aFileThatWasRemovedIsNotThawed() throws {
        let scene = try PlantScene()
        let url = try #require(scene.configuration.fileURL)
        let handed = try runThread {
            let realm = try scene.realm()
            let plant = try realm.plant(1)
            return Handed(
                (
                    plant.freeze(), plant.sizes.freeze(), realm.objects(Plant.self).freeze(),
                    realm.objects(Plant.self).sectioned(by: \.id).freeze(),
                    ThreadSafe(wrappedValue: plant)
                ))
        }
        func expectNothing() throws {
            try runThread {
                let (plant, sizes, plants, sections, reference) = handed.value
                #expect(plant.thaw() == nil && sizes.thaw() == nil && plants.thaw() == nil)
                #expect(sections.thaw() == nil && reference.wrappedValue == nil)
            }
        }
        try FileManager.default.removeItem(at: url)
        try expectNothing()
        #expect(!FileManager.default.fileExists(atPath: url.path))
        // Another file in its place, with a plant that has the same key.
        let other = try PlantScene()
        try FileManager.default.moveItem(at: try #require(other.configuration.fileURL), to: url)
        try expectNothing()
        #expect(handed.value.0.name == "plant 1" && handed.value.2.count == 6)
    }

    @Test func whatIsFrozenTwiceIsSectionedOnce() throws {
        let scene = try PlantScene(plants: 40)
        let realm = try scene.realm()
        let calls = Handed(0)
        let order = [SortDescriptor(keyPath: "id")]
        let sections = realm.objects(Plant.self).sectioned(sortDescriptors: order) { plant in
            calls.value += 1
            return plant.id % 10
        }
        #expect(sections.count == 10)
        calls.value = 0
        let frozen = sections.map { $0.freeze() }
        #expect(frozen.allSatisfy { $0.count == 4 } && calls.value == 40)
        try realm.write { realm.delete(try realm.plant(39)) }
        #expect(sections[9].freeze().count == 3 && frozen[9].count == 4)
    }
}
