import Foundation
import RealmSwift
import Testing

/// Observed collections of mixed values. A change of an object behind a link in an element is a
/// modification of the element, as in a collection of links.
@Suite struct MixedElementObservationTests {
    private func observing(
        _ body: @escaping @Sendable (ModelScene, MixedHolder) throws -> Void
    ) async throws {
        try await RealmSwiftTests.observing(observedTypes + [MixedHolder.self]) { scene in
            let realm = scene.realm
            try realm.write {
                realm.addTracks(0..<6)
                try realm.track(0).next = try realm.track(1)
                let holder = realm.create(MixedHolder.self, value: ["id": 0])
                let link = { (id: Int) in AnyRealmValue.object(try realm.track(id)) }
                holder.contents.append(.int(5))
                holder.contents.append(try link(0))
                holder.contents.append(.fromArray([.string("x"), try link(2)]))
                holder.contents.append(.fromDictionary(["key": try link(3)]))
                holder.different.insert(try link(0))
                holder.different.insert(.int(1))
                holder.named["a"] = try link(0)
                holder.named["b"] = .fromArray([try link(2)])
                holder.named["c"] = .int(1)
                holder.content = .fromArray([.int(1), try link(4)])
            }
            try body(scene, try realm.holder(0))
        }
    }

    @Test func changesOfLinkedObjectsAreModificationsInAList() async throws {
        try await observing { scene, holder in
            let log = try scene.observe(holder.contents)
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try scene.take(log) == [.modified(1)])
            try scene.writeElsewhere { realm in
                for id in [1, 2, 3] { try realm.track(id).title = "new" }
            }
            // Through a link of a linked object, and through collections in the elements.
            #expect(try scene.take(log) == [.modified(1, 2, 3)])
            try scene.writeElsewhere { realm in
                for id in [4, 5] { try realm.track(id).title = "new" }
            }
            #expect(try scene.take(log) == [])
            try scene.writeElsewhere { realm in
                try realm.holder(0).contents.remove(at: 0)
                try realm.track(0).title = "newer"
            }
            #expect(try scene.take(log) == [.update(deletions: [0], modifications: [1])])
        }
    }

    @Test func deletingTheLinkedObjectChangesTheElement() async throws {
        try await observing { scene, holder in
            let log = try scene.observe(holder.contents)
            try scene.writeElsewhere { realm in
                realm.delete(try realm.track(2))
                try realm.track(3).title = "new"
            }
            let changes = try scene.take(log)
            #expect(changes.count == 1)
            // In the place of the link there is no value.
            #expect(holder.contents.count == 4)
        }
    }

    @Test func changesOfLinkedObjectsAreModificationsInSetsAndMaps() async throws {
        try await observing { scene, holder in
            let set = try scene.observe(holder.different)
            let map = try scene.observe(holder.named)
            try scene.writeElsewhere { realm in
                for id in [0, 2] { try realm.track(id).title = "new" }
            }
            #expect(try scene.take(map) == [.update(modifications: ["a", "b"])])
            let position = try #require(
                Array(holder.different).firstIndex { $0.object(Track.self) != nil })
            #expect(set.entries == [.modified(position)])
        }
    }

    @Test func changesOfLinkedObjectsAreModificationsInCollectionsInsideOfValues() async throws {
        try await observing { scene, holder in
            guard case .list(let list) = holder.content else { throw Missing() }
            let log = try scene.observe(list)
            try scene.writeElsewhere { realm in try realm.track(4).title = "new" }
            #expect(try scene.take(log) == [.modified(1)])
        }
    }

    @Test func changesOfLinkedObjectsAreModificationsOfSortedValues() async throws {
        try await observing { scene, holder in
            let log = try scene.observe(holder.different.sorted())
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            let position = try #require(
                Array(holder.different.sorted()).firstIndex { $0.object(Track.self) != nil })
            #expect(try scene.take(log) == [.modified(position)])
        }
    }
}
