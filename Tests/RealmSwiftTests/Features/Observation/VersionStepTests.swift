import StorageEngine
import Testing

@testable import RealmSwift

/// Affected objects are found with work that follows the change: within a number of steps that the
/// size of what was not changed would exceed.
@Suite struct VersionStepTests {
    private let directory = TestDirectory()

    /// Opens a Realm of these classes, and makes a change. Returns the step, as a Realm that reads
    /// the newer version sees it.
    private func step(
        _ types: [ObjectBase.Type], prepare: (Realm) throws -> Void,
        change: @escaping @Sendable (Realm) throws -> Void
    ) throws -> (VersionStep, RealmInstance, ChangeObservation) {
        let configuration = directory.configuration(types)
        let realm = try Realm(configuration: configuration)
        try realm.write { try prepare(realm) }
        let instance = realm.instance
        let observation = try instance.connection.observeChanges()
        try runThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { try change(realm) }
        }
        _ = try instance.refresh()
        let changes = try observation.changes()
        return (
            VersionStep(changes, from: observation.previous, in: instance), instance, observation
        )
    }

    private func isDecidedByAlbums(
        _ realm: RealmInstance, _ condition: String = "ANY albums.name == 'a'"
    ) throws -> ObservedClass {
        let results = Realm(instance: realm).objects(Track.self).filter(condition)
        return try #require(ObservedClass.decisive(for: results.query))
    }

    @Test func oneOfManyReferencesThatChangesAffectsOneObject() throws {
        let (step, realm, observation) = try step(observedTypes) { realm in
            realm.addTracks(0..<500)
            let album = realm.create(Album.self, value: ["id": 0])
            album.tracks.append(objectsIn: realm.objects(Track.self).filter("id < 400"))
            album.favourites.insert(objectsIn: realm.objects(Track.self).filter("id < 400"))
        } change: { realm in
            let album = try realm.album()
            album.tracks.append(try realm.track(450))
            album.tracks.remove(at: 7)
            album.tracks.move(from: 300, to: 1)
            album.favourites.insert(try realm.track(460))
        }
        let keys = try #require(
            try step.affected(try isDecidedByAlbums(realm), limit: 20))
        let ids = Set(
            keys.keys.compactMap { key in
                Realm(instance: realm).objects(Track.self).first { $0._key == key.rawValue }?.id
            })
        #expect(ids.isSuperset(of: [7, 450]) && ids.count <= 4)
        withExtendedLifetime(observation) {}
    }

    @Test func elementsThatWereSetInTheirPlacesAreAffectedBeforeAndAfter() throws {
        let (step, realm, observation) = try step(observedTypes) { realm in
            realm.addTracks(0..<10)
            let album = realm.create(Album.self, value: ["id": 0])
            album.tracks.append(objectsIn: realm.objects(Track.self).filter("id < 5"))
        } change: { realm in
            try realm.album().tracks[2] = try realm.track(8)
        }
        let keys = try #require(try step.affected(try isDecidedByAlbums(realm), limit: 64))
        let ids = Set(
            keys.keys.compactMap { key in
                Realm(instance: realm).objects(Track.self).first { $0._key == key.rawValue }?.id
            })
        #expect(ids.isSuperset(of: [2, 8]))
        withExtendedLifetime(observation) {}
    }

    /// A million new referrers are too many, which is found out without listing them.
    @Test func manyNewReferrersAreTooMany() throws {
        let (step, realm, observation) = try step(observedTypes) { realm in
            realm.addTracks(0..<4)
        } change: { realm in
            for id in 0..<1_000 { realm.create(Album.self, value: ["id": id]) }
        }
        #expect(try step.affected(try isDecidedByAlbums(realm), limit: 999) == nil)
        #expect(try step.affected(try isDecidedByAlbums(realm), limit: 1_000)?.isEmpty == true)
        withExtendedLifetime(observation) {}
    }

    /// A column of mixed values leads to the classes that its values have linked to, and no others.
    @Test func mixedValuesLeadToTheClassesThatTheyHaveLinkedTo() throws {
        let types = observedTypes + [MixedHolder.self]
        let (step, realm, observation) = try step(types) { realm in
            realm.addTracks(0..<100)
            for id in 0..<3 { realm.create(MixedHolder.self, value: ["id": id]) }
        } change: { realm in
            for track in realm.objects(Track.self) { track.title = "new" }
        }
        let holders = realm.managedClass(for: MixedHolder.self)
        let everything = ObservedClass.everything(of: holders)
        #expect(step.isUntouched(everything))
        #expect(try step.affected(everything, limit: 0)?.isEmpty == true)
        withExtendedLifetime(observation) {}
    }

    @Test func theFirstLinkOfMixedValuesToAClassIsFollowed() throws {
        let types = observedTypes + [MixedHolder.self]
        let (step, realm, observation) = try step(types) { realm in
            realm.addTracks(0..<4)
            realm.create(MixedHolder.self, value: ["id": 0])
        } change: { realm in
            try realm.holder(0).content = .object(try realm.track(2))
            try realm.track(2).title = "new"
        }
        let holders = realm.managedClass(for: MixedHolder.self)
        let everything = ObservedClass.everything(of: holders)
        #expect(!step.isUntouched(everything))
        #expect(try step.affected(everything, limit: 64)?.count == 1)
        withExtendedLifetime(observation) {}
    }

    /// An object that leads to very many others is tested, whichever way that is done.
    @Test(arguments: [
        "SUBQUERY(others, $o, $o.rank > 700).@count > 3", "NONE others.rank > 2000",
        "ANY others.rank == 799", "ANY elsewhere.rank == 5", "NONE elsewhere.rank == -1",
        "SUBQUERY(elsewhere, $e, $e.rank > 10).@count > 100",
    ])
    func objectsThatLeadToManyAreFound(_ condition: String) throws {
        let configuration = directory.configuration(observedTypes)
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.addTracks(0..<800)
            let all = realm.objects(Track.self)
            try realm.track(0).others.append(objectsIn: all)
            for id in 0..<300 { try realm.track(id).others.append(realm.track(1)) }
        }
        let query = realm.objects(Track.self).filter(condition).query
        guard case .filter(_, let plan)? = query.operations.first else {
            Issue.record("The condition is not a filter.")
            return
        }
        let few = try (0..<5).map { ObjectKey(rawValue: try realm.track($0)._key) }
        #expect(try plan.matches(amongFew: few) == plan.matches(among: few))
        #expect(try plan.matches(amongFew: few) == plan.matches(among: few))
    }
}
