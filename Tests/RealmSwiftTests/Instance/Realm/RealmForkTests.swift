import Foundation
import Glibc
import RealmSwift
import Testing
import ToolSupport

/// Tests of processes with open Realms that are forked. Each test forks a process of its own, whose
/// children have only one thread.
@Suite(
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] == "thread",
        "The thread sanitizer does not follow forked children of several threads."))
struct RealmForkTests {
    @Test func aForkedChildOpensAnewAndCommits() async {
        await #expect(processExitsWith: .success) {
            for key in [nil, Data(repeating: 7, count: 64)] { try commitInChildren(key) }
        }
    }

    /// The child cannot end the transaction that its parent is in either.
    @Test func aForkedChildRefusesWhatItInherited() async {
        await #expect(processExitsWith: .success) { try useInheritedInChildren() }
    }

    @Test func refreshingAnInheritedRealmStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try TestDirectory.untilExit().realm()
            let status = inChild { realm.refresh() }
            // A trap ends the child by a signal.
            exit(status & 0x7F == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(sentence), "\(output)")
    }

    /// Threads of the parent may hold the locks of what they share. What is known already can be
    /// read in the child, as far as the parent keeps it.
    @Test func aForkedChildDoesNotUseAFrozenRealmOfItsParent() async {
        await #expect(processExitsWith: .success) { try useFrozenInChildren() }
    }

    /// Another thread of the parent holds the parent's launch lock.
    @Test func aForkedChildLaunchesBesideALaunchOfItsParent() async {
        await #expect(processExitsWith: .success) { try launchBesideLaunch() }
    }
}

private func commitInChildren(_ key: Data?) throws {
    let directory = TestDirectory()
    var configuration = directory.configuration()
    configuration.encryptionKey = key
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.add(Person()) }
    for round in 1...6 {
        #expect(inChild { try useAnew(realm, configuration, persons: round) } == 0)
        realm.refresh()
        #expect(realm.objects(Person.self).count == round + 1)
    }
}

private func useInheritedInChildren() throws {
    let directory = TestDirectory()
    let configuration = directory.configuration()
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.add(Person()) }
    let copy = directory.url.appendingPathComponent("copy.realm")
    for round in 1...4 {
        realm.beginWrite()
        realm.add(Person())
        let status = inChild {
            try checkRefused("commitWrite") { try realm.commitWrite() }
            try check(!realm.isInWriteTransaction, "it is in a transaction")
            try checkRefused("write") { try realm.write {} }
            try checkRefused("writeCopy") { try realm.writeCopy(toFile: copy) }
            realm.invalidate()
        }
        #expect(status == 0)
        #expect(realm.isInWriteTransaction)
        // The parent still holds the lock.
        let writing = BackgroundThread { _ in try Realm(configuration: configuration).write {} }
        usleep(20_000)
        #expect(!writing.isDone)
        try realm.commitWrite()
        #expect(realm.objects(Person.self).count == round + 1)
        try writing.wait()
    }
}

private func useFrozenInChildren() throws {
    let realm = try TestDirectory.untilExit().realm()
    try realm.write { realm.add(Person()) }
    let frozen = Handed(realm.freeze())
    let searching = BackgroundThread { isStopped in
        while !isStopped() {
            // All searches of these results share a lock.
            let persons = frozen.value.objects(Person.self).filter("age >= 0")
            _ = persons.count + (persons.first == nil ? 0 : 1)
        }
    }
    let persons = frozen.value.objects(Person.self).filter("age >= 0")
    let uses: [(String, () -> Void)] = [
        ("a search", { _ = persons.count }),
        ("a class that was not used yet", { _ = frozen.value.objects(Keyed.self) }),
        ("freezing", { _ = realm.freeze() }),
    ]
    for (name, use) in uses {
        // A trap ends the child by a signal, and waiting for a lock by another one.
        let status = inChild { use() }
        #expect(status & 0x7F != 0 && status & 0x7F != SIGALRM, "\(name)")
    }
    _ = try searching.finish()
}

private func launchBesideLaunch() throws {
    let directory = TestDirectory()
    var configuration = directory.configuration()
    try Realm(configuration: configuration).write {}
    let (asked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    configuration.shouldCompactOnLaunch = { _, _ in
        asked.signal()
        mayGoOn.wait()
        return true
    }
    let first = configuration
    let launching = BackgroundThread { _ in _ = try Realm(configuration: first) }
    asked.wait()
    var second = configuration
    second.fileURL = directory.url.appendingPathComponent("second.realm")
    let status = inChild {
        let realm = try Realm(configuration: second)
        try realm.write { realm.add(Person()) }
        try check(realm.objects(Person.self).count == 1, "what was added is not there")
    }
    #expect(status == 0)
    mayGoOn.signal()
    try launching.wait()
}

private let sentence =
    "was opened before this process was forked; open it again in the child process"

private struct Problem: Error { let text: String }

private func check(_ isSo: Bool, _ problem: String) throws {
    if !isSo { throw Problem(text: problem) }
}

private func checkRefused(_ name: String, _ body: () throws -> Void) throws {
    do { try body() } catch let error as Realm.Error {
        return try check(
            error.code == .fail && error.localizedDescription.contains(sentence),
            "\(name) throws \(error)")
    }
    throw Problem(text: "\(name) throws nothing")
}

/// Uses a Realm that the child opens itself.
///
/// - Parameter persons: the number of persons that it must hold.
private func useAnew(
    _ inherited: Realm, _ configuration: Realm.Configuration, persons: Int
) throws {
    try checkRefused("write") { try inherited.write {} }
    let realm = try Realm(configuration: configuration)
    try check(realm != inherited, "it gets its parent's Realm")
    try check(try Realm(configuration: configuration) == realm, "a thread has two Realms")
    try check(realm.objects(Person.self).count == persons, "other persons are there")
    try realm.write { realm.add(Person()) }
    let count = try runThread {
        try Realm(configuration: configuration).objects(Person.self).count
    }
    try check(count == persons + 1, "another thread does not see what was committed")
    try checkRefused("write") { try inherited.write {} }
}

/// Runs `body` in a forked child, and returns its wait status. The child exits with 0 unless `body`
/// throws.
private func inChild(_ body: () throws -> Void) -> Int32 {
    // Swift does not import `fork`, so its address is looked up.
    let address = dlsym(nil, "fork")!
    let child = unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)()
    if child == 0 {
        // End a child that waits for a lock that no thread will release.
        alarm(60)
        do { try body() } catch {
            let text = Array("in a forked child: \(error)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
            _exit(1)
        }
        _exit(0)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) != child, errno == EINTR {}
    return status
}
