import Foundation
import RealmSwift
import Testing

// Frozen things and the other ways to pass things to another thread.

@Suite struct FrozenReferenceTests {
    private typealias Author = FrozenModels.Author

    @Test func aReferenceToAFrozenObjectLeadsToTheLiveOne() throws {
        let scene = try FrozenScene()
        let reference = ThreadSafeReference(to: try scene.author(2).freeze())
        try scene.realm.write { try scene.author(2).name = "new" }
        let configuration = scene.configuration
        let found = try runThread {
            let realm = try Realm(configuration: configuration)
            let author = try #require(realm.resolve(reference))
            return "\(author.name), \(author.isFrozen), \(author.realm == realm)"
        }
        #expect(found == "new, false, true")
    }

    @Test func referencesToFrozenCollectionsLeadToTheLiveOnes() throws {
        let scene = try FrozenScene()
        let list = ThreadSafeReference(to: try scene.author(2).scores.freeze())
        let results = ThreadSafeReference(to: scene.authors.filter("age > 20").freeze())
        try scene.realm.write {
            try scene.author(2).scores.append(9)
            scene.realm.delete(try scene.author(3))
        }
        let configuration = scene.configuration
        let found = try runThread {
            let realm = try Realm(configuration: configuration)
            let scores = try #require(realm.resolve(list))
            let authors = try #require(realm.resolve(results))
            return Array(scores) + Array(authors.map(\.id))
        }
        #expect(found == [2, 3, 4, 9, 1, 2])
    }

    @Test func aReferenceToAFrozenObjectThatIsGoneFindsNothing() throws {
        let scene = try FrozenScene()
        let reference = ThreadSafeReference(to: try scene.author(2).freeze())
        try scene.realm.write { scene.realm.delete(try scene.author(2)) }
        let configuration = scene.configuration
        let isGone = try runThread {
            try Realm(configuration: configuration).resolve(reference) == nil
        }
        #expect(isGone)
    }

    @Test func whatAReferenceLedToIsFrozenOnTheOtherThread() throws {
        let scene = try FrozenScene()
        let reference = ThreadSafeReference(to: try scene.author(2))
        let configuration = scene.configuration
        let frozen = try runThread {
            Carried(try Realm(configuration: configuration).resolve(reference)?.freeze())
        }
        try scene.changeEverything()
        #expect(frozen.value?.name == "author 2" && frozen.value?.isFrozen == true)
    }
}

