import Foundation
import RealmSwift
import Testing

// Realms of actors. Documented: "Opening a Realm with an actor isolates the Realm to that actor.
// Rather than being confined to the specific thread which the Realm was opened on, the Realm can
// instead only be used from within that actor or functions isolated to that actor."

/// An actor with a Realm of its own.
private actor ItemStore {
    /// Implicitly unwrapped, so that `self` can be passed to `Realm(actor:)` within `init`.
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var ids: [Int] { realm.itemIds }
    var isFrozen: Bool { realm.isFrozen }

    func add(_ id: Int, _ text: String = "") async throws {
        try await realm.asyncWrite { realm.addItem(id, text) }
    }

    func remove(_ id: Int) async throws {
        try await realm.asyncWrite { realm.delete(try realm.item(id)) }
    }

    func increment(_ id: Int) async throws {
        try await realm.asyncWrite { try realm.item(id).count += 1 }
    }

    func count(of id: Int) throws -> Int { try realm.item(id).count }
    func text(of id: Int) throws -> String { try realm.item(id).text }

    func refresh() async -> Bool { await realm.asyncRefresh() }

    /// Uses an object before and after the task is suspended.
    func rename(_ id: Int, _ names: [String]) async throws -> [String] {
        let item = try realm.item(id)
        var seen = [item.text]
        for name in names {
            try await realm.asyncWrite { item.text = name }
            await Task.yield()
            seen.append(item.text)
        }
        return seen
    }

    /// Opens the Realm of this actor again.
    func opensTheSame(_ configuration: Realm.Configuration) async throws -> Bool {
        let again = try await Realm(configuration: configuration, actor: self)
        let isolated = try await Realm.open(configuration: configuration)
        return again == realm && isolated == realm
    }

    func reference(to id: Int) throws -> ThreadSafeReference<AsyncItem> {
        ThreadSafeReference(to: try realm.item(id))
    }

    func text(of reference: ThreadSafeReference<AsyncItem>) -> String? {
        realm.resolve(reference)?.text
    }

    func frozenItems() -> FrozenItems { FrozenItems(realm.objects(AsyncItem.self).freeze()) }

    /// Whether what is thawed here belongs to the Realm of this actor. Renames an item.
    func thaws(_ frozen: FrozenItems, renaming name: String) async throws -> Bool {
        guard let items = frozen.items.thaw(), let item = frozen.items.first?.thaw() else {
            return false
        }
        try await realm.asyncWrite { item.text = name }
        return items.realm == realm && item.realm == realm && item.text == name
            && frozen.items.realm?.thaw() == realm
    }

    /// Whether what a wrapper holds is read here as that of the Realm of this actor.
    func reads(_ shared: ThreadSafe<AsyncItem>) async throws -> Bool {
        guard let item = shared.wrappedValue else { return false }
        try await realm.asyncWrite { item.count += 1 }
        await Task.yield()
        return item.realm == realm && item.count == 1
    }

    func close() { realm = nil }
}

/// Frozen items, which any thread may read. Unchecked because they do not change.
private struct FrozenItems: @unchecked Sendable {
    let items: Results<AsyncItem>
    init(_ items: Results<AsyncItem>) { self.items = items }
    var ids: [Int] { items.map(\.id).sorted() }
}

