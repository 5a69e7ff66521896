import Foundation
import RealmSwift
import Testing

// Tests that programming errors with frozen things stop the process with the documented text.

private let transaction = "Can't perform transactions on a frozen Realm"
private let frozenObject =
    "Attempting to modify a frozen object - call thaw on the Object instance first."
private let unmanaged = "Unmanaged objects cannot be frozen."
private let outsideOfAWrite =
    "Can only add, remove, or create objects in a Realm in a write transaction - call "
    + "beginWriteTransaction on an RLMRealm instance first."

private let misuses: [String: Misuse] = [
    "writing to a snapshot": Misuse(transaction) {
        try FrozenScene().realm.freeze().write {}
    },
    "beginning a transaction of a snapshot": Misuse(transaction) {
        try FrozenScene().realm.freeze().beginWrite()
    },
    "setting a property of a frozen object": Misuse(frozenObject) {
        try FrozenScene().author(1).freeze().name = "x"
    },
    "setting a property of a frozen object by name": Misuse(frozenObject) {
        try FrozenScene().author(1).freeze()["name"] = "x"
    },
    "setting a property of a frozen object inside a transaction": Misuse(frozenObject) {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        try scene.realm.write { frozen.name = "x" }
    },
    "setting a property of an object of a snapshot": Misuse(frozenObject) {
        let frozen = try FrozenScene().realm.freeze()
        frozen.objects(FrozenModels.Book.self)[0].title = "x"
    },
    "setting a property of a frozen embedded object": Misuse(frozenObject) {
        let home = try #require(try FrozenScene().author(1).home).freeze()
        home.city = "x"
    },
    "setting a link of a frozen object": Misuse(frozenObject) {
        try FrozenScene().author(1).freeze().mentor = nil
    },
    "freezing an unmanaged object": Misuse(unmanaged) {
        _ = FrozenModels.Author().freeze()
    },
    "freezing an unmanaged embedded object": Misuse(unmanaged) {
        _ = FrozenModels.Home().freeze()
    },
    "freezing the projection of an unmanaged object": Misuse(unmanaged) {
        _ = FrozenAuthorView(projecting: FrozenModels.Author()).freeze()
    },
    "thawing an unmanaged object": Misuse("Unmanaged objects cannot be thawed.") {
        _ = FrozenModels.Author().thaw()
    },
    "freezing an object in the transaction that created it": Misuse(
        "Cannot freeze an object in the same write transaction as it was created in."
    ) {
        let realm = try FrozenScene().realm
        try realm.write { _ = realm.create(FrozenModels.Book.self).freeze() }
    },
    "freezing an added object in the transaction that added it": Misuse(
        "Cannot freeze an object in the same write transaction as it was created in."
    ) {
        let realm = try FrozenScene().realm
        let book = FrozenModels.Book()
        try realm.write {
            realm.add(book)
            _ = book.freeze()
        }
    },
    "freezing a deleted object": Misuse("Object has been deleted or invalidated.") {
        let scene = try FrozenScene()
        let author = try scene.author(1)
        try scene.realm.write { scene.realm.delete(author) }
        _ = author.freeze()
    },
    "freezing an unmanaged list": Misuse(
        "This method may only be called on RLMArray instances retrieved from an RLMRealm"
    ) { _ = List<Int>().freeze() },
    "freezing an unmanaged set": Misuse(
        "This method may only be called on RLMSet instances retrieved from an RLMRealm"
    ) { _ = MutableSet<Int>().freeze() },
    "freezing an unmanaged map": Misuse(
        "This method may only be called on RLMDictionary instances retrieved from an RLMRealm"
    ) { _ = Map<String, Int>().freeze() },
    "reading a snapshot that was invalidated": Misuse(
        "Cannot read from a frozen Realm which has been invalidated."
    ) {
        let frozen = try FrozenScene().realm.freeze()
        frozen.invalidate()
        _ = frozen.objects(FrozenModels.Author.self).count
    },
    "adding a frozen object to the live Realm": Misuse(
        "Object is already managed by another Realm. Use create instead to copy it into this "
            + "Realm."
    ) {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        try scene.realm.write { scene.realm.add(frozen) }
    },
    "deleting a frozen object in the live Realm": Misuse(
        "Can only delete an object from the Realm it belongs to."
    ) {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        try scene.realm.write { scene.realm.delete(frozen) }
    },
    "seeking a frozen object in live results": Misuse(
        "Object must be from the Realm being queried (at character 8 of \"mentor == %@\")"
    ) {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        _ = scene.authors.filter("mentor == %@", frozen).count
    },
    "an index beyond the end of a frozen list": Misuse(
        "Index 3 is out of bounds (must be less than 3)."
    ) { _ = try FrozenScene().author(1).scores.freeze()[3] },
    "using a live object on another thread after it was frozen": Misuse(
        "Realm accessed from incorrect thread."
    ) {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        let carried = Carried((live, live.freeze()))
        _ = try runThread { carried.value.1.name + carried.value.0.name }
    },
    "using a thawed object on another thread": Misuse("Realm accessed from incorrect thread.") {
        let scene = try FrozenScene()
        let thawed = Carried(try scene.author(1).freeze().thaw())
        _ = try runThread { thawed.value?.name }
    },
]

