import Foundation
import RealmSwift
import Testing

// "Writes" of the guide, and the write transactions of the reference of `Realm`.

private enum Transacted {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var tricks: List<String>
    }

    static func realm() throws -> Realm { try temporaryRealm([Dog.self]) }
}

@Suite struct TransactionRules {
    private typealias Dog = Transacted.Dog
    private struct Failure: Error {}

    let realm: Realm

    init() throws { realm = try Transacted.realm() }

    @Test func writeReturnsTheValueOfItsBlock() throws {
        let dog = try realm.write { realm.create(Dog.self, value: ["Rex"]) }
        let count: Int = try realm.write { realm.objects(Dog.self).count }
        #expect(dog.name == "Rex" && count == 1)
    }

    @Test func isInWriteTransactionTellsWhether() throws {
        #expect(!realm.isInWriteTransaction)
        try realm.write { #expect(realm.isInWriteTransaction) }
        realm.beginWrite()
        #expect(realm.isInWriteTransaction)
        try realm.commitWrite()
        #expect(!realm.isInWriteTransaction)
    }

    @Test func aThrowingBlockCancelsAndRethrows() throws {
        let dog = try realm.write { realm.create(Dog.self, value: ["Rex"]) }
        #expect(throws: Failure.self) {
            try realm.write {
                dog.name = "Max"
                dog.tricks.append("sit")
                realm.create(Dog.self)
                throw Failure()
            }
        }
        #expect(dog.name == "Rex" && dog.tricks.isEmpty && realm.objects(Dog.self).count == 1)
        #expect(!realm.isInWriteTransaction)
    }

    @Test func aBlockMayCancelItself() throws {
        try realm.write {
            realm.create(Dog.self)
            realm.cancelWrite()
        }
        #expect(realm.isEmpty && !realm.isInWriteTransaction)
    }

    @Test func whatACancelledTransactionAddedIsInvalidated() throws {
        let added = Dog()
        let list = added.tricks
        realm.beginWrite()
        realm.add(added)
        let created = realm.create(Dog.self)
        realm.cancelWrite()
        #expect(added.isInvalidated && created.isInvalidated && list.isInvalidated)
        #expect(realm.isEmpty)
    }

    @Test func readsSeeTheChangesOfTheTransactionAtOnce() throws {
        let dogs = realm.objects(Dog.self)
        try realm.write {
            let dog = realm.create(Dog.self)
            #expect(dogs.count == 1)
            dog.name = "Rex"
            #expect(dogs[0].name == "Rex")
            realm.delete(dog)
            #expect(dogs.isEmpty)
        }
    }

    @Test func instancesOfOneThreadAndFileAreEqual() throws {
        let directory = TestDirectory()
        let one = try directory.realm([Dog.self])
        let two = try directory.realm([Dog.self])
        #expect(one == two && one != realm)
        try one.write { _ = two.create(Dog.self) }
        #expect(one.objects(Dog.self).count == 1)
    }

    @Test func everyObjectOfTheTransactionIsCommittedWithIt() throws {
        let directory = TestDirectory()
        try {
            let realm = try directory.realm([Dog.self])
            for batch in 0..<10 {
                realm.beginWrite()
                // Add row via dictionary. Property order is ignored.
                for number in 0..<100 {
                    realm.create(Dog.self, value: ["tricks": ["\(number)"], "name": "\(batch)"])
                }
                try realm.commitWrite()
            }
        }()
        let dogs = try directory.realm([Dog.self]).objects(Dog.self)
        #expect(dogs.count == 1000 && dogs.last?.name == "9" && dogs.last?.tricks[0] == "99")
    }

    @Test func anInvalidatedRealmIsReadAfresh() throws {
        let dogs = realm.objects(Dog.self)
        try realm.write { _ = realm.create(Dog.self, value: ["Rex"]) }
        realm.invalidate()
        #expect(realm.objects(Dog.self).first?.name == "Rex" && dogs.isInvalidated)
        realm.beginWrite()
        realm.create(Dog.self)
        realm.invalidate()
        #expect(!realm.isInWriteTransaction && realm.objects(Dog.self).count == 1)
    }
}