/// What handlers of changes are given, frozen for other threads.
@Suite(.timeLimit(.minutes(10))) struct FrozenChangeTests {
    private typealias Author = FrozenModels.Author

    @Test func collectionsOfChangesAreFrozen() async throws {
        try await withRunLoopThread {
            let scene = try FrozenScene()
            let frozen = ChangeLog<Carried<Results<Author>>>()
            let token = scene.authors.sorted(byKeyPath: "id").observe { change in
                switch change {
                case .initial(let authors), .update(let authors, _, _, _):
                    frozen.append(Carried(authors.freeze()))
                case .error(let error): Issue.record(error)
                }
            }
            try pump { frozen.count == 1 }
            try scene.writeElsewhere { $0.addAuthors(10..<11) }
            try pump { frozen.count == 2 }
            try scene.writeElsewhere { $0.delete(try $0.author(0)) }
            try pump { frozen.count == 3 }
            token.invalidate()
            try scene.realm.write { scene.realm.deleteAll() }
            let seen = try runThread { frozen.entries.map { Array($0.value.map(\.id)) } }
            #expect(seen == [[0, 1, 2, 3], [0, 1, 2, 3, 10], [1, 2, 3, 10]])
        }
    }

    @Test func objectsOfChangesAreFrozen() async throws {
        try await withRunLoopThread {
            let scene = try FrozenScene()
            let frozen = ChangeLog<Carried<Author>>()
            let live = try scene.author(2)
            let token = live.observe { (change: ObjectChange<Author>) in
                if case .change(let author, _) = change { frozen.append(Carried(author.freeze())) }
            }
            for step in 1...3 {
                try scene.writeElsewhere { try $0.author(2).name = "name \(step)" }
                try pump { frozen.count == step }
            }
            token.invalidate()
            try scene.realm.write { scene.realm.delete(live) }
            let names = try runThread { frozen.entries.map(\.value.name) }
            #expect(names == ["name 1", "name 2", "name 3"])
        }
    }

    @Test func listsAndMapsOfChangesAreFrozen() async throws {
        try await withRunLoopThread {
            let scene = try FrozenScene()
            let lists = ChangeLog<Carried<List<Int>>>()
            let maps = ChangeLog<Carried<Map<String, Int>>>()
            let author = try scene.author(2)
            let tokens = [
                author.scores.observe { change in
                    switch change {
                    case .initial(let list), .update(let list, _, _, _):
                        lists.append(Carried(list.freeze()))
                    case .error(let error): Issue.record(error)
                    }
                },
                author.counts.observe { change in
                    switch change {
                    case .initial(let map), .update(let map, _, _, _):
                        maps.append(Carried(map.freeze()))
                    case .error(let error): Issue.record(error)
                    }
                },
            ]
            try pump { lists.count == 1 && maps.count == 1 }
            try scene.writeElsewhere { realm in
                try realm.author(2).scores.append(9)
                try realm.author(2).counts["z"] = 26
            }
            try pump { lists.count == 2 && maps.count == 2 }
            for token in tokens { token.invalidate() }
            try scene.realm.write { scene.realm.deleteAll() }
            let scores = try runThread { lists.entries.map { Array($0.value) } }
            let keys = try runThread { maps.entries.map { $0.value.keys.sorted() } }
            #expect(scores == [[2, 3, 4], [2, 3, 4, 9]])
            #expect(keys == [["a", "b"], ["a", "b", "z"]])
        }
    }

    @Test func theRealmOfAChangeIsFrozen() async throws {
        try await withRunLoopThread {
            let scene = try FrozenScene()
            let frozen = ChangeLog<Carried<Realm>>()
            let token = scene.realm.observe { _, realm in frozen.append(Carried(realm.freeze())) }
            for id in 10..<13 {
                try scene.realm.write { scene.realm.addAuthors(id..<(id + 1)) }
            }
            token.invalidate()
            let counts = try runThread {
                frozen.entries.map { $0.value.objects(Author.self).count }
            }
            #expect(counts == [5, 6, 7])
        }
    }

    @Test func collectionsReportedOnAQueueAreReadElsewhere() async throws {
        try await withRunLoopThread {
            let scene = try FrozenScene()
            let observing = ObservingQueue()
            let frozen = ChangeLog<Carried<Results<Author>>>()
            let token = scene.authors.observe(on: observing.queue) { change in
                switch change {
                case .initial(let authors), .update(let authors, _, _, _):
                    frozen.append(Carried(authors.freeze()))
                case .error(let error): Issue.record(error)
                }
            }
            try pump { frozen.count == 1 }
            try scene.writeElsewhere { $0.addAuthors(10..<12) }
            try pump { frozen.count == 2 }
            token.invalidate()
            // Neither thread is the queue's.
            #expect(frozen.entries.map(\.value.count) == [4, 6])
            #expect(try runThread { frozen.entries.map(\.value.count) } == [4, 6])
        }
    }

    @Test func aHandlerComparesWithWhatItFrozeBefore() async throws {
        try await withRunLoopThread {
            let scene = try FrozenScene()
            let log = ChangeLog<String>()
            var before: Author?
            let live = try scene.author(2)
            let token = scene.authors.filter("id == 2").observe { _ in
                if let before { log.append("\(before.name) -> \(live.name)") }
                before = live.freeze()
            }
            try pump { before != nil }
            for name in ["one", "two"] {
                try scene.writeElsewhere { try $0.author(2).name = name }
                try pump { log.entries.last?.hasSuffix(name) == true }
            }
            #expect(log.entries == ["author 2 -> one", "one -> two"])
            token.invalidate()
        }
    }
}