@Suite(.timeLimit(.minutes(10))) struct ActorRealmTests {
    private let configuration = asyncConfiguration()

    @Test func anActorWritesAndReads() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(1, "one")
        try await store.add(2, "two")
        #expect(await store.ids == [1, 2])
        #expect(try await store.text(of: 2) == "two")
        try await store.remove(1)
        #expect(await store.ids == [2])
        #expect(try asyncIds(in: configuration) == [2])
    }

    @Test func theRealmIsUsedOnWhicheverThreadRunsTheActor() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(0)
        for _ in 0..<50 {
            try await Task.detached { try await store.increment(0) }.value
            await Task.yield()
        }
        #expect(try await store.count(of: 0) == 50)
    }

    @Test func objectsAreUsedAfterASuspension() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(1, "a")
        #expect(try await store.rename(1, ["b", "c", "d"]) == ["a", "b", "c", "d"])
    }

    @Test func frozenItemsLeaveTheActor() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(1)
        let frozen = await store.frozenItems()
        try await store.add(2)
        #expect(frozen.ids == [1] && frozen.items.isFrozen)
        #expect(await store.ids == [1, 2])
        #expect(await !store.isFrozen)
    }

    @Test func anActorThawsToItsOwnRealm() async throws {
        let (one, two) = (try await ItemStore(configuration), try await ItemStore(configuration))
        try await one.add(1)
        let frozen = await one.frozenItems()
        #expect(try await one.thaws(frozen, renaming: "thawed"))
        // The Realm of the other actor is older than what is thawed.
        #expect(try await two.thaws(frozen, renaming: "thawed again"))
        #expect(frozen.items.first?.text == "")
    }

    @Test func anActorReadsThreadSafeItemsInItsOwnRealm() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(1)
        let configuration = configuration
        let shared = try await onThread {
            ThreadSafe(wrappedValue: try Realm(configuration: configuration).item(1))
        }
        #expect(try await store.reads(shared))
    }

    @Test func anActorHasOneRealmForAFile() async throws {
        let store = try await ItemStore(configuration)
        #expect(try await store.opensTheSame(configuration))
    }

    @Test func twoActorsHaveRealmsOfTheirOwn() async throws {
        let (one, two) = (try await ItemStore(configuration), try await ItemStore(configuration))
        try await one.add(1)
        _ = await two.refresh()
        #expect(await two.ids == [1])
        try await two.add(2)
        _ = await one.refresh()
        #expect(await one.ids == [1, 2])
    }

    @Test func manyActorsLoseNoIncrement() async throws {
        let configuration = configuration
        let first = try await ItemStore(configuration)
        try await first.add(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try await ItemStore(configuration)
                    for _ in 0..<15 { try await store.increment(0) }
                }
            }
            try await group.waitForAll()
        }
        _ = await first.refresh()
        #expect(try await first.count(of: 0) == 60)
    }

    @Test func manyTasksOfOneActorLoseNoIncrement() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await store.increment(0) } }
            try await group.waitForAll()
        }
        #expect(try await store.count(of: 0) == 40)
    }

    @Test func anActorSeesWhatThreadsWriteAfterARefresh() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(1)
        try await onThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.addItem(2) }
        }
        _ = await store.refresh()
        #expect(await store.ids == [1, 2])
    }

    @Test func anActorReleasesItsFile() async throws {
        let store = try await ItemStore(configuration)
        try await store.add(1)
        #expect(throws: Realm.Error(.alreadyOpen)) { try Realm.deleteFiles(for: configuration) }
        await store.close()
        try await deleteOnceClosed(configuration)
    }

    @Test func anActorThatGoesAwayReleasesItsFile() async throws {
        let configuration = configuration
        func use() async throws {
            let store = try await ItemStore(configuration)
            try await store.add(1)
        }
        try await use()
        try await deleteOnceClosed(configuration)
    }

    @Test func referencesLeaveAndEnterTheActor() async throws {
        let (one, two) = (try await ItemStore(configuration), try await ItemStore(configuration))
        try await one.add(1, "found")
        let reference = try await one.reference(to: 1)
        #expect(await two.text(of: reference) == "found")
        let other = try await two.reference(to: 1)
        let text = try await onThread { [configuration] in
            try Realm(configuration: configuration).resolve(other)?.text
        }
        #expect(text == "found")
    }

    @Test func anInMemoryRealmBelongsToAnActorToo() async throws {
        let store = try await ItemStore(
            Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: asyncTypes))
        try await store.add(1)
        #expect(await store.ids == [1])
    }

    @Test func encryptedRealmsBelongToAnActorToo() async throws {
        var configuration = configuration
        configuration.encryptionKey = Data(repeating: 9, count: 64)
        let store = try await ItemStore(configuration)
        try await store.add(1)
        #expect(try asyncIds(in: configuration) == [1])
    }
}

