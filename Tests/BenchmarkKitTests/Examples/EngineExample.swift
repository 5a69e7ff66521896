import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

struct LinesEngine: BenchmarkEngine {
    var name: String { "lines" }
    var layer: EngineLayer { .engine }
    var summary: String { "a text file with a line for each person; unsynced: appended" }
    var version: String { "1" }
    var durabilities: [Durability] { [.unsynced] }
    var counters: IOCounters { IOCounters() }

    func reason(against feature: EngineFeature) -> String? {
        switch feature {
        case .persons, .count, .prefixCount, .dateRangeCount, .sum, .sort, .iterate: nil
        default: "A file of lines is only appended to and read from end to end."
        }
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore { LinesPersonStore(path: path) }
}

final class LinesPersonStore: PersonStore {
    private let path: String

    init(path: String) { self.path = path }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        let lines = persons.map { "\($0.name) \($0.birthdate) \($0.age)\n" }.joined()
        let former = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        try (former + lines).write(toFile: path, atomically: false, encoding: .utf8)
    }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            body(String(fields[0]), Int(fields[1]) ?? 0, Int(fields[2]) ?? 0)
        }
    }

    func size() throws -> StoreSize { StoreSize(fileBytes: storedBytes(at: path)) }
}

/// The description in the folder of the engine.
private let description = """
    {
      "name": "lines",
      "layer": "engine",
      "order": 5,
      "color": "#5b5b5b",
      "packages": [],
      "modules": []
    }
    """

@Suite struct EngineExampleTests {
    @Test func theEngineIsDescribed() throws {
        let found = try JSONDecoder().decode(PeerDescription.self, from: Data(description.utf8))
        #expect(found.name == LinesEngine().name && found.layer == LinesEngine().layer)
    }

    /// A store that does nothing but insert and visit answers everything by the defaults.
    @Test func theDefaultsAnswerAsTheOracle() throws {
        let folder = try TemporaryFolder()
        for names in [PersonNames.numbers, .letters] {
            let path = "\(folder.path)/\(names)"
            let store = try LinesEngine().openPersons(at: path, .unkeyed, .unsynced)
            var generator = PersonGenerator(seed: 7, names: names)
            try store.insert((0..<200).map { _ in generator.next() }[...])
            try store.insert((200..<300).map { _ in generator.next() }[...])
            let oracle = PersonsOracle(size: 300, seed: 7, names: names)
            let questions: [PassQuestion] = [
                .young, .everything, .bornInTheSeventies, .names(beginningWith: "1"),
                .names(beginningWith: "a"), .names(containing: "7"), .names(containing: "ab"),
                .firstByAge(20), .firstByName(20), .extremes, .averageAge, .groupsByAge,
                .youngOrNamed,
                PassQuestion({ .number(try $0.sumOfAges()) }, { .number($0.sumOfAges()) }),
                PassQuestion(
                    { .number(try $0.checksumFromOldest()) },
                    { .number($0.checksumFromOldest()) }),
                PassQuestion(
                    { .number(try $0.checksum(ageBelow: 30)) },
                    { .number($0.checksum { $0.age < 30 }) }),
            ]
            for question in questions {
                #expect(try question.ask(store) == question.expect(oracle))
            }
            guard names == .numbers else { continue }
            let young = try store.young(ageBelow: 30)
            #expect(young.count == oracle.count { $0.age < 30 })
            #expect(young.lastNumber == oracle.lastNumber(ageBelow: 30))
            let person = try #require(try store.person(number: 250))
            #expect(person.birthdate == oracle.person(250).birthdate)
            #expect(try store.person(number: 300) == nil)
        }
    }

    @Test func whatTheEngineLacksIsRefused() throws {
        let store = LinesPersonStore(path: "unused")
        #expect(throws: BenchmarkError.self) { try store.updateAge(number: 1, to: 2) }
        #expect(throws: BenchmarkError.self) { try store.person(typedNumber: 1) }
    }
}
