import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Whether this machine has the tools for counting instructions.
private let hasValgrind = (try? InstructionCount.checkTools()) != nil

struct InstructionCountTests {
    @Test func theRegionReturnsWhatItsBodyReturnsAndThrows() throws {
        struct Failure: Error {}
        #expect(MeasuredRegion.run { 42 } == 42)
        #expect(throws: Failure.self) { try MeasuredRegion.run { throw Failure() } }
    }

    @Test func whatTheRegionsCostGoesToTheRow() throws {
        let benchmarkCase = try #require(
            try WorkloadCatalogue.makeCase(
                workload: "lookup", strategy: "engine", size: 10, options: CaseOptions()))
        MeasuredRegion.run {
            // More than malloc ever keeps, so that the pages are new.
            let pages = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 4096)
            for page in 0..<2048 {
                pages.storeBytes(of: 1, toByteOffset: page * 4096, as: Int.self)
            }
            pages.deallocate()
        }
        var row = CaseResult(benchmarkCase)
        MeasuredRegion.fill(&row)
        #expect(try #require(row.threadsMax) >= 1)
        #expect(try #require(row.contextSwitches) >= 0)
        #expect(try #require(row.pageFaults) > 0)
    }

    @Test func aCountedCaseDoesLessWork() throws {
        var options = CaseOptions()
        options.count = 5_000_000
        let lookup = try #require(
            try WorkloadCatalogue.makeCase(
                workload: "lookup", strategy: "engine", size: 1_000_000, options: options))
        let reduced = try #require(try InstructionCount.reduced(lookup, count: nil))
        #expect(reduced.identifier.size == InstructionCount.mostObjects)
        #expect(reduced.options.count == InstructionCount.operations)
        let asked = try #require(try InstructionCount.reduced(lookup, count: 77))
        #expect(asked.options.count == 77)
        let open = try #require(
            try WorkloadCatalogue.makeCase(
                workload: "open", strategy: "api", size: 10, options: CaseOptions()))
        #expect(try InstructionCount.reduced(open, count: 5)?.identifier == nil)
        let insert = try #require(
            try WorkloadCatalogue.makeCase(
                workload: "insert", strategy: "engine", size: 1_000_000, options: CaseOptions()))
        let bulk = try #require(try InstructionCount.reduced(insert, count: nil))
        #expect(bulk.identifier.size == InstructionCount.bulkOperations)
    }

    @Test func aMissingToolIsNamedWithWhatToDo() throws {
        let error = #expect(throws: BenchmarkError.self) {
            try InstructionCount.tool("valgrind", searching: "/nonexistent:/dev")
        }
        #expect(error?.code == .internalError)
        #expect(error?.message.contains("apt-get install valgrind") == true)
    }

    @Test func aFileWithoutATotalIsAnError() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/callgrind.out"
        for (text, total) in [
            ("events: Ir\ntotals: 12345\n", 12345), ("events: Ir\n", nil),
            ("totals: 0\n", nil), ("totals: 1 2\n", nil),
        ] as [(String, UInt64?)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect((try? InstructionCount.total(in: file)) == total, "\(text)")
        }
    }

    @Test(
        .enabled(if: hasValgrind, "valgrind or strip is not installed."),
        .disabled(
            if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
            "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
    func twoCountsOfACaseAgree() throws {
        let folder = try TemporaryFolder()
        let suite = folder.path + "/tiny.json"
        try Data(
            """
            {"name": "tiny", "description": "one case", "cases": [
              {"workload": "lookup", "strategies": ["engine"], "size": 50}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let processes = try (0..<2).map { _ in
            try BenchmarkProcess(
                "run", "--suite", suite, "--instructions", "--count", "64", "--output",
                folder.path + "/results")
        }
        for process in processes {
            let text = process.text()
            #expect(process.exitCode() == 0, "\(text)")
        }
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/results")
        let column = try #require(ColumnCatalogue.header.firstIndex(of: "instructions"))
        let counts = try runs.map { run in
            let path = "\(folder.path)/results/\(run)/summary.csv"
            let rows = try CSV.parse(String(contentsOfFile: path, encoding: .utf8))
            let row = try #require(rows.dropFirst().first)
            return try #require(Double(row.fields[column]))
        }
        try #require(counts.count == 2)
        // A lookup takes hundreds of instructions, or some thousands in a debug build.
        #expect(counts.allSatisfy { (50...100_000).contains($0) }, "\(counts)")
        #expect(abs(counts[0] - counts[1]) <= counts[0] * 0.005, "\(counts)")
    }
}
