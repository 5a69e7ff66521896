import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

/// Many threads read one frozen Realm at once, and the lifetime of what they read.
@Suite struct FrozenConcurrencyTests {
    private func readOnManyThreads(_ scene: PlantScene, commits: Int) throws {
        let realm = try scene.realm()
        let before = summary(of: realm)
        let frozen = Handed(realm.freeze())
        // Made here and first used by the threads, all at once.
        let plants = Handed(
            realm.objects(Plant.self).filter("id >= 0").sorted(byKeyPath: "name").freeze())
        let plant = Handed(try realm.plant(1).freeze())
        let threads = (0..<4).map { number in
            BackgroundThread { isStopped in
                var results: Set<String> = []
                repeat {
                    results.insert(summary(of: frozen.value))
                    results.insert(summary(of: plant.value))
                    results.insert("\(plants.value.count) \(ids(plants.value))")
                } while !isStopped()
                return results
            }
        }
        for number in 0..<commits {
            try realm.write {
                PlantScene.addPlant(1_000 + number, to: realm)
                try realm.plant(1).name = "change \(number)"
                for seed in realm.objects(Seed.self) { seed.number += 1 }
            }
        }
        var results: Set<String> = []
        for thread in threads { results.formUnion(try thread.finish()) }
        #expect(
            results == [
                before, summary(of: plant.value), "\(plants.value.count) \(ids(plants.value))",
            ])
        #expect(summary(of: frozen.value) == before)
    }

    @Test func manyThreadsReadWhileTheLiveRealmCommits() throws {
        try readOnManyThreads(try PlantScene(plants: 40), commits: 30)
    }

    @Test func manyThreadsReadAnEncryptedFile() throws {
        let key = Data((0..<64).map { UInt8($0) })
        try readOnManyThreads(try PlantScene(plants: 40, encryptionKey: key), commits: 10)
    }

    @Test func aFrozenThingKeepsItsVersionUntilItIsGone() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        var frozen: Plant? = try realm.plant(1).freeze()
        for number in 0..<5 { try realm.write { try realm.plant(1).name = "\(number)" } }
        #expect(try scene.pins().filter(\.isFrozen).count == 1)
        #expect(try scene.pins().count == 2)
        #expect(frozen?.name == "plant 1")
        frozen = nil
        #expect(try scene.pins().map(\.isFrozen) == [false])
        // What keeps a version is any thing of it, on any thread.
        var list: List<Int>? = try realm.plant(1).sizes.freeze()
        let other = Handed<Results<Seed>?>(realm.objects(Seed.self).freeze())
        try realm.write { try realm.plant(1).name = "last" }
        #expect(try scene.pins().filter(\.isFrozen).count == 1)
        #expect(list?.count == 3)
        list = nil
        try runThread {
            #expect(other.value?.count == 3)
            other.value = nil
        }
        #expect(try scene.pins().map(\.isFrozen) == [false])
    }

    @Test func theFileDoesNotGrowOnceNothingIsFrozen() throws {
        let scene = try PlantScene(plants: 50)
        let realm = try scene.realm()
        let path = try #require(scene.configuration.fileURL?.path)
        func rewrite() throws {
            try realm.write {
                for plant in realm.objects(Plant.self) {
                    plant.photo = Data(repeating: UInt8.random(in: 0...255), count: 3_000)
                }
            }
        }
        func size() throws -> Int {
            try #require(
                FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        for _ in 0..<5 { try rewrite() }
        let before = try size()
        // Each version is frozen and released again.
        for _ in 0..<20 {
            #expect(try realm.plant(1).freeze().photo.count == 3_000)
            try rewrite()
        }
        #expect(try size() <= before * 3 / 2)
    }

    @Test func freezingInALoopOpensNothing() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        let plant = try realm.plant(1)
        for _ in 0..<10_000 {
            let frozen = plant.freeze()
            if frozen.id != 1 { Issue.record("wrong object") }
        }
        #expect(try scene.pins().count == 2)
    }

    @Test func aFrozenThingKeepsItsFileOpen() throws {
        let scene = try PlantScene()
        let frozen = try runThread { Handed(try scene.realm().plant(1).freeze()) }
        #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: scene.configuration) }
        #expect(frozen.value.name == "plant 1" && frozen.value.branches.first?.id == 2)
    }
}
