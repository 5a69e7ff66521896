import Foundation
import Testing

@testable import RealmSwift
@testable import StorageEngine

/// Tests of transactions that have next to no memory of their own. Nearly every change writes the
/// changes before it to the file, ahead of the commit.
@Suite struct LargeTransactionTests {
    private let directory = TestDirectory()

    /// Opens the Realm on a database that was opened before with the limit on the memory of
    /// transactions.
    private func open(isEncrypted: Bool, bytes: Int = 20 << 10) throws -> Realm {
        var configuration = directory.configuration()
        if isEncrypted { configuration.encryptionKey = Data((0..<64).map { UInt8($0) }) }
        var options = Database.Options(encryptionKey: configuration.encryptionKey.map(Array.init))
        options.largestPrivateBytes = bytes
        let path = try #require(configuration.fileURL).path
        let database = try Database.open(path: path, options: options)
        let realm = try Realm(configuration: configuration)
        try #require(realm.instance.connection.database === database)
        return realm
    }

    private func text(_ number: Int) -> String {
        "object \(number) " + String(repeating: "\(number % 10)", count: number * 37 % 900)
    }

    private func fill(_ realm: Realm, _ range: Range<Int>) -> [Keyed] {
        range.map { number in
            let object = Keyed()
            object.id = number
            object.text = text(number)
            object.number = number % 7
            realm.add(object)
            // Links to an object that was made long before.
            if number > 0 {
                object.next = realm.object(ofType: Keyed.self, forPrimaryKey: number / 2)
            }
            return object
        }
    }

    private func check(_ objects: [Keyed], _ realm: Realm) {
        for (number, object) in objects.enumerated() {
            #expect(object.text == text(number) && object.number == number % 7)
            if number > 0 { #expect(object.next?.id == number / 2) }
        }
        #expect(realm.objects(Keyed.self).where { $0.number == 3 }.count == (objects.count + 3) / 7)
    }

    @Test(arguments: [false, true])
    func objectsAndCollectionsAreReadAndChangedWhileTheyAreWrittenAhead(isEncrypted: Bool) throws {
        let realm = try open(isEncrypted: isEncrypted)
        let pager = realm.instance.connection.pager
        try realm.write {
            let objects = fill(realm, 0..<600)
            #expect(pager.ahead != nil)
            check(objects, realm)
            let owners = (0..<8).map { number in
                realm.create(Owner.self, value: ["name": "Owner \(number)"])
            }
            for round in 0..<40 {
                for owner in owners {
                    owner.dogs.append(
                        realm.create(Dog.self, value: ["name": "\(owner.name) \(round)"]))
                    owner.nicknames.insert(text(round), at: round / 2)
                    owner.best = owner.dogs[round / 3]
                }
            }
            for owner in owners {
                #expect(owner.dogs.map(\.name) == (0..<40).map { "\(owner.name) \($0)" })
                #expect(Set(owner.nicknames) == Set((0..<40).map { text($0) }))
                #expect(owner.best === nil || owner.best?.name == "\(owner.name) 13")
            }
            // Each object takes over the text of its target while the iterator visits all of them.
            for object in realm.objects(Keyed.self) where object.id % 3 == 0 {
                object.number = nil
                object.text = object.next?.text ?? "first"
            }
            // Object 300 links to 150, which took over the text of 75 before, and that one the text
            // of 37.
            #expect(objects[300].text == text(37) && objects[301].text == text(301))
            realm.delete(realm.objects(Keyed.self).where { $0.number == nil })
            #expect(objects[300].isInvalidated && !objects[301].isInvalidated)
        }
        #expect(realm.objects(Keyed.self).count == 400)
        #expect(realm.objects(Owner.self).map(\.dogs.count) == [Int](repeating: 40, count: 8))
        #expect(try realm.instance.connection.verify() == [])
    }

    @Test(arguments: [false, true])
    func aCancelledTransactionLeavesNothing(isEncrypted: Bool) throws {
        let realm = try open(isEncrypted: isEncrypted)
        var kept: [Keyed] = []
        try realm.write { kept = fill(realm, 0..<200) }
        realm.beginWrite()
        for object in kept { object.text = "changed" }
        let made = fill(realm, 200..<500)
        #expect(realm.instance.connection.pager.ahead != nil)
        #expect(made[100].text == text(300))
        realm.cancelWrite()
        for object in made { #expect(object.isInvalidated) }
        check(kept, realm)
        try realm.write { _ = fill(realm, 200..<500) }
        check(Array(realm.objects(Keyed.self).sorted(byKeyPath: "id")), realm)
        #expect(try realm.instance.connection.verify() == [])
    }

    @Test func observersAreToldOfAllChangesOfATransactionThatWroteAhead() throws {
        let realm = try open(isEncrypted: false)
        try realm.write { _ = fill(realm, 0..<100) }
        let writer = try Realm(configuration: realm.configuration)
        let observation = try realm.instance.connection.observeChanges()
        let connection = writer.instance.connection
        try writer.write {
            _ = fill(writer, 100..<400)
            for object in writer.objects(Keyed.self).where({ $0.id < 50 }) {
                object.text = "changed"
            }
            writer.delete(writer.objects(Keyed.self).where { $0.id >= 90 && $0.id < 100 })
            #expect(connection.pager.ahead != nil)
        }
        realm.refresh()
        let table = try #require(try realm.instance.connection.table(named: "Keyed"))
        let changes = try #require(try observation.changes()[table: table.number])
        #expect(changes.insertions.count == 300)
        #expect(changes.deletions.count == 10)
        #expect(changes.modifications.count == 50)
    }

    /// The engine counts the memory: private copies, and pages decrypted for the Realm.
    @Test(arguments: [false, true])
    func aLargeTransactionTakesLittleMemory(isEncrypted: Bool) throws {
        let limit = 256 << 10
        let realm = try open(isEncrypted: isEncrypted, bytes: limit)
        let pager = realm.instance.connection.pager
        try realm.write {
            for number in 0..<20_000 {
                let object = Keyed()
                object.id = number
                object.text = "object \(number)"
                realm.add(object)
            }
        }
        #expect(pager.largestPrivateBytes > limit)
        // In an encrypted file as much may be decrypted as is private.
        #expect(pager.largestPrivateBytes < (isEncrypted ? 2 : 1) * limit + (128 << 10))
    }
}
