import Foundation
import RealmSwift
import Testing

@testable import BenchmarkKit

/// Tests of the workloads about objects, on tiny inputs. The measured work must also be correct.
@Suite(.serialized) struct ObjectWorkloadTests {
    private func run(
        _ workload: Workload, _ strategy: String, size: Int? = 40,
        in folder: TemporaryFolder, _ change: (inout CaseOptions) -> Void = { _ in }
    ) throws -> CaseOutcome {
        try runCase(workload, strategy, size: size, in: folder) {
            $0.batchSize = 15
            change(&$0)
        }
    }

    @Test func objectsOfAllWidthsAreAdded() throws {
        let folder = try TemporaryFolder()
        var digests: [String: String] = [:]
        for strategy in ObjectAddWorkload.workload.strategies.map(\.name) {
            let outcome = try run(ObjectAddWorkload.workload, strategy, in: folder)
            #expect(outcome.results[0].operations == 40)
            #expect(outcome.results[0].measure("commits") == 3)
            #expect(try problems(outcome) == [])
            digests[strategy] = outcome.results[0].digest
        }
        #expect(digests.count == 4)
        // Equal digests, because both create objects with the same values.
        #expect(digests["dictionary"] == digests["10-properties"])
        #expect(Set(digests.values).count == 3)
    }

