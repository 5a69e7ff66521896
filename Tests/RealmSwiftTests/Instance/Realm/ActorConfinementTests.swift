import Foundation
import RealmSwift
import Testing
import ToolSupport

/// An actor that keeps a Realm.
private actor Kennel {
    var realm: Realm!
    private var dog: Dog?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func add(_ name: String) throws {
        try realm.write { dog = realm.create(Dog.self, value: ["name": name]) }
    }

    var name: String? { dog?.name }
    var count: Int { realm.objects(Dog.self).count }

    /// Opens the Realm in two ways. Returns whether both are the Realm that is kept.
    func opensEqual(_ configuration: Realm.Configuration) async throws -> Bool {
        let first = try await Realm(configuration: configuration, actor: self)
        let second = try await Realm.open(configuration: configuration)
        return first == realm && second == realm
    }

    func equals(_ other: Handed<Realm?>) -> Bool { other.value == realm }
    func hand() -> Handed<Realm?> { Handed(realm) }
}

/// Runs the jobs of its actors on a queue.
private final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private actor QueueKennel {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func count(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm.open(configuration: configuration)
        try realm.write { realm.create(Dog.self) }
        await Task.yield()
        return realm.objects(Dog.self).count
    }
}

@globalActor private actor Storage {
    static let shared = Storage()
}

@Storage private func addInStorage(_ configuration: Realm.Configuration) async throws -> Int {
    let realm = try await Realm.open(configuration: configuration)
    try realm.write { realm.create(Dog.self) }
    let same = try await Realm(configuration: configuration, actor: Storage.shared)
    return same == realm ? realm.objects(Dog.self).count : 0
}

@Suite struct ActorConfinementTests {
    private let directory = TestDirectory()
    private var configuration: Realm.Configuration { directory.configuration() }

    @Test func anActorUsesItsRealmOnAnyThread() async throws {
        let kennel = Kennel()
        try await kennel.open(configuration)
        for index in 0..<50 {
            try await kennel.add("dog \(index)")
            await Task.detached {}.value
            #expect(await kennel.name == "dog \(index)")
        }
        #expect(await kennel.count == 50)
    }

    @Test func anActorHasOneRealmForAFile() async throws {
        let kennel = Kennel()
        try await kennel.open(configuration)
        #expect(try await kennel.opensEqual(configuration))
    }

