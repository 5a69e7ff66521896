import Foundation
import Synchronization
import Testing

@testable import BenchmarkKit
@testable import PeerEngines
@testable import ToolSupport

extension PeerTests {
    @Suite struct PersonStoreTests {
        @Test(arguments: Peer.ofPersons, PersonLayout.all)
        func answersLikeAnArray(_ peer: Peer, _ layout: PersonLayout) throws {
            guard peer.stores(layout) else { return }
            let folder = try TemporaryFolder()
            let path = folder.path + "/persons"
            var model = PersonModel()
            let all = makePersons(400)
            do {
                let store = try peer.engine.openPersons(at: path, layout, peer.fastest)
                try model.expectEqual(store, layout)
                for batch in [0..<1, 1..<300] {
                    try store.insert(all[batch])
                    model.persons += all[batch]
                    try model.expectEqual(store, layout)
                }
                try store.updateAllAges(adding: 7)
                for index in model.persons.indices {
                    model.persons[index].age = (model.persons[index].age + 7) % 100
                }
                try model.expectEqual(store, layout)
                try changeByKey(store, &model, layout)
                try store.setAges(below: 30, to: 47)
                for index in model.persons.indices where model.persons[index].age < 30 {
                    model.persons[index].age = 47
                }
                try model.expectEqual(store, layout)
                try store.deleteOddAges()
                model.persons.removeAll { $0.age % 2 == 1 }
                try model.expectEqual(store, layout)
                #expect(try store.size().fileBytes > 0)
            }
            // Closed and opened again; what comes after is added to what was there.
            let store = try peer.engine.openPersons(at: path, layout, peer.fastest)
            try model.expectEqual(store, layout)
            try store.insert(all[300..<400])
            model.persons += all[300..<400]
            try model.expectEqual(store, layout)
        }

        /// Those that only add persons too.
        @Test(arguments: Peer.answering, PersonLayout.all)
        func addedPersonsAreThereAfterReopening(_ peer: Peer, _ layout: PersonLayout) throws {
            guard peer.stores(layout) else { return }
            let folder = try TemporaryFolder()
            let path = folder.path + "/persons"
            let all = makePersons(5000)
            for end in [3000, 5000] {
                let store = try peer.engine.openPersons(at: path, layout, peer.fastest)
                try store.insert(all[end == 3000 ? 0..<3000 : 3000..<5000])
                let model = PersonModel(persons: Array(all[..<end]))
                try model.expectEqual(store, layout)
                #expect(try store.size().fileBytes > 0)
            }
        }

        @Test(arguments: Peer.ofPersons, PersonLayout.all)
        func randomNamesAreStoredAsTheyAre(_ peer: Peer, _ layout: PersonLayout) throws {
            guard peer.stores(layout) else { return }
            let folder = try TemporaryFolder()
            let store = try peer.engine.openPersons(
                at: folder.path + "/persons", layout, peer.fastest)
            var model = PersonModel(persons: makePersons(300, names: .letters))
            try store.insert(model.persons[...])
            try model.expectEqual(store, layout)
            try store.deleteOddAges()
            model.persons.removeAll { $0.age % 2 == 1 }
            try model.expectEqual(store, layout)
        }

        private func changeByKey(
            _ store: any PersonStore, _ model: inout PersonModel, _ layout: PersonLayout
        ) throws {
            guard layout == .integerKey else { return }
            try store.updateAge(number: 17, to: 99)
            model.persons[17].age = 99
            try model.expectEqual(store, layout)
            try store.delete(numbers: [0, 5, 299])
            model.persons.removeAll { [0, 5, 299].contains($0.number) }
            try model.expectEqual(store, layout)
        }

        @Test(arguments: Peer.ofPersons, PersonLayout.all)
        func aCopyHoldsTheSame(_ peer: Peer, _ layout: PersonLayout) throws {
            guard peer.stores(layout) else { return }
            let folder = try TemporaryFolder()
            var model = PersonModel(persons: makePersons(2000))
            let store = try peer.engine.openPersons(
                at: folder.path + "/persons", layout, peer.fastest)
            try store.insert(model.persons[...])
            try store.deleteOddAges()
            model.persons.removeAll { $0.age % 2 == 1 }
            try store.copy(to: folder.path + "/copy")
            let copy = try peer.engine.openPersons(at: folder.path + "/copy", layout, peer.fastest)
            try model.expectEqual(copy, layout)
        }

