import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing

// A migration is one transaction: if it does not end, the file is the old one.

private enum First {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var text: String
        @Persisted var link: Item?
    }

    class Gone: VersionedObject {
        @Persisted var value: Int
    }

    static let types: [ObjectBase.Type] = [Item.self, Gone.self]

    static func fill(_ realm: Realm) {
        for id in 0..<500 {
            let item = realm.create(Item.self, value: ["id": id, "text": "text \(id)"])
            item.link = item
            realm.create(Gone.self, value: ["value": id])
        }
    }
}

private enum Second {
    class Item: VersionedObject {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: Int
        @Persisted var link: Item?
        @Persisted var more: String
    }

    class Added: VersionedObject {
        @Persisted var value: Int
    }

    static let types: [ObjectBase.Type] = [Item.self, Added.self]

    /// Changes everything.
    @Sendable static func change(_ migration: Migration, _ version: UInt64) {
        migration.enumerateObjects(ofType: "Item") { old, new in
            new?["more"] = String(repeating: old?["text"] as? String ?? "", count: 100)
            new?["text"] = old?["id"]
            new?["link"] = nil
        }
        migration.create("Added", value: ["value": 1])
        migration.deleteData(forType: "Gone")
    }
}

extension MigratedFile {
    /// Expects that the file opens as version 0 with all of its data.
    fileprivate func expectOld() throws {
        #expect(try version() == 0)
        try open(First.types) { realm in
            let items = realm.objects(First.Item.self)
            #expect(items.map(\.id) == Array(0..<500))
            #expect(items.allSatisfy { $0.text == "text \($0.id)" && $0.link?.id == $0.id })
            #expect(realm.objects(First.Gone.self).count == 500)
            #expect(realm.schema["Added"] == nil)
        }
    }

    /// Expects that the file can be migrated after all.
    fileprivate func expectMigration() throws {
        try migrate(to: Second.types, Second.change)
        try open(Second.types, version: 1) { realm in
            let items = realm.objects(Second.Item.self)
            #expect(items.count == 500 && items.allSatisfy { $0.text == $0.id && $0.link == nil })
            #expect(realm.objects(Second.Added.self).count == 1)
        }
    }
}

@Suite struct FailedMigrationTests {
    private let file = MigratedFile()

    @Test func afterAnErrorAtTheEndTheFileIsTheOldOne() throws {
        try file.write(First.types, First.fill)
        let error = file.failure(opening: Second.types, version: 1) { migration, version in
            Second.change(migration, version)
            migration.enumerateObjects(ofType: "Item") { _, new in new?["id"] = 1 }
        }
        #expect(error != nil)
        try file.expectOld()
        try file.expectMigration()
    }

    @Test func afterAFailureTheBlockIsCalledAgain() throws {
        try file.write(First.types, First.fill)
        let calls = MigrationLog<UInt64>()
        for _ in 0..<3 {
            _ = file.failure(opening: Second.types, version: 1) { migration, version in
                calls.note(version)
                migration.enumerateObjects(ofType: "Item") { _, new in new?["id"] = 1 }
            }
        }
        #expect(calls.all == [0, 0, 0])
        try file.expectMigration()
    }

    @Test func withoutABlockTheFileIsTheOldOne() throws {
        try file.write(First.types, First.fill)
        #expect(file.failure(opening: Second.types, version: 1)?.code == .schemaMismatch)
        try file.expectOld()
    }

    @Test func theFileOfAProcessThatIsKilledInTheBlockIsTheOldOne() async throws {
        try file.write(First.types, First.fill)
        await killInBlock(at: file.url.path)
        try file.expectOld()
        try file.expectMigration()
    }

    private func killInBlock(at path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path] in
            openOrStop(
                migratedConfiguration(path, Second.types, version: 1) { migration, version in
                    Second.change(migration, version)
                    _ = Glibc.kill(getpid(), SIGKILL)
                })
        }
    }

    @Test func theFileOfABlockThatStopsTheProgramIsTheOldOne() async throws {
        try file.write(First.types, First.fill)
        await stopInBlock(at: file.url.path)
        try file.expectOld()
        try file.expectMigration()
    }

    private func stopInBlock(at path: String) async {
        await #expect(processExitsWith: .failure) { [path] in
            openOrStop(
                migratedConfiguration(path, Second.types, version: 1) { migration, version in
                    Second.change(migration, version)
                    fatalError("the block failed")
                })
        }
    }

    @Test func theFileOfAProcessThatEndsInTheBlockIsTheOldOne() async throws {
        try file.write(First.types, First.fill)
        await exitInBlock(at: file.url.path)
        try file.expectOld()
    }

    private func exitInBlock(at path: String) async {
        await #expect(processExitsWith: .exitCode(3)) { [path] in
            openOrStop(
                migratedConfiguration(path, Second.types, version: 1) { migration, version in
                    Second.change(migration, version)
                    exit(3)
                })
        }
    }

    @Test func aMigrationWithoutRoomOnTheDiskThrowsAndLeavesTheFile() throws {
        try file.write(First.types, First.fill)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: file.directory.url.path), faults: [])
        interceptor.install()
        defer { interceptor.uninstall() }
        let error = file.failure(opening: Second.types, version: 1) { migration, version in
            interceptor.setFaults(
                [SystemCall.fallocate, .pwrite, .pwritev].map {
                    SystemCallFault(.failForever(errno: ENOSPC), call: $0, ordinal: 1)
                })
            Second.change(migration, version)
        }
        interceptor.setFaults([])
        #expect(error?.code == .outOfDiskSpace)
        try file.expectOld()
        try file.expectMigration()
    }

    /// The process is killed before the file operation with the given number.
    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34, 55, 89])
    func theFileOfAProcessThatIsKilledIsTheOldOneOrTheNewOne(ordinal: Int) async throws {
        try file.write(First.types, First.fill)
        await killProcess(before: ordinal, at: file.url.path)
        if try file.version() == 0 { try file.expectOld() }
        try file.expectMigration()
    }

    private func killProcess(before ordinal: Int, at path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [ordinal, path] in
            let interceptor = SystemInterceptor(
                scope: .files(pathPrefix: path),
                faults: [SystemCallFault(.killBefore, ordinal: ordinal)])
            interceptor.install()
            openOrStop(
                migratedConfiguration(path, Second.types, version: 1, migrating: Second.change))
            // There were fewer operations.
            _ = Glibc.kill(getpid(), SIGKILL)
        }
    }

    @Test func anErrorOfTheDiskIsThrownAndLeavesTheFile() throws {
        try file.write(First.types, First.fill)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: file.directory.url.path), faults: [])
        interceptor.install()
        let error = file.failure(opening: Second.types, version: 1) { migration, version in
            Second.change(migration, version)
            interceptor.setFaults(
                [SystemCall.pwrite, .pwritev].map {
                    SystemCallFault(.failForever(errno: EIO), call: $0, ordinal: 1)
                })
        }
        interceptor.uninstall()
        #expect(error != nil)
        try file.expectOld()
        try file.expectMigration()
    }
}
