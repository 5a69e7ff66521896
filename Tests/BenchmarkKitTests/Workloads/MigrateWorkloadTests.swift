import RealmSwift
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite(.serialized) struct MigrateWorkloadTests {
    private func run(
        _ migration: PersonMigration, size: Int = 300, in folder: TemporaryFolder,
        _ change: (inout CaseOptions) -> Void = { _ in }
    ) throws -> CaseOutcome {
        try runCase(MigrateWorkload.name, migration.rawValue, size: size, in: folder, change)
    }

    @Test(arguments: PersonMigration.allCases)
    func eachMigrationIsMeasuredBesideAnOpenAndProved(migration: PersonMigration) throws {
        let folder = try TemporaryFolder()
        let outcome = try run(migration, in: folder) { $0.count = 600 }
        let (row, control) = (outcome.results[0], outcome.results[1])
        #expect(outcome.results.map(\.operations) == [600, 2])
        #expect(row.isDeterministic)
        #expect(row.digest != nil)
        #expect(row.layer == "api")
        #expect(control.identifier.engine == "control")
        let open = try #require(row.measure("plain_open_p50_us"))
        let beside = try #require(row.measure("beside_open_p50_us"))
        #expect(open > 0)
        #expect(abs(try #require(row.latency).p50 - open - beside) < 0.001)
        #expect(try #require(row.measure("anonymous_growth_bytes")) >= 0)
        #expect(try #require(row.bytesWrittenPerCommit) > 0)
        #expect(try problems(outcome) == [])
    }

    /// `add` and `retype` leave values empty that the cases with a block fill.
    @Test func eachMigrationHasAnotherResult() throws {
        let folder = try TemporaryFolder()
        let digests = try PersonMigration.allCases.map {
            try run($0, in: folder) { $0.count = 1 }.results[0].digest
        }
        // Another name, or a key, does not change the values.
        #expect(Set(digests).count == PersonMigration.allCases.count - 2)
    }

    @Test func otherValuesFailTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try run(.retypeBlock, in: folder) { $0.count = 1 }
        let path = "\(folder.path)/migrate-retype-block/database/persons"
        var configuration = Realm.Configuration(path: path, objectTypes: [TextAgePerson.self])
        configuration.schemaVersion = 1
        func change(_ body: (TextAgePerson) -> Void) throws {
            let realm = try Realm(configuration: configuration)
            try realm.write { body(try #require(realm.objects(TextAgePerson.self).first)) }
        }
        var age = ""
        try change { (age, $0.age) = ($0.age, "none") }
        #expect(
            try problems(outcome)
                == ["The persons of the file are not what the migration makes of them."])
        try change { $0.age = age }
        #expect(try problems(outcome) == [])
        try change { $0.realm?.delete($0) }
        #expect(try problems(outcome).count == 2)
    }

    @Test func tablesDoNotMigrate() throws {
        #expect(RealmTableEngine().reason(against: .migrations)?.hasSuffix(".") == true)
        #expect(RealmObjectEngine().reason(against: .migrations) == nil)
    }

    @Test func largeFilesAreMigratedLessOften() throws {
        let folder = try TemporaryFolder()
        #expect(try run(.rename, size: 10, in: folder).results[0].operations == 200)
        #expect(try run(.intKey, size: 10, in: folder).results[0].operations == 50)
    }
}
