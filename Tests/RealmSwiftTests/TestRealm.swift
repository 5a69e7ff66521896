import Foundation
import RealmSwift
import ToolSupport

/// A directory of one test, removed with the last reference to it.
final class TestDirectory {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-tests-\(UUID().uuidString)", isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            fatalError("cannot create \(url.path): \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func configuration(
        _ types: [ObjectBase.Type] = allTypes, name: String = "test.realm"
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url.appendingPathComponent(name), objectTypes: types)
    }

    func realm(_ types: [ObjectBase.Type] = allTypes) throws -> Realm {
        try Realm(configuration: configuration(types))
    }

    /// Returns a directory for a Realm whose test does not hold the directory. It is removed when
    /// the process ends, because nothing can be committed to a file that was removed.
    static func untilExit() -> TestDirectory {
        let directory = TestDirectory()
        kept.append(directory)
        return directory
    }

    fileprivate static let kept = KeptDirectories()

    static var allTypes: [ObjectBase.Type] {
        [Person.self, Dog.self, Owner.self, Keyed.self, Everything.self]
    }
}

// Unchecked because the lock guards the array.
private final class KeptDirectories: @unchecked Sendable {
    private let lock = NSLock()
    private var directories: [TestDirectory] = []

    init() { atexit { TestDirectory.removeKept() } }

    func append(_ directory: TestDirectory) { lock.withLock { directories.append(directory) } }
    func removeAll() { lock.withLock { directories.removeAll() } }
}

extension TestDirectory {
    fileprivate static func removeKept() { kept.removeAll() }
}

let allTypes = TestDirectory.allTypes

/// Opens an in-memory Realm under an identifier of its own. Its data is gone with the last
/// reference to it.
func temporaryRealm(_ types: [ObjectBase.Type] = allTypes) throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: types))
}

/// Runs `body` on a thread of its own, and waits for it.
func runThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    try BackgroundThread { _ in try body() }.wait()
}

/// Runs `body` on a thread of its own without blocking the caller's.
func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = BackgroundThread { _ in continuation.resume(with: Swift.Result { try body() }) }
    }
}