/// Realms of the main actor.
@Suite(.timeLimit(.minutes(10))) @MainActor struct MainActorRealmTests {
    private let configuration = asyncConfiguration()

    @Test func theMainActorOpensARealm() async throws {
        let realm = try await Realm(configuration: configuration)
        try await realm.asyncWrite { realm.addItem(1, "main") }
        #expect(try realm.item(1).text == "main")
        #expect(try asyncIds(in: configuration) == [1])
    }

    @Test func allWaysToOpenGiveTheSameRealm() async throws {
        let one = try await Realm(configuration: configuration)
        let two = try await Realm.open(configuration: configuration)
        let three = try await Realm(configuration: configuration, actor: MainActor.shared)
        #expect(one == two && two == three)
    }

    @Test(arguments: [Realm.OpenBehavior.never, .once, .always])
    func nothingIsDownloaded(_ behavior: Realm.OpenBehavior) async throws {
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: behavior)
        try await realm.asyncWrite { realm.addItem(1) }
        #expect(realm.itemIds == [1])
        let again = try await Realm.open(
            configuration: configuration, downloadBeforeOpen: behavior)
        #expect(again == realm)
    }

    @Test func objectsAreUsedAfterASuspension() async throws {
        let realm = try await Realm(configuration: configuration)
        let item = try await realm.asyncWrite { realm.addItem(1) }
        for count in 1...5 {
            try await realm.asyncWrite { item.count = count }
            await Task.yield()
            #expect(item.count == count)
        }
    }

    @Test func theMainActorRefreshes() async throws {
        let realm = try await Realm(configuration: configuration)
        realm.autorefresh = false
        #expect(realm.itemIds == [])
        try writeAsyncItems(to: configuration) { $0.addItem(1) }
        let hasAdvanced = await realm.asyncRefresh()
        #expect(hasAdvanced)
        let hasAdvancedNow = await realm.asyncRefresh()
        #expect(!hasAdvancedNow)
        #expect(realm.itemIds == [1])
    }

    @Test func aRefreshTellsTheObserversOfTheRealm() async throws {
        let realm = try await Realm(configuration: configuration)
        realm.autorefresh = false
        #expect(realm.itemIds == [])
        let log = ChangeLog<Int>()
        let token = realm.observe { notification, realm in
            if notification == .didChange { log.append(realm.itemIds.count) }
        }
        try writeAsyncItems(to: configuration) { $0.addItem(1) }
        let hasAdvanced = await realm.asyncRefresh()
        #expect(hasAdvanced)
        #expect(log.entries == [1])
        token.invalidate()
    }

    @Test func aWriteTellsTheObserversOfTheRealm() async throws {
        let realm = try await Realm(configuration: configuration)
        let log = ChangeLog<Int>()
        let token = realm.observe { _, realm in log.append(realm.itemIds.count) }
        try await realm.asyncWrite { realm.addItem(1) }
        try await yieldToOthers { log.count > 0 }
        #expect(log.entries.last == 1)
        token.invalidate()
    }

    @Test func waitingDoesNotBlockTheMainActor() async throws {
        let (configuration, log) = (configuration, ChangeLog<String>())
        let held = try HeldTransaction(configuration)
        let writing = Task { @MainActor in
            let realm = try await Realm(configuration: configuration)
            log.append("asking")
            try await realm.asyncWrite { realm.addItem(1) }
            log.append("written")
        }
        try await yieldToOthers { log.count == 1 }
        for _ in 0..<20 { await Task.yield() }
        #expect(log.entries == ["asking"])
        try held.commit()
        try await writing.value
        #expect(log.entries == ["asking", "written"])
    }
}
