import Foundation
import RealmSwift
import Testing

// Links in mixed values. A change of an object behind such a link is a modification, as behind a
// link of a property.

class MixedHolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var content: AnyRealmValue
    @Persisted var contents: List<AnyRealmValue>
    @Persisted var different: MutableSet<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
    @Persisted var next: MixedHolder?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let mixedTypes: [ObjectBase.Type] = observedTypes + [MixedHolder.self]

extension Realm {
    func holder(_ id: Int) throws -> MixedHolder {
        guard let holder = object(ofType: MixedHolder.self, forPrimaryKey: id) else {
            throw Missing()
        }
        return holder
    }
}

/// Runs `body` with tracks 0 to 3 and empty holders 0 to 2.
private func observingHolders(
    _ body: @escaping @Sendable (ModelScene, Results<MixedHolder>) throws -> Void
) async throws {
    try await observing(mixedTypes) { scene in
        try scene.realm.write {
            scene.realm.addTracks(0..<4)
            for id in 0..<3 { scene.realm.create(MixedHolder.self, value: ["id": id]) }
        }
        try body(scene, scene.realm.objects(MixedHolder.self))
    }
}

/// A place for a mixed value, and what puts a link there.
struct MixedPlace: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let put: @Sendable (MixedHolder, Track) -> Void

    init(_ name: String, _ put: @escaping @Sendable (MixedHolder, Track) -> Void) {
        testDescription = name
        self.put = put
    }

    static let all = [
        MixedPlace("a value") { $0.content = .object($1) },
        MixedPlace("a list") {
            $0.contents.append(objectsIn: [AnyRealmValue.int(1), .object($1)])
        },
        MixedPlace("a set") { $0.different.insert(.object($1)) },
        MixedPlace("a map") { $0.named["key"] = .object($1) },
        MixedPlace("a list in a value") { $0.content = .fromArray([.int(1), .object($1)]) },
        MixedPlace("a map in a value") { $0.content = .fromDictionary(["key": .object($1)]) },
        MixedPlace("a list in a list") {
            $0.contents.append(.fromArray([.fromArray([.object($1)])]))
        },
        MixedPlace("a map in a map") {
            $0.named["key"] = .fromDictionary(["inner": .object($1)])
        },
    ]
}

@Suite struct MixedLinkObservationTests {
    @Test(arguments: MixedPlace.all)
    func changesOfLinkedObjectsAreModifications(_ place: MixedPlace) async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                place.put(try scene.realm.holder(1), try scene.realm.track(2))
            }
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try scene.take(log) == [.modified(1)])
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            #expect(try scene.take(log) == [])
        }
    }

    @Test(arguments: MixedPlace.all)
    func linkingIsAModification(_ place: MixedPlace) async throws {
        try await observingHolders { scene, holders in
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in
                place.put(try realm.holder(1), try realm.track(2))
            }
            #expect(try scene.take(log) == [.modified(1)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try scene.take(log) == [.modified(1)])
        }
    }

    @Test(arguments: MixedPlace.all)
    func deletingTheLinkedObjectIsAModification(_ place: MixedPlace) async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                place.put(try scene.realm.holder(1), try scene.realm.track(2))
            }
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(2)) }
            #expect(try scene.take(log) == [.modified(1)])
        }
    }

    @Test func aLinkThatWasRemovedDoesNotCount() async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                try scene.realm.holder(1).content = .object(scene.realm.track(2))
            }
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in try realm.holder(1).content = .int(5) }
            #expect(try scene.take(log) == [.modified(1)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try scene.take(log) == [])
        }
    }

    @Test func linksOfBothKindsMakeOnePath() async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                try scene.realm.holder(0).next = scene.realm.holder(1)
                try scene.realm.holder(1).content = .object(scene.realm.track(0))
                try scene.realm.track(0).next = scene.realm.track(1)
            }
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try scene.take(log) == [.modified(0, 1)])
        }
    }

    @Test func changesUpToFourLinksAwayCount() async throws {
        try await observingHolders { scene, _ in
            try scene.realm.write {
                for id in 3..<8 { scene.realm.create(MixedHolder.self, value: ["id": id]) }
                for id in 0..<7 {
                    try scene.realm.holder(id).content = .object(scene.realm.holder(id + 1))
                }
            }
            let first = scene.realm.objects(MixedHolder.self).filter("id = 0")
            let log = try scene.observe(first)
            for distance in 1...7 {
                try scene.writeElsewhere { realm in
                    try realm.holder(distance).name = "new"
                }
                let expected: [Recorded] = distance <= 4 ? [.modified(0)] : []
                #expect(try scene.take(log) == expected, "\(distance) links away")
            }
        }
    }

    @Test func cyclesOfMixedLinksEnd() async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                for id in 0..<3 {
                    try scene.realm.holder(id).contents.append(
                        .object(scene.realm.holder((id + 1) % 3)))
                }
            }
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in try realm.holder(1).name = "new" }
            #expect(try scene.take(log) == [.modified(0, 1, 2)])
        }
    }

    @Test func aKeyPathThatEndsInAMixedValueCountsOnlyTheValue() async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                try scene.realm.holder(1).content = .object(scene.realm.track(2))
            }
            let log = try scene.observe(holders, keyPaths: ["content"])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try scene.take(log) == [])
            try scene.writeElsewhere { realm in try realm.holder(1).name = "new" }
            #expect(try scene.take(log) == [])
            try scene.writeElsewhere { realm in
                try realm.holder(1).content = .object(realm.track(3))
            }
            #expect(try scene.take(log) == [.modified(1)])
        }
    }

    @Test func anObjectReportsItsOwnMixedPropertyOnly() async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                try scene.realm.holder(1).content = .object(scene.realm.track(2))
            }
            let log = ChangeLog<RecordedObject>()
            let holder = try scene.realm.holder(1)
            scene.keep(
                holder.observe { (change: ObjectChange<MixedHolder>) in
                    log.append(RecordedObject(change))
                })
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try scene.take(log) == [])
            try scene.writeElsewhere { realm in
                try realm.holder(1).content = .object(realm.track(3))
            }
            #expect(try scene.take(log).map(\.names) == [["content"]])
        }
    }
}

