import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SweepTests {
    private func cases(
        _ entry: Suite.Entry, _ sweeps: String...,
        change: (inout OptionOverrides) -> Void = { _ in }
    ) throws -> [BenchmarkCase] {
        var overrides = OptionOverrides(sweeps: try sweeps.map { try Sweep($0) })
        change(&overrides)
        return try Suite(name: "s", description: "d", cases: [entry])
            .expanded(overriding: overrides)
    }

    @Test func severalSweepsMultiply() throws {
        let found = try cases(
            Suite.Entry(workload: "sensors", strategies: ["current"]), "threads=1,2",
            "payload=0,10,20")
        #expect(
            found.map(\.sweep) == [
                "threads=1;payload=0", "threads=1;payload=10", "threads=1;payload=20",
                "threads=2;payload=0", "threads=2;payload=10", "threads=2;payload=20",
            ])
        #expect(found.map(\.options.threads) == [1, 1, 1, 2, 2, 2])
        #expect(found.map(\.options.payload) == [0, 10, 20, 0, 10, 20])
        // The cases share their id, so their files need different names.
        #expect(Set(found.map(\.identifier)).count == 1)
        #expect(Set(found.map(\.fileName)).count == 6)
        #expect(found.allSatisfy { !$0.fileName.contains("/") })
    }

    @Test func sizeAndDurabilityCanBeSwept() throws {
        let entry = Suite.Entry(workload: "insert", strategies: ["api"], size: 5)
        let sized = try cases(entry, "size=10,20")
        #expect(sized.map(\.identifier.size) == [10, 20])
        let relaxed = try cases(entry, "durability=full,relaxed")
        #expect(relaxed.map(\.identifier.durability) == [.full, .relaxed])
        let named = try cases(entry, "engine=realm")
        #expect(named.map(\.sweep) == ["engine=realm"])
    }

    @Test func aSweepNamesOnlyWhatChangesTheCase() throws {
        let entry = Suite.Entry(workload: "insert", strategies: ["api"], count: 7)
        // The count of an insert is its size, so a size beside it does nothing.
        let both = try cases(entry, "size=10,20", "count=5,6")
        #expect(
            both.map(\.name) == [
                "insert/api/full/plain/5/realm count=5", "insert/api/full/plain/6/realm count=6",
            ])
        let error = #expect(throws: BenchmarkError.self) {
            try OptionOverrides(sweeps: [Sweep("size=10,20"), Sweep("count=5,6")])
                .checkEffect(on: both)
        }
        #expect(error?.message.contains("--size has no effect on insert/api") == true)
        // A size of the command line replaces the count of the suite.
        let sized = try cases(entry, "size=10,20")
        #expect(
            sized.map(\.name) == [
                "insert/api/full/plain/10/realm size=10", "insert/api/full/plain/20/realm size=20",
            ])
        let lookup = Suite.Entry(workload: "lookup", strategies: ["api"])
        let several = try cases(lookup, "size=10,20", "count=5,6")
        #expect(
            several.map(\.sweep) == [
                "size=10;count=5", "size=10;count=6", "size=20;count=5", "size=20;count=6",
            ])
        #expect(several.map(\.identifier.size) == [10, 10, 20, 20])
        #expect(several.map(\.options.count) == [5, 6, 5, 6])
    }

    @Test func casesThatASweepDoesNotChangeRunOnce() throws {
        var overrides = OptionOverrides(sweeps: [try Sweep("threads=1,2")])
        overrides.count = 3
        let found = try Suite(
            name: "s", description: "d",
            cases: [
                Suite.Entry(workload: "commit", strategies: ["api"]),
                Suite.Entry(workload: "concurrent-commit", strategies: ["api"]),
            ]
        ).expanded(overriding: overrides)
        #expect(found.map(\.sweep) == ["", "threads=1", "threads=2"])
        let notes = try overrides.checkEffect(on: found)
        #expect(notes == ["--threads has no effect on 1 of 3 cases: commit/api."])
    }

    @Test func withoutSweepsThereIsOnePoint() throws {
        let plain = try cases(Suite.Entry(workload: "sensors", strategies: ["batched"]))
        #expect(plain.map(\.sweep) == [""])
        #expect(plain[0].fileName == "sensors-batched-full-plain-50000-realm")
    }

    @Test(arguments: [
        "threads", "thread=1", "threads=", "threads=1,,2", "threads=1,1", "threads=many",
        "threads=0", "threads=1,01", "seconds=1,1.0", "payload=-1", "size=0", "durability=ful",
        "engine=rielm", "input=a", "=1",
    ])
    func mistakesAreUsageErrors(text: String) {
        do {
            _ = try Sweep(text)
            Issue.record("accepted: \(text)")
        } catch {
            #expect((error as? BenchmarkError)?.code == .usage)
        }
    }

    @Test func nearNamesAreSuggested() {
        for (text, says) in [
            ("thread=1", "Did you mean threads?"), ("durability=ful", "Did you mean full?"),
            ("engine=rielm", "Did you mean realm?"), ("engine=sqlite", "realm-bench-peers"),
        ] {
            #expect(throws: BenchmarkError.self) {
                do { _ = try Sweep(text) } catch let error as BenchmarkError {
                    #expect(error.message.contains(says), "\(error.message)")
                    throw error
                }
            }
        }
    }
}