    @Test func actorsHaveRealmsOfTheirOwn() async throws {
        let (one, other) = (Kennel(), Kennel())
        try await one.open(configuration)
        try await other.open(configuration)
        #expect(await !one.equals(other.hand()))
        try await one.add("Rex")
        // The other one moves by itself when its actor gets to it.
        while await other.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func simultaneousOpeningsGiveOneRealm() async throws {
        let kennel = Kennel()
        let configuration = configuration
        try await kennel.open(configuration)
        for _ in 0..<20 {
            let other = Kennel()
            let opened = try await withThrowingTaskGroup(of: Handed<Realm?>.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        Handed(try await Realm(configuration: configuration, actor: other))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(opened.allSatisfy { $0.value == opened[0].value })
        }
    }

    @Test func actorsMayHaveExecutorsOfTheirOwn() async throws {
        #expect(try await QueueKennel().count(configuration) == 1)
    }

    @Test func globalActorsHaveRealms() async throws {
        #expect(try await addInStorage(configuration) == 1)
        #expect(try await addInStorage(configuration) == 2)
    }

    @Test @MainActor func theMainActorSharesTheRealmOfTheMainQueue() async throws {
        let configuration = configuration
        let realm = try await Realm(configuration: configuration)
        let opened = try await Realm.open(configuration: configuration)
        let named = try await Realm(configuration: configuration, actor: MainActor.shared)
        func openNow() throws -> Realm { try Realm(configuration: configuration) }
        #expect(try opened == realm && named == realm && openNow() == realm)
        try realm.write { realm.create(Dog.self) }
        await Task.yield()
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test func aRealmDoesNotKeepItsActor() async throws {
        weak var gone: Kennel?
        do {
            let kennel = Kennel()
            try await kennel.open(configuration)
            try await kennel.add("Rex")
            gone = kennel
        }
        while gone != nil { try await Task.sleep(for: .milliseconds(1)) }
        // The file is closed with the actor.
        while (try? Realm.deleteFiles(for: configuration)) != true {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func aNewActorDoesNotGetTheRealmOfOneThatIsGone() async throws {
        let configuration = configuration
        var kept: [Handed<Realm?>] = []
        for _ in 0..<20 {
            let kennel = Kennel()
            try await kennel.open(configuration)
            let own = await kennel.hand()
            #expect(!kept.contains { $0.value == own.value })
            kept.append(own)
        }
    }

    // MARK: Opening

    @Test func openingHappensOnAnotherThread() async throws {
        try Realm(configuration: configuration, queue: nil).write {}
        var configuration = configuration
        let isAsked = Handed(false)
        configuration.shouldCompactOnLaunch = { _, _ in
            isAsked.value = true
            return !Thread.isMainThread && OperationQueue.current != .main
        }
        let kennel = Kennel()
        try await kennel.open(configuration)
        #expect(isAsked.value)
    }

    @Test func errorsOfOpeningAreThrown() async throws {
        try Data("no Realm, but long enough to be looked at".utf8)
            .write(to: directory.url.appendingPathComponent("test.realm"))
        await #expect(throws: Realm.Error(.invalidDatabase)) {
            try await Kennel().open(configuration)
        }
    }

    @Test func aCancelledTaskOpensNothing() async throws {
        let configuration = configuration
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Kennel().open(configuration)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!Realm.fileExists(for: configuration))
    }

    @Test func aRealmCanBeOpenedForAQueue() async throws {
        let configuration = configuration
        let queue = DispatchQueue(label: "opening")
        let isEqual = try await withCheckedThrowingContinuation { continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                continuation.resume(
                    with: Result {
                        let realm = try result.get()
                        try realm.write { realm.create(Dog.self) }
                        return try Realm(configuration: configuration, queue: queue) == realm
                    })
            }
        }
        #expect(isEqual)
    }

    @Test func theCallbackIsGivenAnErrorOfOpening() async throws {
        var configuration = configuration
        configuration.readOnly = true
        let queue = DispatchQueue(label: "opening")
        let error = await withCheckedContinuation { [configuration] continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                guard case .failure(let error) = result else { return }
                continuation.resume(returning: error as? Realm.Error)
            }
        }
        #expect(error == Realm.Error(.fileNotFound))
    }

    @Test func cancelledOpeningCallsNobody() async throws {
        let queue = DispatchQueue(label: "opening")
        let isCalled = Handed(false)
        let task = queue.sync {
            let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in
                isCalled.value = true
            }
            usleep(20_000)
            task.cancel()
            return task
        }
        usleep(50_000)
        queue.sync {}
        task.cancel()
        #expect(!isCalled.value)
    }

    // MARK: Misuse

    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}

private let wrongThread = "Realm accessed from incorrect thread."

private let misuses: [String: Misuse] = [
    "using the Realm of an actor on a thread": Misuse(wrongThread) {
        try withKennel { kennel in
            let realm = await kennel.hand()
            try await onThread { _ = realm.value?.objects(Dog.self) }
        }
    },
    "using the Realm of an actor in another actor": Misuse(wrongThread) {
        try withKennel { kennel in
            let other = Kennel()
            await other.adopt(await kennel.hand())
        }
    },
    "using the Realm of an actor in the main actor": Misuse(wrongThread) {
        try withKennel { kennel in
            let realm = await kennel.hand()
            await MainActor.run { _ = realm.value?.isEmpty }
        }
    },
    "opening the Realm of an actor elsewhere, and using it": Misuse(wrongThread) {
        try withKennel { kennel in
            let realm = try await Realm(
                configuration: TestDirectory.untilExit().configuration(), actor: kennel)
            realm.refresh()
        }
    },
]

extension Kennel {
    fileprivate func adopt(_ realm: Handed<Realm?>) { _ = realm.value?.isEmpty }
}

private func withKennel(_ body: @escaping @Sendable (Kennel) async throws -> Void) throws {
    let isDone = DispatchSemaphore(value: 0)
    Task {
        let kennel = Kennel()
        try await kennel.open(TestDirectory.untilExit().configuration())
        try await body(kennel)
        isDone.signal()
    }
    isDone.wait()
}
