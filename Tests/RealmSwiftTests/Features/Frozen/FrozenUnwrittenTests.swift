import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

/// A file whose next sync is held until it is released, while threads commit to it.
private final class HeldDisk: Sendable {
    let configuration: Realm.Configuration
    let disk: SystemInterceptor

    init() throws {
        let directory = TestDirectory.untilExit()
        configuration = directory.configuration([Seed.self])
        disk = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        disk.install()
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Seed.self, value: ["number": 0]) }
        // In a small file, each third group takes one transaction only, for which those after it
        // wait. It is to be the one that is held.
        try realm.write { realm.create(Seed.self).number = 0 }
        disk.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)])
    }

    deinit { disk.uninstall() }

    /// Begins a write transaction of another thread that adds a seed. The next one waits for it.
    func add(_ number: Int) -> BackgroundThread<Void> {
        let hasBegun = DispatchSemaphore(value: 0)
        let thread = BackgroundThread { [configuration] _ in
            let realm = try Realm(configuration: configuration)
            try realm.write {
                hasBegun.signal()
                realm.create(Seed.self, value: ["number": number])
            }
        }
        hasBegun.wait()
        return thread
    }

    /// Releases the sync soon, after which nothing can be written if `isFull`.
    func releaseSoon(isFull: Bool = false) -> BackgroundThread<Void> {
        BackgroundThread { [disk] _ in
            usleep(50_000)
            if isFull {
                disk.setFaults(
                    [SystemCall.pwrite, .pwritev].map {
                        SystemCallFault(.failForever(errno: ENOSPC), call: $0, ordinal: 1)
                    })
            }
            disk.release()
        }
    }
}

private func numbers(_ realm: Realm) -> [Int] { realm.objects(Seed.self).map(\.number) }

/// Freezing in transactions that are based on one that is not durable yet.
@Suite(.timeLimit(.minutes(10))) struct FrozenUnwrittenTests {
    @Test func aTransactionFreezesWhatItIsBasedOnOnceThatIsDurable() throws {
        let held = try HeldDisk()
        let realm = try Realm(configuration: held.configuration)
        let first = held.add(1)
        held.disk.waitUntilHeld()
        realm.beginWrite()
        realm.create(Seed.self, value: ["number": 2])
        #expect(numbers(realm) == [0, 0, 1, 2])
        let releasing = held.releaseSoon()
        let frozen = realm.freeze()
        #expect(numbers(frozen) == [0, 0, 1] && realm.freeze() == frozen)
        // A reference, and what observes on another queue, need that version as well.
        let reference = ThreadSafeReference(to: realm.objects(Seed.self)[2])
        let configuration = held.configuration
        #expect(
            try runThread { try Realm(configuration: configuration).resolve(reference)?.number }
                == 1)
        try realm.commitWrite()
        #expect(numbers(frozen) == [0, 0, 1] && numbers(realm.freeze()) == [0, 0, 1, 2])
        try first.wait()
        try releasing.wait()
    }

    @Test func aTransactionThatIsBasedOnWhatCannotBeWrittenFails() throws {
        let held = try HeldDisk()
        let realm = try Realm(configuration: held.configuration)
        let first = held.add(1)
        held.disk.waitUntilHeld()
        let second = held.add(2)
        realm.beginWrite()
        #expect(numbers(realm) == [0, 0, 1, 2])
        let releasing = held.releaseSoon(isFull: true)
        let start = ContinuousClock.now
        // What the transaction was based on is frozen, for as long as the transaction lasts.
        let seed = realm.objects(Seed.self)[3].freeze()
        let frozen = realm.freeze()
        let seeds = frozen.objects(Seed.self)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(seed.number == 2 && numbers(frozen) == [0, 0, 1, 2] && seed.realm == frozen)
        _ = ThreadSafeReference(to: realm.objects(Seed.self)[0])
        #expect(throws: Realm.Error.self) { try realm.commitWrite() }
        #expect(seed.isInvalidated && seeds.isInvalidated)
        try first.wait()
        #expect(throws: (any Error).self) { try second.wait() }
        try releasing.wait()
        held.disk.setFaults([])
        realm.refresh()
        #expect(numbers(realm) == [0, 0, 1] && numbers(realm.freeze()) == [0, 0, 1])
        try realm.write { realm.create(Seed.self, value: ["number": 3]) }
        #expect(numbers(realm.freeze()) == [0, 0, 1, 3])
    }
}
