import Foundation
import RealmSwift
import Testing

@Suite struct SetObservationTests {
    @Test func valuesThatComeAndGoAreReportedInTheOrderOfTheSet() async throws {
        try await observing { scene in
            let set = try scene.album.numberSet
            let recording = try scene.record(set)
            try scene.realm.write { set.insert(objectsIn: [10, 30]) }
            #expect(try recording.take() == [.inserted(0, 1)])
            try scene.writeElsewhere { realm in try realm.album().numberSet.insert(20) }
            #expect(try recording.take() == [.inserted(1)])
            try scene.writeElsewhere { realm in try realm.album().numberSet.remove(10) }
            #expect(try recording.take() == [.deleted(0)])
            #expect(Array(set) == [20, 30])
        }
    }

    @Test func insertingAValueThatIsThereIsNotReported() async throws {
        try await observing { scene in
            let set = try scene.album.numberSet
            try scene.realm.write { set.insert(1) }
            let recording = try scene.record(set)
            try scene.realm.write { set.insert(1) }
            #expect(try recording.take() == [])
        }
    }

    @Test func changedObjectsAreModifications() async throws {
        try await observing { scene in
            let set = try scene.album.favourites
            try scene.realm.write { try set.insert(objectsIn: [scene.track(0), scene.track(2)]) }
            let recording = try scene.record(set)
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take() == [.modified(1)])
        }
    }

    @Test func deletedObjectsAreDeletions() async throws {
        try await observing { scene in
            let set = try scene.album.favourites
            try scene.realm.write { try set.insert(objectsIn: [scene.track(0), scene.track(2)]) }
            let recording = try scene.record(set)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted(0)])
        }
    }

    @Test func deletingTheOwnerReportsDeletions() async throws {
        try await observing { scene in
            let set = try scene.album.numberSet
            try scene.realm.write { set.insert(objectsIn: [1, 2]) }
            let recording = try scene.record(set)
            try scene.writeElsewhere { realm in try realm.delete(realm.album()) }
            #expect(try recording.take() == [.deleted(0, 1)])
            #expect(set.isInvalidated)
        }
    }
}

@Suite struct MapObservationTests {
    @Test func theInitialContentsComeFirst() async throws {
        try await observing { scene in
            let log = ChangeLog<RecordedKeys>()
            let token = try scene.album.numberMap.observe { log.append(RecordedKeys($0)) }
            #expect(log.entries.isEmpty)
            try pump { log.count > 0 }
            #expect(log.entries == [.initial(0)])
            token.invalidate()
        }
    }

    @Test func changesAreReportedAsSortedKeys() async throws {
        try await observing { scene in
            let map = try scene.album.numberMap
            let recording = try scene.record(map)
            try scene.realm.write {
                for key in ["d", "b", "c", "a"] { map[key] = 1 }
            }
            #expect(try recording.take() == [.update(insertions: ["a", "b", "c", "d"])])
            try scene.writeElsewhere { realm in
                let map = try realm.album().numberMap
                map["c"] = 2
                map["a"] = 2
                map["d"] = nil
                map["b"] = nil
                map["e"] = 1
            }
            #expect(
                try recording.take() == [
                    .update(
                        deletions: ["b", "d"], insertions: ["e"], modifications: ["a", "c"])
                ])
        }
    }

    @Test func changedObjectsAreModifications() async throws {
        try await observing { scene in
            let map = try scene.album.byKey
            try scene.realm.write {
                map["zero"] = try scene.track(0)
                map["two"] = try scene.track(2)
                map["also"] = try scene.track(2)
            }
            let recording = try scene.record(map)
            try scene.realm.write { try scene.track(2).title = "new" }
            #expect(try recording.take() == [.update(modifications: ["also", "two"])])
            try scene.writeElsewhere { realm in try realm.album().byKey["zero"] = realm.track(1) }
            #expect(try recording.take() == [.update(modifications: ["zero"])])
        }
    }

    @Test func theKeyOfADeletedObjectIsModified() async throws {
        try await observing { scene in
            let map = try scene.album.byKey
            try scene.realm.write { map["zero"] = try scene.track(0) }
            let recording = try scene.record(map)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.update(modifications: ["zero"])])
            #expect(map.count == 1)
        }
    }

    @Test func keyPathsChooseTheModifications() async throws {
        try await observing { scene in
            let map = try scene.album.byKey
            try scene.realm.write { map["zero"] = try scene.track(0) }
            let recording = try scene.record(map, keyPaths: ["title"])
            try scene.realm.write { try scene.track(0).rank = 100 }
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(0).title = "new" }
            #expect(try recording.take() == [.update(modifications: ["zero"])])
            try scene.realm.write { map["one"] = try scene.track(1) }
            #expect(try recording.take() == [.update(insertions: ["one"])])
        }
    }

    @Test func deletingTheOwnerReportsDeletions() async throws {
        try await observing { scene in
            let map = try scene.album.numberMap
            try scene.realm.write { for key in ["a", "b"] { map[key] = 1 } }
            let recording = try scene.record(map)
            try scene.writeElsewhere { realm in try realm.delete(realm.album()) }
            #expect(try recording.take() == [.update(deletions: ["a", "b"])])
            #expect(map.isInvalidated)
        }
    }

    @Test func theMapOfAChangeHasTheNewValues() async throws {
        try await observing { scene in
            let log = ChangeLog<[String: Int]>()
            let token = try scene.album.numberMap.observe { change in
                guard case .update(let map, _, let insertions, _) = change else { return }
                log.append(
                    Dictionary(uniqueKeysWithValues: insertions.map { ($0, map[$0] ?? -1) }))
            }
            try scene.settle()
            try scene.writeElsewhere { realm in try realm.album().numberMap["a"] = 3 }
            try pump { log.count > 0 }
            #expect(log.entries == [["a": 3]])
            token.invalidate()
        }
    }

    @Test func valuesOfAMapAreObservedAsResults() async throws {
        try await observing { scene in
            let map = try scene.album.numberMap
            let recording = try scene.record(map.sorted())
            try scene.realm.write { for (key, value) in ["a": 2, "b": 1] { map[key] = value } }
            #expect(try recording.take() == [.inserted(0, 1)])
            try scene.realm.write { map["b"] = 9 }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [1])])
        }
    }
}
