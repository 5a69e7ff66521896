import Foundation
import RealmSwift
import Testing
import ToolSupport

/// The end of frozen Realms by `invalidate`.
@Suite struct FrozenInvalidationTests {
    @Test func everythingOldIsInvalidAndNothingElse() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        let frozen = realm.freeze()
        let plant = try frozen.plant(1)
        let (list, plants) = (plant.sizes, frozen.objects(Plant.self))
        let (some, sorted) = (plants.filter("id > 2"), list.sorted())
        let children = plant.children
        #expect(list.count == 3 && some.count == 3 && sorted.count == 3)
        frozen.invalidate()
        #expect(plant.isInvalidated && list.isInvalidated && plants.isInvalidated)
        #expect(some.isInvalidated && sorted.isInvalidated && children.isInvalidated)
        // The live Realm goes on, and freezes the same version anew.
        let again = realm.freeze()
        #expect(try again != frozen && again.plant(1).isInvalidated == false)
        #expect(try realm.plant(1).name == "plant 1" && plant.thaw()?.name == "plant 1")
        frozen.invalidate()
        #expect(try again.plant(1).sizes.count == 3)
    }

    @Test func threadsThatReadMeanwhileSeeIt() throws {
        let scene = try PlantScene()
        let realm = try scene.realm()
        let frozen = Handed(realm.freeze())
        let plant = Handed(try frozen.value.plant(1))
        let (list, plants) = (Handed(plant.value.sizes), Handed(frozen.value.objects(Plant.self)))
        let threads = (0..<4).map { _ in
            BackgroundThread { isStopped in
                repeat {
                    // Whatever is invalidated stays so.
                    let isEnded = plant.value.isInvalidated
                    if isEnded, !(list.value.isInvalidated && plants.value.isInvalidated) {
                        return false
                    }
                } while !isStopped()
                return plant.value.isInvalidated && list.value.isInvalidated
            }
        }
        usleep(5_000)
        frozen.value.invalidate()
        for thread in threads { #expect(try thread.finish()) }
    }
}
