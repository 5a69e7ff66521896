import Foundation
import Testing

@testable import RealmSwift
@testable import StorageEngine

/// Tests of an encrypted Realm that keeps next to nothing decrypted: each use evicts the pages that
/// the one before has read.
@Suite struct DecryptedMemoryTests {
    private let directory = TestDirectory()
    private static let count = 6_000

    private func text(_ number: Int) -> String {
        "Object \(number &* 7919 % 10_007) "
            + String(repeating: "\(number % 10)", count: number % 40)
    }

    private func configuration() -> Realm.Configuration {
        var configuration = directory.configuration()
        configuration.encryptionKey = Data((0..<64).map { UInt8($0) })
        return configuration
    }

    private func makeFile() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            for number in 0..<Self.count {
                realm.create(
                    Keyed.self,
                    value: ["id": number, "text": text(number), "number": number % 50]
                        as [String: Any])
            }
            for number in 0..<60 {
                let owner = realm.create(Owner.self, value: ["name": "Owner \(number)"])
                for position in 0..<20 {
                    let name = "Dog \(number) \(position)"
                    owner.dogs.append(
                        realm.create(
                            Dog.self, value: ["name": name, "owner": owner] as [String: Any]))
                    owner.nicknames.append("nick \(position)")
                }
                owner.best = owner.dogs[number % 20]
            }
            for object in realm.objects(Keyed.self) {
                object.next = realm.object(
                    ofType: Keyed.self, forPrimaryKey: (object.id * 31 + 1) % Self.count)
            }
        }
    }

    /// Opens the Realm on a database that was opened before with the limit on decrypted pages.
    private func open() throws -> Realm {
        let configuration = configuration()
        var options = Database.Options(encryptionKey: configuration.encryptionKey.map(Array.init))
        options.mostDecryptedBytes = 0
        let path = try #require(configuration.fileURL).path
        let database = try Database.open(path: path, options: options)
        let realm = try Realm(configuration: configuration)
        try #require(realm.instance.connection.database === database)
        return realm
    }

    private func expectLittleMemory(_ realm: Realm) {
        let connection = realm.instance.connection
        // Enough for a descent, a leaf and its texts.
        #expect((connection.pager.privateRuns?.byteCount ?? 0) < 512 << 10)
        #expect(connection.database.file.pages!.installing.withLock { $0.byteCount } < 512 << 10)
    }

    @Test func objectsAreReadInManyWays() throws {
        try makeFile()
        let realm = try open()
        let objects = realm.objects(Keyed.self)
        #expect(objects.count == Self.count)
        let kept = Array(objects)
        for (number, object) in kept.enumerated() {
            #expect(object.id == number && object.text == text(number))
        }
        for number in stride(from: 0, to: Self.count, by: 7) {
            #expect(objects[number].text == text(number))
            let found = realm.object(ofType: Keyed.self, forPrimaryKey: number)
            #expect(found?.text == text(number) && found?.number == number % 50)
            // Follow a chain of links. Each link is read through an accessor that has to find its
            // row again.
            var object = kept[number]
            var expected = number
            for _ in 0..<4 {
                object = try #require(object.next)
                expected = (expected * 31 + 1) % Self.count
            }
            #expect(object.id == expected && object.text == text(expected))
            #expect(kept[Self.count - 1 - number].text == text(Self.count - 1 - number))
        }
        expectLittleMemory(realm)
    }

    @Test func iterationsInsideOfEachOther() throws {
        try makeFile()
        let realm = try open()
        var dogs = 0
        for (number, owner) in realm.objects(Owner.self).sorted(byKeyPath: "name").enumerated() {
            var position = 0
            for dog in owner.dogs {
                #expect(dog.owner?.name == owner.name)
                #expect(dog.name.hasSuffix(" \(position)"))
                #expect(owner.nicknames[position] == "nick \(position)")
                position += 1
                dogs += 1
            }
            #expect(Array(owner.nicknames) == (0..<20).map { "nick \($0)" })
            let others = realm.objects(Keyed.self).filter("number == %d", number % 50)
            for other in others.prefix(10) { #expect(other.id % 50 == number % 50) }
            #expect(others.count == Self.count / 50)
        }
        #expect(dogs == 1200)
        expectLittleMemory(realm)
    }

    @Test func resultsAreFilteredSortedAndSummed() throws {
        try makeFile()
        let realm = try open()
        let numbers = Array(0..<Self.count)
        let objects = realm.objects(Keyed.self)
        func ids(_ results: Results<Keyed>) -> [Int] { results.map(\.id) }
        #expect(ids(objects.filter("number < 5")) == numbers.filter { $0 % 50 < 5 })
        #expect(
            ids(objects.filter("text BEGINSWITH 'Object 12'"))
                == numbers.filter { text($0).hasPrefix("Object 12") })
        #expect(
            ids(objects.filter("next.number == 3"))
                == numbers.filter { ($0 * 31 + 1) % Self.count % 50 == 3 })
        #expect(
            ids(objects.sorted(byKeyPath: "text"))
                == numbers.sorted { (text($0), $0) < (text($1), $1) })
        #expect(
            ids(objects.sorted(byKeyPath: "next.text"))
                == numbers.sorted {
                    (text(($0 * 31 + 1) % Self.count), $0) < (text(($1 * 31 + 1) % Self.count), $1)
                })
        let sum: Int = objects.filter("id < 3000").sum(ofProperty: "number")
        #expect(sum == (0..<3000).reduce(0) { $0 + $1 % 50 })
        #expect(objects.max(ofProperty: "id") == Self.count - 1)
        let positions = objects.filter("number == 7")
        for position in stride(from: positions.count - 1, to: 0, by: -3) {
            #expect(positions[position].id == position * 50 + 7)
        }
    }

    @Test func changesAndCancelledChanges() throws {
        try makeFile()
        let realm = try open()
        let objects = realm.objects(Keyed.self)
        try realm.write {
            for object in objects where object.id % 3 == 0 { object.text = "changed \(object.id)" }
            realm.delete(objects.filter("number == 1"))
        }
        realm.beginWrite()
        for object in objects { object.text += "!" }
        realm.delete(realm.objects(Dog.self).filter("name ENDSWITH ' 3'"))
        realm.cancelWrite()
        #expect(objects.count == Self.count - Self.count / 50)
        for object in objects {
            #expect(object.text == (object.id % 3 == 0 ? "changed \(object.id)" : text(object.id)))
            #expect(object.number != 1)
        }
        #expect(realm.objects(Dog.self).count == 1200)
        try realm.write { realm.delete(realm.objects(Dog.self).filter("name ENDSWITH ' 3'")) }
        for owner in realm.objects(Owner.self) {
            #expect(owner.dogs.count == 19)
            #expect(!owner.dogs.contains { $0.name.hasSuffix(" 3") })
            let number = try #require(Int(owner.name.dropFirst("Owner ".count)))
            #expect((owner.best == nil) == (number % 20 == 3))
        }
        #expect(try realm.instance.connection.verify() == [])
    }
}
