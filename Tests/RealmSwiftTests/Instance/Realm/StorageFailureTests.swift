import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing

/// A simulated disk that can be filled and emptied.
private final class FullDisk {
    let directory = TestDirectory()
    private let interceptor: SystemInterceptor

    init() {
        interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        interceptor.install()
    }

    deinit { interceptor.uninstall() }

    func fill() {
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1),
            SystemCallFault(.failForever(errno: ENOSPC), call: .pwrite, ordinal: 1),
            SystemCallFault(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1),
        ])
    }

    func empty() { interceptor.setFaults([]) }
}

private let page = String(repeating: "x", count: 200_000)

@Suite struct StorageFailureTests {
    private let disk = FullDisk()

    /// Returns a Realm with an owner of three dogs and a keyed object, all small.
    private func filledRealm() throws -> Realm {
        let realm = try disk.directory.realm()
        try realm.write {
            realm.add(
                Owner(value: ["name": "Ann", "dogs": [["a"], ["b"], ["c"]], "nicknames": ["n"]]))
            realm.add(Keyed(value: ["id": 1, "text": "one"]))
        }
        return realm
    }

    /// Runs `changes` on a full disk. Then checks that they left nothing behind and that writing
    /// works again.
    private func expectRollback(_ changes: (Realm, Owner) throws -> Void) throws {
        let realm = try filledRealm()
        let owner = try #require(realm.object(ofType: Owner.self, forPrimaryKey: "Ann"))
        let before = realm.objects(Owner.self).description
        disk.fill()
        #expect(throws: Realm.Error(.outOfDiskSpace)) {
            try realm.write { try changes(realm, owner) }
        }
        #expect(!realm.isInWriteTransaction)
        #expect(!owner.isInvalidated && owner.name == "Ann" && owner.dogs.count == 3)
        #expect(realm.objects(Keyed.self).count == 1 && realm.objects(Dog.self).count == 3)
        disk.empty()
        try realm.write { realm.add(Keyed(value: ["id": 2, "text": page])) }
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 2)?.text.count == page.count)
        #expect(owner.nicknames.count == 1)
        #expect(before.contains("Ann"))
    }

    @Test func addingManyObjects() throws {
        var people: [Person] = []
        try expectRollback { realm, _ in
            for age in 0..<20_000 {
                let name = String(repeating: "x", count: 1000)
                let person = Person(value: ["name": name, "age": age])
                realm.add(person)
                people.append(person)
                #expect(person.age == age)
                if person.realm == nil { break }
            }
            // An object that was not added because of the failure stays unmanaged, and later
            // additions do nothing.
            #expect(people.last?.realm == nil)
            realm.add(Owner(value: ["name": "Bob", "dogs": [["d"]], "best": ["e"]]))
            realm.add(Keyed(value: ["id": 1, "text": "two"]), update: .all)
        }
        #expect(people.last?.isInvalidated == false && people.first?.isInvalidated == true)
    }

    @Test func creatingObjects() throws {
        try expectRollback { realm, _ in
            for id in 100..<1000 {
                let object = realm.create(Keyed.self, value: ["id": id, "text": page])
                #expect(object.id == id && object.text.count == page.count)
                object.number = id
                #expect(object.number == id || object.realm != nil)
            }
            let updated = realm.create(
                Keyed.self, value: ["id": 1, "number": 3], update: .modified)
            #expect(updated.number == 3 && updated.realm == nil)
        }
    }

    @Test func settingProperties() throws {
        try expectRollback { realm, owner in
            let keyed = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 1))
            for length in 1..<100 {
                keyed.text = String(repeating: "y", count: 100_000 + length)
                keyed.next = Keyed(value: ["id": 7 + length, "text": page])
                owner.best = Dog(value: ["name": page])
            }
            keyed.number = 5
            keyed["text"] = "dynamic"
            owner.nicknames = owner.nicknames
        }
    }

    @Test func changingLists() throws {
        try expectRollback { _, owner in
            for step in 0..<100 {
                owner.nicknames.append(page)
                owner.dogs.append(Dog(value: ["name": page]))
                owner.dogs.insert(Dog(value: ["name": "\(step)"]), at: step)
            }
            // Positions that the list would have without the failure.
            owner.nicknames.remove(at: 100)
            owner.nicknames.swapAt(0, 100)
            owner.nicknames.move(from: 100, to: 0)
            owner.nicknames.replace(index: 100, object: "z")
            owner.nicknames.removeLast(100)
            owner.dogs.removeFirst(200)
            owner.dogs.removeAll()
        }
    }

    @Test func deletingObjects() throws {
        try expectRollback { realm, owner in
            for _ in 0..<100 { owner.nicknames.append(page) }
            realm.delete(owner.dogs)
            realm.delete(realm.objects(Keyed.self))
            realm.delete(owner)
            realm.deleteAll()
            #expect(!owner.isInvalidated)
        }
    }

    @Test func failingCommits() throws {
        try expectRollback { _, owner in owner.nicknames.append("small") }
    }

    @Test func cancellingAFailedTransaction() throws {
        let realm = try filledRealm()
        disk.fill()
        realm.beginWrite()
        for id in 0..<300 { realm.create(Keyed.self, value: ["id": 100 + id, "text": page]) }
        realm.cancelWrite()
        disk.empty()
        try realm.write { realm.create(Keyed.self, value: ["id": 100]) }
        #expect(realm.objects(Keyed.self).count == 2)
    }

    @Test func errorsOfTheBlockComeFirst() throws {
        struct Problem: Error {}
        let realm = try filledRealm()
        disk.fill()
        #expect(throws: Problem.self) {
            try realm.write {
                for id in 0..<300 { realm.create(Keyed.self, value: ["id": 9 + id, "text": page]) }
                throw Problem()
            }
        }
        #expect(realm.objects(Keyed.self).count == 1)
    }

    @Test func copyingAFailedTransaction() throws {
        let realm = try filledRealm()
        disk.fill()
        realm.beginWrite()
        for id in 0..<300 { realm.create(Keyed.self, value: ["id": 100 + id, "text": page]) }
        disk.empty()
        let copy = disk.directory.url.appendingPathComponent("copy.realm")
        #expect(throws: Realm.Error(.outOfDiskSpace)) { try realm.writeCopy(toFile: copy) }
        #expect(throws: Realm.Error(.outOfDiskSpace)) { try realm.commitWrite() }
    }

    @Test func filesStayIntact() throws {
        let configuration = disk.directory.configuration()
        do {
            let realm = try filledRealm()
            for _ in 0..<3 {
                disk.fill()
                #expect(throws: Realm.Error(.outOfDiskSpace)) {
                    try realm.write {
                        realm.deleteAll()
                        for id in 0..<300 {
                            realm.create(Keyed.self, value: ["id": id, "text": page])
                        }
                    }
                }
                disk.empty()
                try realm.write { realm.create(Person.self, value: ["name": page]) }
            }
        }
        let path = try #require(configuration.fileURL).path
        let connection = try Connection(Database.open(path: path))
        #expect(try connection.verify() == [])
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Person.self).count == 3 && realm.objects(Keyed.self).count == 1)
    }

    @Test func openingOnAFullDisk() throws {
        disk.fill()
        #expect(throws: Realm.Error(.outOfDiskSpace)) { try disk.directory.realm() }
        disk.empty()
        #expect(try disk.directory.realm().isEmpty)
    }
}
