import Foundation
import RealmSwift
import Testing

/// Tests of `shouldCompactOnLaunch`: when it is called, with which sizes, and with what effect.
@Suite struct CompactOnLaunchTests {
    private let directory = TestDirectory()

    /// The arguments of all calls of the block.
    private final class Questions: @unchecked Sendable {
        // Unchecked because the lock guards the array.
        private let lock = NSLock()
        private var asked: [(total: Int, used: Int)] = []

        var all: [(total: Int, used: Int)] { lock.withLock { asked } }
        func add(_ total: Int, _ used: Int) { lock.withLock { asked.append((total, used)) } }
    }

    private func configuration(
        _ questions: Questions, key: Data? = nil, answer: Bool
    ) -> Realm.Configuration {
        var configuration = directory.configuration([Person.self])
        configuration.encryptionKey = key
        configuration.shouldCompactOnLaunch = { total, used in
            questions.add(total, used)
            return answer
        }
        return configuration
    }

    private func size() throws -> Int {
        let path = directory.url.appendingPathComponent("test.realm").path
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
    }

    /// Makes a closed file with 200 persons and space for a hundred times as many.
    private func fill(key: Data? = nil) throws {
        var configuration = directory.configuration([Person.self])
        configuration.encryptionKey = key
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for number in 0..<20_000 {
                let person = Person()
                person.name = "person with a name of some length \(number)"
                person.age = number
                realm.add(person)
            }
        }
        try realm.write {
            realm.delete(realm.objects(Person.self).filter { $0.age % 100 != 0 })
        }
    }

    private func expectPersons(_ realm: Realm) {
        #expect(realm.objects(Person.self).map(\.age).sorted() == (0..<200).map { $0 * 100 })
    }

    @Test(arguments: [nil, Data(repeating: 7, count: 64)])
    func aFileIsCompactedBeforeItIsOpened(key: Data?) throws {
        try fill(key: key)
        let before = try size()
        let questions = Questions()
        let realm = try Realm(configuration: configuration(questions, key: key, answer: true))
        expectPersons(realm)
        let (total, used) = try #require(questions.all.first)
        #expect(questions.all.count == 1)
        #expect(total == before)
        #expect(used > 0 && used < total / 2)
        #expect(try size() <= used)
        try realm.write { realm.add(Person()) }
        #expect(realm.objects(Person.self).count == 201)
    }

    @Test func aNoLeavesTheFileAsItIs() throws {
        try fill()
        let before = try size()
        let questions = Questions()
        let realm = try Realm(configuration: configuration(questions, answer: false))
        #expect(questions.all.map(\.total) == [before])
        #expect(try size() == before)
        expectPersons(realm)
    }

    @Test func itIsAskedOnlyWhenTheFileIsNotOpenInTheProcess() throws {
        try fill()
        let questions = Questions()
        let configuration = configuration(questions, answer: true)
        do {
            let realm = try Realm(configuration: configuration)
            #expect(try Realm(configuration: configuration) == realm)
            let count = try runThread {
                try Realm(configuration: configuration).objects(Person.self).count
            }
            #expect(count == 200)
            #expect(questions.all.count == 1)
        }
        _ = try Realm(configuration: configuration)
        #expect(questions.all.count == 2)
    }

    @Test func ofManyThreadsThatOpenItFirstOneAsks() async throws {
        try fill()
        let questions = Questions()
        let configuration = configuration(questions, answer: true)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            // The Realm stays open until all threads have theirs.
            let missing = DispatchGroup()
            for _ in 0..<8 {
                missing.enter()
                group.addTask {
                    try await onThread {
                        let realm = try {
                            defer { missing.leave() }
                            return try Realm(configuration: configuration)
                        }()
                        missing.wait()
                        return realm.objects(Person.self).count
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 200, count: 8))
        #expect(questions.all.count == 1)
    }

    @Test func itIsNotAskedOfANewFileOrOfOneInMemory() throws {
        let questions = Questions()
        let realm = try Realm(configuration: configuration(questions, answer: true))
        try realm.write { realm.add(Person()) }
        var inMemory = configuration(questions, answer: true)
        inMemory.inMemoryIdentifier = UUID().uuidString
        _ = try Realm(configuration: inMemory)
        #expect(questions.all.isEmpty)
    }

    @Test func descriptionAndEquality() {
        let questions = Questions()
        let configuration = configuration(questions, answer: true)
        #expect(configuration == directory.configuration([Person.self]))
        #expect(configuration.description.contains("shouldCompactOnLaunch = <block>;"))
        #expect(
            directory.configuration([Person.self]).description
                .contains("shouldCompactOnLaunch = (null);"))
    }
}

@Suite struct CompactOnLaunchTrapTests {
    @Test func readOnlyExcludesIt() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var configuration = Realm.Configuration()
            configuration.readOnly = true
            configuration.shouldCompactOnLaunch = { _, _ in true }
        }
        expectStop("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.", result)
    }

    @Test func itExcludesReadOnly() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var configuration = Realm.Configuration()
            configuration.shouldCompactOnLaunch = { _, _ in true }
            configuration.readOnly = true
        }
        expectStop("Cannot set `readOnly` when `shouldCompactOnLaunch` is set.", result)
    }
}
