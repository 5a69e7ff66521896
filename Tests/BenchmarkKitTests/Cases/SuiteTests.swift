import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SuiteTests {
    @Test func everySuiteOfThePackageIsValid() throws {
        let names = try Suite.available()
        #expect(Set(names).isSuperset(of: ["default", "quick", "full"]))
        for name in names {
            let suite = try Suite.load(name)
            #expect(suite.name == name)
            // The engines of the peers are in another program.
            let usesPeers = suite.cases.contains { $0.engines?.contains("sqlite") == true }
            let cases = try suite.expanded(
                overriding: OptionOverrides(engines: usesPeers ? ["realm"] : nil))
            #expect(!cases.isEmpty)
            #expect(Set(cases.map(\.identifier)).count == cases.count)
        }
    }

    @Test func theCommandLineWinsOverTheSuite() throws {
        let entry = Suite.Entry(
            workload: "sensors", strategies: ["batched"], seconds: 3, batchSize: 10)
        let suite = Suite(name: "s", description: "d", cases: [entry])
        let plain = try suite.expanded(overriding: OptionOverrides())[0].options
        #expect(plain.seconds == 3)
        #expect(plain.batchSize == 10)
        let changed = try suite.expanded(
            overriding: OptionOverrides(count: 5, batchSize: 20))[0].options
        #expect(changed.count == 5)
        #expect(changed.batchSize == 20)
    }

    @Test func aSuiteWithUnknownNamesIsAUsageError() throws {
        for entry in [
            Suite.Entry(workload: "sensor"),
            Suite.Entry(workload: "sensors", strategies: ["bached"]),
            Suite.Entry(workload: "sensors", batchSize: 0),
            Suite.Entry(workload: "insert", size: -1),
        ] {
            let suite = Suite(name: "s", description: "d", cases: [entry])
            #expect(throws: BenchmarkError.self) {
                try suite.expanded(overriding: OptionOverrides())
            }
        }
    }

    @Test func whatHasNoEffectInASuiteIsNamed() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/suite.json"
        for (entry, says) in [
            (
                #"{"workload": "commit", "cuont": 5}"#,
                "'cuont' is no key of case 1. Did you mean count?"
            ),
            (
                #"{"workload": "commit", "threads": 4}"#,
                "'threads' has no effect. What has: count, rate, seconds."
            ),
            (#"{"workload": "commit", "size": 4}"#, "'size' has no effect."),
            (
                #"{"workload": "commit", "threads": 4, "count": 5}"#,
                "'threads' has no effect. What has: count, rate."
            ),
            (
                #"{"workload": "insert", "size": 4, "count": 5}"#,
                "'size' has no effect beside 'count'."
            ),
            (
                #"{"workload": "commit", "seconds": 4, "count": 5}"#,
                "'seconds' has no effect beside 'count'."
            ),
            (
                #"{"workload": "sensors", "strategies": ["current"], "batch_size": 4}"#,
                "'batch_size' has no effect."
            ),
            (#"{"workload": "commit", "strategies": []}"#, "'strategies' is an empty list."),
            (#"{"workload": "commit", "count": "5"}"#, "cases[1].count: expected a whole number"),
            (
                #"{"workload": "commit"}, {"workload": "commit"}"#,
                "has the case commit/api/full/plain/1/realm twice"
            ),
        ] {
            try Data(#"{"name": "s", "description": "d", "cases": [\#(entry)]}"#.utf8)
                .write(to: URL(fileURLWithPath: file))
            let error = #expect(throws: BenchmarkError.self, "\(entry)") {
                try Suite.load(file).expanded(overriding: OptionOverrides())
            }
            #expect(error?.code == .usage)
            #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
        }
        try Data(#"{"nmae": "s", "description": "d", "cases": []}"#.utf8)
            .write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: BenchmarkError.self) { try Suite.load(file) }
        #expect(error?.message.contains("'nmae' is no key of a suite. Did you mean name?") == true)
    }

    @Test func aBrokenSuiteFileIsAUsageError() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/broken.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        #expect(throws: BenchmarkError.self) { try Suite.load(file) }
        #expect(throws: BenchmarkError.self) { try Suite.load(folder.path + "/missing.json") }
    }
}
