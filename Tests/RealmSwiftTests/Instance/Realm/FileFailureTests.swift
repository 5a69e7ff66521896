import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing

/// Tests of file errors other than a full disk.
@Suite struct FileFailureTests {
    let directory = TestDirectory()

    private func withFaults<Result>(
        _ faults: [SystemCallFault], _ body: (SystemInterceptor) throws -> Result
    ) rethrows -> Result {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        interceptor.setFaults(faults)
        return try body(interceptor)
    }

    @Test func failingSyncsLeaveTheOutcomeOpen() throws {
        try withFaults([]) { interceptor in
            let realm = try directory.realm()
            let kept = try realm.write { realm.create(Person.self, value: ["name": "kept"]) }
            interceptor.setFaults([SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: 1)]
            )
            #expect(throws: Realm.Error(.fail)) {
                try realm.write { realm.create(Person.self, value: ["name": "lost"]) }
            }
            #expect(!realm.isInWriteTransaction && kept.name == "kept")
            // No later transaction may write after the failed sync.
            #expect(throws: Realm.Error(.fail)) { try realm.write { realm.deleteAll() } }
            #expect(kept.name == "kept" && realm.objects(Person.self).count == 1)
        }
    }

    @Test func damageMetByAChangeIsThrown() throws {
        let text = String(repeating: "damaged?", count: 10_000)
        let configuration = directory.configuration()
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.create(Keyed.self, value: ["id": 1, "text": text])
                realm.create(Keyed.self, value: ["id": 2, "text": "two"])
            }
            // A later commit, so that opening the file need not check the pages of the first.
            try realm.write { realm.create(Person.self) }
        }
        let url = try #require(configuration.fileURL)
        var bytes = try Data(contentsOf: url)
        let place = try #require(bytes.range(of: Data("damaged?damaged?".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: url)

        let realm = try Realm(configuration: configuration)
        #expect(throws: Realm.Error(.invalidDatabase)) {
            try realm.write {
                realm.create(Keyed.self, value: ["id": 1, "text": "new"], update: .modified)
                realm.create(Keyed.self, value: ["id": 3])
            }
        }
        #expect(realm.objects(Keyed.self).count == 2)
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 2)?.text == "two")
        try realm.write { realm.create(Keyed.self, value: ["id": 3]) }
    }

    @Test func readingNeedsNoLockFileOnReadOnlyMedia() throws {
        var configuration = directory.configuration()
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Person.self, value: ["name": "Ann"]) }
        }
        let url = try #require(configuration.fileURL)
        try FileManager.default.removeItem(at: url.appendingPathExtension("lock"))
        configuration.readOnly = true
        // The third opening fails. The first two open the data file for its contents and its locks.
        // The third creates the lock file.
        try withFaults([SystemCallFault(.failForever(errno: EROFS), call: .open, ordinal: 3)]) {
            _ in
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(Person.self).first?.name == "Ann")
        }
    }
}