    @Test func everyCollectionIsFilledAndSearched() throws {
        let folder = try TemporaryFolder()
        for strategy in ObjectCollectionsWorkload.workload.strategies.map(\.name) {
            let outcome = try run(ObjectCollectionsWorkload.workload, strategy, in: folder) {
                $0.count = 300
            }
            let writes = strategy.hasSuffix("append") || strategy.hasSuffix("insert")
            #expect(outcome.results[0].operations == (writes ? 40 : 300))
            #expect(outcome.results[0].digest != nil)
            #expect((outcome.verification != nil) == writes)
            if writes { #expect(try problems(outcome) == []) }
        }
    }

    @Test(arguments: PropertyKind.allCases)
    func propertiesOfEveryKindAreReadAndWritten(kind: PropertyKind) throws {
        let folder = try TemporaryFolder()
        let read = try run(ObjectReadWorkload.workload, kind.rawValue, in: folder) {
            $0.count = 9000
        }
        #expect(read.results[0].operations == 9000)
        // More operations than objects, and fewer.
        for count in [60_000, 9000] {
            let folder = try TemporaryFolder()
            let written = try run(ObjectWriteWorkload.workload, kind.rawValue, in: folder) {
                $0.count = count
            }
            #expect(written.results[0].operations == count)
            #expect(try problems(written) == [])
        }
    }

    @Test func accessorsAndLoopsVisitEveryObject() throws {
        let folder = try TemporaryFolder()
        for strategy in ObjectAccessorsWorkload.workload.strategies.map(\.name) {
            let outcome = try run(ObjectAccessorsWorkload.workload, strategy, in: folder)
            #expect(outcome.results[0].operations == 40)
        }
        let looped = try run(ObjectLoopWorkload.workload, "results", size: 50_000, in: folder)
        let loop = looped.results[0]
        #expect(try #require(loop.measure("anonymous_growth_bytes")) >= 0)
        #expect(loop.operations == 50_000)
    }

    @Test func changedValuesFailTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try run(ObjectAddWorkload.workload, "3-properties", in: folder)
        let expectation = try #require(
            try outcome.verification?.expectation(as: ObjectsExpectation.self))
        let store = try RealmItemStore<ThreePropertyItem>(path: expectation.path, .full)
        try store.realm.write { store.realm.objects(ThreePropertyItem.self)[7].count += 1 }
        #expect(
            try expectation.problems()
                == ["The values of the file are not those that were written."])
        try store.add([ItemValues(number: 50, seed: 1)])
        #expect(try expectation.problems().count == 2)
    }

    @Test func changedPropertiesAndElementsFailTheProof() throws {
        let folder = try TemporaryFolder()
        let written = try run(ObjectWriteWorkload.workload, "uuid", in: folder) { $0.count = 3000 }
        let properties = try #require(
            try written.verification?.expectation(as: ObjectsExpectation.self))
        let store = try RealmPropertyStore(path: properties.path, .full)
        try store.realm.write { store.realm.objects(PropertyObject.self)[20].any = .string("8") }
        #expect(try properties.problems().count == 1)

        let filled = try run(ObjectCollectionsWorkload.workload, "list-append", in: folder)
        let elements = try #require(
            try filled.verification?.expectation(as: ObjectsExpectation.self))
        let lists = try RealmElementStore(path: elements.path, .full)
        try lists.realm.write { lists.realm.objects(ElementOwner.self)[0].list.swapAt(3, 9) }
        #expect(try elements.problems().count == 1)
    }

    /// A store adds up a word of each value. The words of different values differ, so that reading
    /// wrong values gives a wrong sum.
    @Test func valuesOfPropertiesDiffer() {
        let values = (0..<200).map { PropertyValues(number: $0, seed: 7) }
        for kind in PropertyKind.allCases {
            #expect(Set(values.map { $0.text(of: kind) }).count > 1, "\(kind)")
            #expect(Set(values.map { $0.word(of: kind) }).count > 1, "\(kind)")
        }
        #expect(values.contains { $0.optionalInt == nil })
        #expect(!values.contains { $0.decimal.hasSuffix("0") })
    }

    @Test func jobsOfOneWorkloadAreComparedBetweenEnginesOnly() {
        func row(_ strategy: String, _ engine: String, _ digest: String) -> CaseResult {
            var row = CaseResult.empty("object-add", strategy, engine: engine)
            row.operations = 10
            row.digest = digest
            return row
        }
        let rows = [row("3-properties", "realm", "a"), row("10-properties", "realm", "b")]
        #expect(DigestCheck.disagreements(in: rows) == [])
        #expect(DigestCheck.disagreements(in: rows + [row("3-properties", "grdb", "a")]) == [])
        let problems = DigestCheck.disagreements(in: rows + [row("3-properties", "grdb", "c")])
        #expect(problems.count == 1)
    }

    @Test func promisesOfObjectsAreChecked() throws {
        func row(_ workload: String, _ strategy: String, _ engine: String = "realm", rate: Int)
            -> CaseResult
        {
            var row = CaseResult.empty(workload, strategy, engine: engine)
            row.identifier.size = 1_000_000
            row.operations = rate
            row.elapsedSeconds = 1
            row.allocationsPerOperation = 0
            return row
        }
        var loop = row("object-loop", "results", rate: 1)
        loop.measure("anonymous_growth_bytes", 1_500_000)
        var kept = row("object-accessors", "10-properties", rate: 1)
        kept.measure("kept_bytes_per_object", 100)
        var uuid = row("object-read", "uuid", rate: 90)
        // A type without a fixed width may allocate.
        var string = row("object-read", "string", rate: 90)
        string.allocationsPerOperation = 1
        var rows = [
            row("object-add", "3-properties", rate: 50),
            row("object-add", "3-properties", "grdb", rate: 40), uuid, string,
            row("object-read", "uuid", "grdb", rate: 80), loop, kept,
            // No other engine has this row.
            row("object-add", "dictionary", rate: 1),
        ]
        let outcomes = SpeedCheck.outcomes(for: rows)
        #expect(outcomes.map(\.measured) == [90.0 / 80, 0, 1.5])
        #expect(outcomes.map(\.passed) == [true, true, true])
        #expect(outcomes[0].title.hasPrefix("object-read/uuid, the slowest of 2 jobs"))
        #expect(outcomes[2].controls.map(\.measured) == [100])
        uuid.operations = 79
        uuid.allocationsPerOperation = 1
        rows[2] = uuid
        #expect(SpeedCheck.outcomes(for: rows).map(\.passed) == [false, false, true])
    }
}
