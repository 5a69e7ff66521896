import Foundation
import RealmSwift
import Testing

// Frozen things do not change, so that observing them is an error.

private let text = "Frozen Realms do not change and do not have change notifications."

/// Runs `body` with a scene on a thread with a run loop.
private func inLoop(_ body: @escaping @Sendable (FrozenScene) throws -> Void) throws {
    try runOnRunLoopThread { try body(try FrozenScene()) }
}

private let misuses: [String: Misuse] = [
    "a snapshot": Misuse(text) {
        try inLoop { scene in _ = scene.realm.freeze().observe { _, _ in } }
    },
    "results": Misuse(text) { try inLoop { _ = $0.authors.freeze().observe { _ in } } },
    "results of a snapshot": Misuse(text) {
        try inLoop { scene in
            let authors = scene.realm.freeze().objects(FrozenModels.Author.self)
            _ = authors.filter("age > 1").observe { _ in }
        }
    },
    "results on a queue": Misuse(text) {
        try inLoop { scene in
            _ = scene.authors.freeze().observe(on: DispatchQueue(label: "observing")) { _ in }
        }
    },
    "a list": Misuse(text) {
        try inLoop { scene in _ = try scene.author(1).books.freeze().observe { _ in } }
    },
    "a set": Misuse(text) {
        try inLoop { scene in _ = try scene.author(1).words.freeze().observe { _ in } }
    },
    "a map": Misuse(text) {
        try inLoop { scene in _ = try scene.author(1).counts.freeze().observe { _ in } }
    },
    "linking objects": Misuse(text) {
        try inLoop { scene in _ = try scene.author(1).pupils.freeze().observe { _ in } }
    },
    "an erased collection": Misuse(text) {
        try inLoop { scene in
            _ = AnyRealmCollection(scene.authors).freeze().observe { _ in }
        }
    },
    "an object": Misuse(text) {
        try inLoop { scene in
            let author = try scene.author(1).freeze()
            _ = author.observe { (_: ObjectChange<FrozenModels.Author>) in }
        }
    },
    "an embedded object": Misuse(text) {
        try inLoop { scene in
            let home = try #require(try scene.author(1).home).freeze()
            _ = home.observe { (_: ObjectChange<FrozenModels.Home>) in }
        }
    },
]

@Suite struct FrozenObservingTests {
    @Test(arguments: misuses.names) func stopsObserving(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