@Suite struct MixedCollectionObservationTests {
    @Test func aListInAMixedValueIsObserved() async throws {
        try await observingHolders { scene, _ in
            try scene.realm.write {
                try scene.realm.holder(0).content = .fromArray([.int(1), .int(2)])
            }
            let list = try #require(try scene.realm.holder(0).content.listValue)
            let log = try scene.observe(list)
            try scene.writeElsewhere { realm in
                try realm.holder(0).content.listValue?.append(.object(realm.track(0)))
            }
            #expect(try scene.take(log) == [.inserted(2)])
            try scene.writeElsewhere { realm in
                try realm.holder(0).content.listValue?.remove(at: 0)
            }
            #expect(try scene.take(log) == [.deleted(0)])
        }
    }

    @Test func replacingAMixedValueDeletesTheElementsOfItsList() async throws {
        try await observingHolders { scene, _ in
            try scene.realm.write {
                try scene.realm.holder(0).content = .fromArray([.int(1), .int(2)])
            }
            let list = try #require(try scene.realm.holder(0).content.listValue)
            let log = try scene.observe(list)
            try scene.writeElsewhere { realm in try realm.holder(0).content = .int(1) }
            #expect(try scene.take(log) == [.deleted(0, 1)])
            #expect(list.isInvalidated)
            try scene.writeElsewhere { realm in
                try realm.holder(0).content = .fromArray([.int(3)])
            }
            #expect(try scene.take(log) == [])
        }
    }

    @Test func aMapInAMixedValueIsObserved() async throws {
        try await observingHolders { scene, _ in
            try scene.realm.write {
                try scene.realm.holder(0).content = .fromDictionary(["a": .int(1)])
            }
            let map = try #require(try scene.realm.holder(0).content.dictionaryValue)
            let log = try scene.observe(map)
            try scene.writeElsewhere { realm in
                let map = try realm.holder(0).content.dictionaryValue
                map?["a"] = .int(2)
                map?["b"] = .object(try realm.track(0))
            }
            #expect(try scene.take(log) == [.update(insertions: ["b"], modifications: ["a"])])
        }
    }

    @Test func changesDeepInAMixedValueModifyItsObject() async throws {
        try await observingHolders { scene, holders in
            try scene.realm.write {
                try scene.realm.holder(2).content = .fromArray([.fromDictionary(["a": .int(1)])])
            }
            let log = try scene.observe(holders)
            try scene.writeElsewhere { realm in
                try realm.holder(2).content.listValue?[0].dictionaryValue?["a"] = .int(2)
            }
            #expect(try scene.take(log) == [.modified(2)])
        }
    }
}
