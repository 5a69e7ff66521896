import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Numbers in memory and, one a line, in a file.
private final class Lines: BenchmarkDatabase {
    static let name = "lines"
    static let summary = "a line for each number"

    private let path: String
    var numbers: [Int]

    init(folder: String) throws {
        path = folder + "/lines"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        numbers = text.split(separator: "\n").compactMap { Int($0) }
    }

    func write(_ changes: () throws -> Void) throws {
        try changes()
        try Data(numbers.map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
    }

    func forEachObject(_ body: (String) throws -> Void) throws {
        for number in numbers { try body("\(number)") }
    }
}

private final class Memory: BenchmarkDatabase {
    static let name = "memory"
    static let summary = "nothing is kept"
    static let isInMemory = true

    init(folder: String) {}
    func write(_ changes: () throws -> Void) throws { try changes() }
    func forEachObject(_ body: (String) throws -> Void) {}
}

private final class Several: BenchmarkDatabase {
    static let name = "several"
    static let summary = "several threads may write"
    static let hasSeveralWriters = true

    init(folder: String) {}
    func write(_ changes: () throws -> Void) throws { try changes() }
    func forEachObject(_ body: (String) throws -> Void) {}
}

private final class Misnamed: BenchmarkDatabase {
    static let name = "realm"
    static let summary = "named like other rows"

    init(folder: String) {}
    func write(_ changes: () throws -> Void) throws { try changes() }
    func forEachObject(_ body: (String) throws -> Void) {}
}

private let halves = BenchmarkWriteStrategy("halves", "two transactions a batch") {
    realm, operations, change in
    let middle = operations.count / 2
    for half in [operations[..<middle], operations[middle...]] {
        try realm.write { for operation in half { try change(realm, operation) } }
    }
}

private func writes(filled: Bool = false) -> BenchmarkWorkload {
    let fill: BenchmarkWorkload.Fill = { $0.create(Delivery.self, value: [$1.number]) }
    return .writes(
        "deliver", "adds a delivery", of: [Delivery.self], filledBy: filled ? fill : nil,
        strategies: [.single, .batched, .threads, halves],
        change: { realm, operation in realm.create(Delivery.self, value: [operation.number]) })
}

private func reads() -> BenchmarkWorkload {
    .reads(
        "weigh", "counts", of: [Delivery.self], filledBy: { _, _ in },
        strategies: [
            BenchmarkReadStrategy("query", "") { _, _ in 0 },
            BenchmarkReadStrategy("loop", "") { _, _ in 0 },
        ])
}

@Suite struct OwnDatabaseTests {
    @Test func whatItHoldsIsComparedByAFreshInstance() throws {
        let workload = writes().writing(to: Lines.self) { $0.numbers.append($1.number) }
        let folder = try TemporaryFolder()
        let store = try #require(workload.beside(named: "lines")).open(folder.path)
        try store.write {
            for number in 0..<3 {
                try store.change(BenchmarkOperation(number: number, size: 0, seed: 1))
            }
        }
        func problems() throws -> [String] {
            try OwnExpectation(
                workload: "deliver", engine: "lines", folder: folder.path, durability: .full,
                written: 3, digest: store.digest()
            ).problems(of: workload)
        }
        #expect(try problems() == [])
        // The order does not matter.
        try Data("2\n0\n1\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/lines"))
        #expect(try problems() == [])
        for wrong in ["0\n1\n", "0\n1\n2\n2\n", "0\n1\n3\n"] {
            try Data(wrong.utf8).write(to: URL(fileURLWithPath: folder.path + "/lines"))
            #expect(
                try problems() == ["The objects of the file are not those that were written."])
        }
    }

    @Test func itHasTheStrategiesThatItCanDo() {
        func engines(_ workload: BenchmarkWorkload) -> [[String]] {
            workload.asWorkload.strategies.map(\.ownEngines)
        }
        let written = writes().writing(to: Lines.self) { _, _ in }
            .writing(to: Several.self) { _, _ in }
        #expect(
            engines(written) == [["lines", "several"], ["lines", "several"], ["several"], []])
        let read = reads().reading(from: Lines.self, filledBy: { _, _ in }) { _, _ in 0 }
            .reading(from: Memory.self, beside: "loop", filledBy: { _, _ in }) { _, _ in 0 }
        #expect(engines(read) == [["lines"], ["memory"]])
    }

    @Test func mistakesInWhatIsSaidOfItAreNamed() {
        func problem(_ workload: BenchmarkWorkload) -> String {
            OwnWorkloads.problem(of: [workload]) ?? ""
        }
        #expect(problem(writes().writing(to: Lines.self) { _, _ in }) == "")
        #expect(
            problem(writes().writing(to: Misnamed.self) { _, _ in }).contains("named 'realm'"))
        #expect(
            problem(
                writes().writing(to: Lines.self) { _, _ in }.writing(to: Lines.self) { _, _ in }
            ).contains("Two databases of the workload 'deliver' are named 'lines'"))
        #expect(
            problem(writes().writing(to: Memory.self) { _, _ in }).contains("cannot be proved"))
        #expect(
            problem(writes(filled: true).writing(to: Lines.self) { _, _ in })
                .contains("must be filled if, and only if, the Realm is"))
        #expect(
            problem(writes().reading(from: Lines.self, filledBy: { _, _ in }) { _, _ in 0 })
                .contains("needs writing(to:)"))
        #expect(
            problem(reads().writing(to: Lines.self) { _, _ in }).contains("needs reading(from:)"))
        #expect(
            problem(
                reads().reading(from: Lines.self, beside: "scan", filledBy: { _, _ in }) {
                    _, _ in 0
                }
            ).contains("stands beside 'scan', which is no strategy of it"))
    }

    /// A batch that commits twice has a control that syncs twice.
    @Test func theControlOfABatchWritesAndSyncsAsMuch() throws {
        let shapes = CommitShape.commits(
            of: IOCounters(syncs: 2, writeCalls: 6, bytesWritten: 9000))
        #expect(shapes.map(\.bytes) == [4500, 4500] && shapes.map(\.writeCalls) == [3, 3])
        let folder = try TemporaryFolder()
        for (strategy, syncs) in [("batched", 1.0), ("halves", 2)] {
            let rows = try runCase(writes().asWorkload, strategy, in: folder) {
                $0.count = 500
                $0.batchSize = 100
            }.results
            try #require(rows.count == 2)
            #expect(rows[1].identifier.strategy == strategy + "-bare-disk")
            #expect(rows[1].identifier.engine == "control" && rows[1].operations == 500)
            #expect(rows[0].measure("ratio_to_control") != nil)
            // A batch also ends when its time is over, so a busy machine makes more of them. Calls
            // are counted for the process, in which other tests sync as well.
            let batches = try #require(rows[0].measure("commits"))
            let counted = try #require(rows[0].syncsPerCommit)
            #expect(batches >= 5 && counted >= syncs)
            #expect(rows[1].latency?.samples == Int((batches * counted).rounded()))
        }
    }
}
