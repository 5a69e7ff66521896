import Foundation
import Glibc
import RealmSwift
import Testing

// What is found after a completion: by other threads, other configurations, other processes, and
// after the process was killed.

/// The configuration of the file at a path.
private func configuration(of path: String) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: asyncTypes)
}

/// A process found other items than it should.
private struct OtherItems: Error {}

@Suite(.timeLimit(.minutes(10))) struct AsyncDurabilityTests {
    private func path() throws -> String {
        try #require(asyncConfiguration().fileURL?.path)
    }

    private func expectAnotherProcess(finds last: Int, at path: String) async {
        await #expect(processExitsWith: .success) { [last, path] in
            let ids = try asyncIds(in: configuration(of: path))
            if ids != Array(0...last) { throw OtherItems() }
        }
    }

    @Test func anotherProcessFindsWhatWasCompleted() async throws {
        let path = try path()
        try await withRunLoopThread {
            let realm = try AsyncScene(configuration(of: path)).realm
            let log = ChangeLog<Int>()
            for id in 0...4 {
                realm.writeAsync {
                    realm.addItem(id)
                } onComplete: { _ in
                    log.append(id)
                }
            }
            try pump { log.count == 5 }
        }
        await expectAnotherProcess(finds: 4, at: path)
    }

    @Test func anotherProcessFindsWhatWasGrouped() async throws {
        let path = try path()
        try await withRunLoopThread {
            let realm = try AsyncScene(configuration(of: path)).realm
            let log = ChangeLog<Int>()
            for id in 0...9 {
                realm.beginWrite()
                realm.addItem(id)
                realm.commitAsyncWrite(allowGrouping: true) { _ in log.append(id) }
            }
            try pump { log.count == 10 }
        }
        await expectAnotherProcess(finds: 9, at: path)
    }

    @Test func anotherProcessFindsWhatAnActorWrote() async throws {
        let path = try path()
        try await write(through: 3, to: path)
        await expectAnotherProcess(finds: 3, at: path)
    }

    @AsyncTestActor private func write(through last: Int, to path: String) async throws {
        let realm = try await Realm.open(configuration: configuration(of: path))
        for id in 0...last { try await realm.asyncWrite { realm.addItem(id) } }
    }

    @Test func anotherConfigurationFindsWhatWasCompleted() async throws {
        let path = try path()
        try await withRunLoopThread {
            let realm = try AsyncScene(configuration(of: path)).realm
            let found = ChangeLog<[Int]>()
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                // Read where it is completed, by a Realm that is opened for this.
                do {
                    found.append(try asyncIds(in: configuration(of: path)))
                } catch {
                    Issue.record(error)
                }
            }
            try pump { found.count == 1 }
            #expect(found.entries == [[1]])
        }
        #expect(try asyncIds(in: configuration(of: path)) == [1])
    }

    @Test func aProcessThatIsKilledInACompletionHasWritten() async throws {
        let path = try path()
        await killInCompletion(at: path)
        #expect(try asyncIds(in: configuration(of: path)) == [0, 1, 2])
    }

    private func killInCompletion(at path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path] in
            try await withRunLoopThread {
                let realm = try AsyncScene(configuration(of: path)).realm
                for id in 0..<3 {
                    realm.writeAsync {
                        realm.addItem(id)
                    } onComplete: { _ in
                        if id == 2 { kill(getpid(), SIGKILL) }
                    }
                }
                try pump { false }
            }
        }
    }

    @Test func aProcessThatIsKilledInABlockHasNotWrittenIt() async throws {
        let path = try path()
        await killInBlock(at: path)
        #expect(try asyncIds(in: configuration(of: path)) == [0])
        try writeAsyncItems(to: configuration(of: path)) { $0.addItem(1) }
        #expect(try asyncIds(in: configuration(of: path)) == [0, 1])
    }

    private func killInBlock(at path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path] in
            try await withRunLoopThread {
                let realm = try AsyncScene(configuration(of: path)).realm
                realm.writeAsync {
                    realm.addItem(0)
                } onComplete: { _ in
                    realm.writeAsync {
                        realm.addItem(9)
                        kill(getpid(), SIGKILL)
                    }
                }
                try pump { false }
            }
        }
    }

    @Test func aProcessThatIsKilledAfterAsyncWriteHasWritten() async throws {
        let path = try path()
        await killAfterAsyncWrite(at: path)
        #expect(try asyncIds(in: configuration(of: path)) == [0, 1])
    }

    private func killAfterAsyncWrite(at path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path] in
            try await writeTwoItemsAndDie(at: path)
        }
    }
}

@AsyncTestActor private func writeTwoItemsAndDie(at path: String) async throws {
    let realm = try await Realm.open(configuration: configuration(of: path))
    try await realm.asyncWrite { realm.addItem(0) }
    try await realm.asyncWrite { realm.addItem(1) }
    kill(getpid(), SIGKILL)
}
