import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import BenchmarkKit

/// A class of an application.
final class Delivery: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var weight: Int
    @Persisted var places: List<String>
}

final class Parcel: Object {
    @Persisted var delivery: Delivery?
}

extension Delivery {
    fileprivate convenience init(_ operation: BenchmarkOperation) {
        self.init()
        number = operation.number
        weight = operation.random(below: 1000)
        places.append(objectsIn: ["a", "b\(operation.random(below: 10, draw: 1))"])
    }
}

private let asynchronous = BenchmarkWriteStrategy(
    "async", "one asynchronous write a batch", repeats: false
) { realm, operations, change in
    realm.beginWrite()
    for operation in operations { try change(realm, operation) }
    try realm.commitWrite()
}

private let deliver = BenchmarkWorkload.writes(
    "deliver", "adds a delivery", of: [Delivery.self],
    strategies: [.single, .batched, .threads, asynchronous],
    check: { realm, written in
        let found = realm.objects(Delivery.self).count
        return found == written ? nil : "\(found) deliveries instead of \(written)."
    }, change: { realm, operation in realm.add(Delivery(operation)) })

private let weigh = BenchmarkWorkload.reads(
    "weigh", "adds up the deliveries up to a number", of: [Delivery.self], size: 500,
    filledBy: { $0.add(Delivery($1)) },
    strategies: [
        BenchmarkReadStrategy("query", "a query") { realm, operation in
            let limit = operation.random(below: operation.size)
            return realm.objects(Delivery.self).where { $0.number < limit }.sum(of: \.weight)
        },
        BenchmarkReadStrategy("loop", "a loop") { realm, operation in
            let limit = operation.random(below: operation.size)
            return realm.objects(Delivery.self)
                .reduce(0) { $0 + ($1.number < limit ? $1.weight : 0) }
        },
    ])

@Suite struct OwnWorkloadTests {
    private func problems(_ outcome: CaseOutcome, of workload: BenchmarkWorkload) throws
        -> [String]
    {
        let request = try #require(outcome.verification)
        let expectation = try #require(try request.expectation(as: OwnExpectation.self))
        return try expectation.problems(of: workload)
    }

    @Test func everyStrategyLeavesTheSameObjects() throws {
        let folder = try TemporaryFolder()
        let outcomes = try ["single", "batched", "threads", "async"].map { strategy in
            try runCase(deliver.asWorkload, strategy, in: folder) { options in
                options.count = 530
                if strategy == "batched" { options.batchSize = 100 }
            }
        }
        for outcome in outcomes {
            #expect(try problems(outcome, of: deliver) == [])
            let row = outcome.results[0]
            #expect(row.operations == 530 && row.latency != nil && row.fileBytes != nil)
            #expect(row.syncsPerCommit != nil && row.bytesWrittenPerCommit ?? 0 > 0)
        }
        #expect(Set(outcomes.map { $0.results[0].digest }).count == 1)
        #expect(outcomes[0].results[0].digest != nil)
        #expect(outcomes.map { $0.results[0].isDeterministic } == [true, true, false, false])
        // The bare disk is beside single commits.
        #expect(outcomes[0].results[1].identifier.engine == "control")
    }