        @Test(arguments: Peer.supporting(.pinnedReaders))
        func aPinnedStoreKeepsItsVersion(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/persons"
            let persons = makePersons(30)
            // Another thread's store: those of one thread may be one and the same.
            func insert(_ range: Range<Int>) throws {
                let writers = WorkerThreads<Bool>(count: 1, name: "writer") { _, _ in
                    try peer.engine.openPersons(at: path, .integerKey, peer.fastest)
                        .insert(persons[range])
                    return true
                }
                _ = try writers.run()
            }
            let reader = try peer.engine.openPersons(at: path, .integerKey, peer.fastest)
            try insert(0..<10)
            try reader.pin()
            try insert(10..<20)
            try PersonModel(persons: Array(persons[0..<10])).expectEqual(reader, .integerKey)
            try reader.refresh()
            try PersonModel(persons: Array(persons[0..<20])).expectEqual(reader, .integerKey)
            try reader.pin()
            try insert(20..<30)
            try PersonModel(persons: Array(persons[0..<20])).expectEqual(reader, .integerKey)
            try reader.pin()
            try PersonModel(persons: persons).expectEqual(reader, .integerKey)
        }

        @Test(arguments: Peer.supporting(.persons, .severalStores))
        func severalThreadsWriteToOnePath(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/persons"
            let persons = makePersons(200)
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                do {
                    let store = try peer.engine.openPersons(at: path, .unkeyed, peer.fastest)
                    for number in stride(from: thread, to: persons.count, by: 4) {
                        try store.insert(persons[number...number])
                        _ = try store.sumOfAges()
                        try store.refresh()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let store = try peer.engine.openPersons(at: path, .unkeyed, peer.fastest)
            try PersonModel(persons: persons).expectEqual(store, .unkeyed)
        }

        /// Who writes without having read needs no turn: the engine may merge such commits.
        @Test func insertsIntoRocksDBDoNotWaitForThoseWhoReadAndWrite() throws {
            let folder = try TemporaryFolder()
            let lease = try RocksDatabase.lease(folder.path + "/database", .grouped)
            let path = lease.database.path
            let persons = makePersons(10)
            let isDone = DispatchSemaphore(value: 0)
            let failures = Mutex<[String]>([])
            lease.database.beginWriting()
            DispatchQueue.global().async {
                do {
                    let engine = RocksEngine()
                    try engine.openPersons(at: path, .unkeyed, .full).insert(persons[...])
                    try engine.openRecords(at: path, .full).insert("key", [])
                    try engine.openLinks(at: path, .full)
                        .build(owners: 2, members: 3, batchSize: 1)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                isDone.signal()
            }
            #expect(isDone.wait(timeout: .now() + 60) == .success)
            lease.database.endWriting()
            #expect(failures.withLock { $0 } == [])
        }

        @Test(arguments: Peer.supporting(.secondaryIndex))
        func anEmptyIndexIsRead(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openPersons(
                at: folder.path + "/persons", .indexed, peer.fastest)
            #expect(try store.count(ageBelow: 100) == 0)
            #expect(try store.names(sortedByAge: 5) == [])
        }

        @Test(arguments: Peer.supporting(.indexedNumbers))
        func personsAreFoundByAnIndex(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let persons = makePersons(200)
            let store = try peer.engine.openPersons(
                at: folder.path + "/persons", .indexedNumber, peer.fastest)
            try store.insert(persons[...])
            func sum(_ numbers: some Sequence<Int>) -> Int {
                numbers.reduce(0) { $0 + persons[$1].birthdate + persons[$1].age }
            }
            let found = try #require(try store.person(indexedNumber: 13))
            #expect(found == (persons[13].birthdate, persons[13].age))
            #expect(try store.person(indexedNumber: 200) == nil)
            if peer.engine.reason(against: .typedQueries) == nil {
                let found = try #require(try store.person(typedNumber: 199))
                #expect(found == (persons[199].birthdate, persons[199].age))
            }
            #expect(try store.sum(indexedNumbers: [3, 199, 0]) == sum([3, 199, 0]))
            let ten = (0..<IndexedNumbers.atOnce).map { $0 * 19 }
            #expect(try store.sum(indexedNumbers: ten) == sum(ten))
            #expect(try store.sum(indexedNumbersIn: 17...116) == sum(17...116))
            #expect(try store.sum(indexedNumbersIn: 195...400) == sum(195..<200))
        }

        /// But for Realms, which stop the program when they are asked for a class they do not have.
        @Test(arguments: Peer.ofPersons.filter { $0.engine.name != "realm" })
        func askingForAKeyThatTheLayoutLacksFails(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            let store = try peer.engine.openPersons(
                at: folder.path + "/persons", .unkeyed, peer.fastest)
            #expect(throws: (any Error).self) { try store.person(number: 1) }
            #expect(throws: (any Error).self) { try store.person(name: "1") }
            #expect(throws: (any Error).self) { try store.delete(numbers: [1]) }
        }
    }
}
