import Foundation
import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    @Suite struct MigrationTests {
        private func values(_ person: MigratedPerson) -> [String] {
            [
                "\(person.number)", person.name, "\(person.birthdate)",
                person.age.map { "\($0)" } ?? "-", person.score.map { "\($0)" } ?? "-",
                person.text ?? "-",
            ]
        }

        private func sortedValues(_ persons: [MigratedPerson]) -> [[String]] {
            persons.sorted { $0.number < $1.number }.map(values)
        }

        @Test(arguments: Peer.supporting(.migrations), PersonMigration.allCases)
        func migratedPersonsHaveTheirNewProperties(peer: Peer, migration: PersonMigration) throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/persons"
            let persons = makePersons(250)
            func open(_ migration: PersonMigration?) throws -> any MigratedPersons {
                try peer.engine.openPersons(at: path, after: migration, peer.fastest)
            }
            try open(nil).insert(persons[...])
            // The second one opens what is migrated.
            for _ in 0..<2 {
                let store = try open(migration)
                var found: [MigratedPerson] = []
                try store.forEach { found.append($0) }
                #expect(sortedValues(found) == persons.map { values(migration.migrated($0)) })
                #expect(try store.problems() == [])
                #expect(try store.size().fileBytes > 0)
            }
        }

        @Test func bytesHaveNoProperties() {
            let engines = PeerEngines.all.filter {
                $0.reason(against: .migrations)?.contains("knows no properties") == true
            }
            #expect(
                engines.map(\.name) == [
                    "lmdb", "lmdb-writemap", "rocksdb", "rocksdb-pipelined", "rocksdb-unordered",
                ])
        }
    }
}