    @Test func aFileThatIsNotWhatWasWrittenIsNoticed() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase(deliver.asWorkload, "batched", in: folder) { $0.count = 300 }
        let path = "\(folder.path)/deliver-batched/database/" + PersonsFixture.fileName
        let realm = try Realm(
            configuration: Realm.Configuration(path: path, objectTypes: [Delivery.self]))
        try realm.write { realm.objects(Delivery.self).first?.places[1] = "c" }
        #expect(
            try problems(outcome, of: deliver)
                == ["The objects of the file are not those that were written."])
        try realm.write { realm.delete(realm.objects(Delivery.self)[0]) }
        #expect(try problems(outcome, of: deliver).last == "499 deliveries instead of 500.")
    }

    @Test func operationsOverATimeAreProvedAsWell() throws {
        let folder = try TemporaryFolder()
        for strategy in ["single", "batched", "threads"] {
            let outcome = try runCase(deliver.asWorkload, strategy, in: folder) {
                $0.seconds = 0.05
                $0.batchSize = 10
            }
            #expect(outcome.results[0].operations > 0 && outcome.results[0].digest == nil)
            #expect(!outcome.results[0].isDeterministic)
            #expect(try problems(outcome, of: deliver) == [])
        }
    }

    @Test func writesChangeACopyOfTheFileThatWasFilled() throws {
        let reweigh = BenchmarkWorkload.writes(
            "reweigh", "changes a delivery", of: [Delivery.self], size: 300,
            filledBy: { $0.add(Delivery($1)) }, strategies: [.single, .batched],
            change: { realm, operation in
                let number = operation.random(below: operation.size)
                realm.object(ofType: Delivery.self, forPrimaryKey: number)?.weight += 1
            })
        let folder = try TemporaryFolder()
        let rows = try ["single", "batched"].map { strategy in
            let outcome = try runCase(reweigh.asWorkload, strategy, in: folder) { $0.count = 50 }
            #expect(try problems(outcome, of: reweigh) == [])
            return outcome.results[0]
        }
        #expect(rows[0].digest == rows[1].digest && rows[0].identifier.size == 300)
    }

    // 7 is a prime, so that its operations are timed one by one.
    @Test(arguments: [1, 7, 1000, 1001])
    func everyStrategyFindsTheSame(count: Int) throws {
        let folder = try TemporaryFolder()
        let rows = try ["query", "loop"].map { strategy in
            try runCase(weigh.asWorkload, strategy, in: folder) { $0.count = count }.results[0]
        }
        #expect(rows[0].digest == rows[1].digest && rows[0].digest != nil)
        #expect(rows.allSatisfy { $0.operations == count && $0.isDeterministic })
    }

    @Test func readsAreMeasuredForATime() throws {
        let folder = try TemporaryFolder()
        let row = try runCase(weigh.asWorkload, "query", in: folder) { $0.seconds = 0.02 }
            .results[0]
        #expect(row.operations > 0 && row.digest == nil && row.elapsedSeconds >= 0.02)
    }

    @Test func valuesFollowFromTheOperation() {
        func operation(_ number: Int, seed: UInt64 = 1) -> BenchmarkOperation {
            BenchmarkOperation(number: number, size: 0, seed: seed)
        }
        #expect(operation(3).random(below: 1000) == operation(3).random(below: 1000))
        let drawn = (0..<1000).map { operation($0).random(below: 10) }
        #expect(Set(drawn) == Set(0..<10))
        #expect(drawn != (0..<1000).map { operation($0).random(below: 10, draw: 1) })
        #expect(drawn != (0..<1000).map { operation($0, seed: 2).random(below: 10) })
    }

    /// What is declared by the object that an operation makes, and strategy by strategy, does the
    /// same as what is declared at length.
    @Test func shortDeclarationsDoTheSame() throws {
        let short = BenchmarkWorkload.writes(
            "deliver", "adds a delivery", adding: { Delivery($0) }
        )
        .writing(by: "halves", "two transactions a batch") { realm, operations, change in
            for half in [
                operations[..<(operations.count / 2)], operations[(operations.count / 2)...],
            ] {
                try realm.write { for operation in half { try change(realm, operation) } }
            }
        }
        #expect(short.strategies.map { $0.name } == ["single", "batched", "threads", "halves"])
        let folders = try (0..<2).map { _ in try TemporaryFolder() }
        let digests = try [
            (deliver, "batched", folders[0]), (short, "batched", folders[1]),
            (short, "halves", folders[1]),
        ].map { workload, strategy, folder in
            let outcome = try runCase(workload.asWorkload, strategy, in: folder) { $0.count = 300 }
            #expect(try problems(outcome, of: workload) == [])
            return outcome.results[0].digest
        }
        #expect(Set(digests).count == 1 && digests[0] != nil)

        let asked = BenchmarkWorkload.reads(
            "weigh", "adds up the deliveries up to a number", of: [Delivery.self, Parcel.self],
            size: 500, filledBy: { Delivery($0) }
        )
        .reading(by: "loop", "a loop") { realm, operation in
            let limit = operation.random(below: operation.size)
            return realm.objects(Delivery.self)
                .reduce(0) { $0 + ($1.number < limit ? $1.weight : 0) }
        }
        #expect(
            asked.classes.map(ObjectIdentifier.init)
                == [Delivery.self, Parcel.self].map { ObjectIdentifier($0) })
        let rows = try zip([weigh, asked], folders).map { workload, folder in
            try runCase(workload.asWorkload, "loop", in: folder) { $0.count = 100 }.results[0]
        }
        #expect(rows[0].digest == rows[1].digest && rows[0].digest != nil)
    }

    @Test func mistakesInDeclarationsAreNamed() {
        func named(_ name: String, _ strategies: [String] = ["a"]) -> BenchmarkWorkload {
            .reads(
                name, "", of: [], filledBy: { _, _ in },
                strategies: strategies.map { BenchmarkReadStrategy($0, "") { _, _ in 0 } })
        }
        func problem(_ workloads: BenchmarkWorkload...) -> String? {
            OwnWorkloads.problem(of: workloads)
        }
        #expect(problem(named("a"), named("b", ["c", "d-2"])) == nil)
        #expect(problem()?.contains("declares no workloads") == true)
        #expect(problem(named("a/b"))?.contains("'a/b' of the workload") == true)
        #expect(problem(named("a", ["B"]))?.contains("'B' of the workload 'a'") == true)
        #expect(problem(named("a", []))?.contains("has no strategies") == true)
        #expect(problem(named("a", ["b", "b"]))?.contains("two strategies of one name") == true)
        #expect(problem(named("a"), named("a"))?.contains("Two workloads are named 'a'") == true)
        let written = named("a").writing(by: "b", "") { _, _, _ in }
        #expect(problem(written)?.contains("needs reading(by:), not writing(by:)") == true)
        let read = deliver.reading(by: "b", "") { _, _ in 0 }
        #expect(problem(read)?.contains("needs writing(by:), not reading(by:)") == true)
    }
}
