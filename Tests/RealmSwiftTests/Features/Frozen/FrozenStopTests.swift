import Foundation
import RealmSwift
import Testing

private let frozenMisuses: [String: Misuse] = [
    "freezing the list of a deleted object": Misuse("Object has been deleted or invalidated.") {
        try withScene { realm in
            let plant = try realm.plant(1)
            let list = plant.sizes
            try realm.write { realm.delete(plant) }
            _ = list.freeze()
        }
    },
    "freezing a list of what the transaction has added": Misuse(
        "Cannot freeze an object in the same write transaction as it was created in."
    ) {
        try withScene { realm in
            try realm.write { _ = realm.create(Plant.self, value: ["id": 77]).sizes.freeze() }
        }
    },
    "freezing on another thread": Misuse("Realm accessed from incorrect thread.") {
        let scene = try PlantScene()
        let plant = Handed(try scene.realm().plant(1))
        try runThread { _ = plant.value.freeze() }
    },
    "autorefresh of a frozen Realm": Misuse(
        "Auto-refresh cannot be enabled for frozen Realms."
    ) { try withScene { $0.freeze().autorefresh = true } },
    "reading an object of a frozen Realm that was invalidated": Misuse(
        "Object has been deleted or invalidated."
    ) {
        try withScene { realm in
            let frozen = try realm.plant(1).freeze()
            frozen.realm?.invalidate()
            _ = frozen.name
        }
    },
    "reading a list of a frozen Realm that was invalidated": Misuse(
        "Object has been deleted or invalidated."
    ) {
        try withScene { realm in
            let list = try realm.plant(1).sizes.freeze()
            list.realm?.invalidate()
            _ = list.count
        }
    },
    "reading results of a frozen Realm that was invalidated": Misuse(
        "Collection is no longer valid"
    ) {
        try withScene { realm in
            let seeds = realm.objects(Seed.self).freeze()
            seeds.realm?.invalidate()
            _ = seeds.count
        }
    },
    "searching in a frozen Realm that was invalidated": Misuse(
        "Cannot read from a frozen Realm which has been invalidated."
    ) {
        try withScene { realm in
            let frozen = realm.freeze()
            _ = frozen.objects(Seed.self)
            frozen.invalidate()
            _ = frozen.objects(Seed.self).count
        }
    },
    "freezing what cannot be frozen in a transaction": Misuse(
        "Cannot freeze an object in the same write transaction as it was created in."
    ) {
        try withScene { realm in
            try realm.write { _ = realm.create(Seed.self).freeze() }
        }
    },
    "observing a frozen map": Misuse(changeless) {
        try inLoop { _ = try $0.plant(0).notes.freeze().observe { _ in } }
    },
    "observing a frozen object on a queue": Misuse(changeless) {
        try inLoop {
            _ = try $0.plant(0).freeze().observe(on: DispatchQueue(label: "other")) {
                (_: ObjectChange<Plant>) in
            }
        }
    },
]

private let changeless = "Frozen Realms do not change and do not have change notifications."

private func withScene(_ body: (Realm) throws -> Void) throws {
    try body(try PlantScene().realm())
}

private func inLoop(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
    let scene = try PlantScene()
    try runOnRunLoopThread { try body(try scene.realm()) }
}

@Suite struct FrozenStopTests {
    @Test func thawingTheRealmOfAFileThatWasRemovedStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let scene = try PlantScene()
            let frozen = try runThread { Handed(try scene.realm().freeze()) }
            if let url = scene.configuration.fileURL { try FileManager.default.removeItem(at: url) }
            try runThread { _ = frozen.value.thaw() }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            output.contains(
                "was moved or removed while it was open, so the frozen Realm cannot be thawed."))
    }

    @Test(arguments: frozenMisuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try frozenMisuses[name]?.body() }
        frozenMisuses.expectStop(name, result)
    }
}