/// Misuses for which the documentation has two texts that fit.
private let mutations: [String: @Sendable () throws -> Void] = [
    "appending to a frozen list": { try FrozenScene().author(1).scores.freeze().append(1) },
    "changing an element of a frozen list": { try FrozenScene().author(1).scores.freeze()[0] = 1 },
    "emptying a frozen list": { try FrozenScene().author(1).books.freeze().removeAll() },
    "inserting into a frozen set": { try FrozenScene().author(1).words.freeze().insert("x") },
    "removing from a frozen set": { try FrozenScene().author(1).words.freeze().remove("common") },
    "changing a frozen map": { try FrozenScene().author(1).counts.freeze()["a"] = 1 },
    "emptying a frozen map": { try FrozenScene().author(1).counts.freeze().removeAll() },
    "changing the list of a frozen object in a transaction": {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        try scene.realm.write { frozen.scores.append(1) }
    },
    "changing a nested list of a frozen object": {
        try FrozenScene().author(1).freeze().note.dictionaryValue?["list"]?.listValue?
            .append(.int(1))
    },
    "setting a property of frozen results": {
        try FrozenScene().authors.freeze().setValue(1, forKey: "age")
    },
    "creating an object in a snapshot": {
        try FrozenScene().realm.freeze().create(FrozenModels.Book.self)
    },
    "adding an object to a snapshot": {
        try FrozenScene().realm.freeze().add(FrozenModels.Book())
    },
    "deleting from a snapshot": {
        let frozen = try FrozenScene().realm.freeze()
        frozen.delete(try frozen.author(1))
    },
    "deleting everything of a snapshot": { try FrozenScene().realm.freeze().deleteAll() },
]

private let mutationTexts = [
    transaction, frozenObject, outsideOfAWrite,
    "Cannot modify List outside of a write transaction.",
    "Cannot modify Set outside of a write transaction.",
    "Cannot modify Dictionary outside of a write transaction.",
    "Cannot modify Results outside of a write transaction.",
]

@Suite struct FrozenTrapTests {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    @Test(arguments: mutations.keys.sorted()) func stopsMutations(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try mutations[name]?() }
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        let isDocumented = mutationTexts.contains { output.contains("Fatal error: \($0)\n") }
        #expect(isDocumented, "\(name): \(output)")
    }

    /// The documentation does not give the text.
    @Test func autorefreshOfASnapshotCannotBeSet() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try FrozenScene().realm.freeze().autorefresh = true }
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("Fatal error: "))
    }
}
