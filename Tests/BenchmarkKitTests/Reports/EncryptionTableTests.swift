import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct EncryptionTableTests {
    /// Returns a row that measured `rate` operations a second.
    private func row(
        _ workload: String, _ strategy: String = "engine", encrypted: Bool = false, rate: Double,
        _ fields: [String: String] = [:]
    ) -> RunRow {
        var all = fields
        let kind = encrypted ? "encrypted" : "plain"
        all["case_id"] = "\(workload)/\(strategy)/full/\(kind)/1000/realm"
        all["workload"] = workload
        all["strategy"] = strategy
        all["engine"] = "realm"
        all["durability"] = "full"
        all["encrypted"] = String(encrypted)
        all["size_objects"] = "1000"
        all["status"] = "ok"
        all["throughput_ops_per_s"] = String(rate)
        return RunRow(CSVRow(all))
    }

    /// Rows of a cipher that takes 1 ns to seal a byte, and 2 ns to open it.
    private var cipher: [RunRow] {
        [row("cipher", "seal", rate: 1e9 / 4096), row("cipher", "open", rate: 0.5e9 / 4096)]
    }

    private func line(_ rows: [RunRow], _ samples: [RunSample] = []) throws
        -> EncryptionTable.Line
    {
        let table = try #require(EncryptionTable(rows, samples: samples))
        try #require(table.lines.count == 1)
        return table.lines[0]
    }

    @Test func readsAndCommitsMayTakeATenthLonger() throws {
        let read = try line([
            row("lookup", rate: 1000), row("lookup", encrypted: true, rate: 920),
        ])
        #expect(read.bound == 1.1 && abs(read.timeRatio - 1000.0 / 920) < 1e-9 && !read.isOver)
        let commit = try line([
            row("commit", rate: 1000), row("commit", encrypted: true, rate: 900),
        ])
        #expect(commit.isOver)
        #expect(EncryptionTable.fields(commit).last == "over")
    }

    @Test func aBulkLoadMayTakeTheTimeOfTheCipherOnTop() throws {
        // 1,000 objects at 1,000 a second take a second. Sealing ten commits of 1 MB takes 10 ms.
        let fields = [
            "operations": "1000", "batch_size": "100", "bytes_written_per_commit": "1000000",
        ]
        let rows = [
            row("insert", rate: 1000, fields), row("insert", encrypted: true, rate: 990, fields),
        ]
        let bound = try #require(try line(rows + cipher).bound)
        #expect(abs(bound - 1.012) < 1e-9)
        #expect(try line(rows).bound == nil)
    }

    @Test func aColdScanMayTakeTheTimeToOpenTheFile() throws {
        let fields = ["operations": "1000", "live_bytes": "10000000"]
        let found = try line(
            [
                row("count-cold", rate: 10_000, fields),
                row("count-cold", encrypted: true, rate: 8000, fields),
            ] + cipher)
        #expect(abs(try #require(found.bound) - 1.24) < 1e-9)
        #expect(found.isOver)
    }

    @Test func aRewriteMayTakeTheTimeToOpenTheFileAndToSealEachCommit() throws {
        func bound(operations: Int) throws -> Double? {
            let fields = [
                "operations": String(operations), "bytes_written_per_commit": "1000000",
                "live_bytes": "2000000",
            ]
            let rows = [
                row("update-all", rate: 10_000, fields),
                row("update-all", encrypted: true, rate: 9000, fields),
            ]
            return try line(rows + cipher).bound
        }
        // Opening the file takes 4 ms, and sealing takes 1 ms a commit. Half of the 1,000 objects
        // take 50 ms, and all of them five times take 500 ms.
        #expect(abs(try #require(try bound(operations: 500)) - 1.12) < 1e-9)
        #expect(abs(try #require(try bound(operations: 5000)) - 1.0216) < 1e-9)
    }

    @Test func ofSeveralRoundsTheMedianOfTheRatiosCounts() throws {
        let plain = row("lookup", rate: 1000)
        let encrypted = row("lookup", encrypted: true, rate: 1000)
        let samples = [(1000.0, 500.0), (900, 900), (2000, 1900)].enumerated().flatMap {
            run, rates in
            [
                RunSample(name: plain.name, run: run, throughput: rates.0),
                RunSample(name: encrypted.name, run: run, throughput: rates.1),
            ]
        }
        #expect(try line([plain, encrypted], samples).timeRatio == 2000.0 / 1900)
    }

    @Test func aRunOfOneKindHasNoTable() {
        let rows = [row("lookup", rate: 1000), row("commit", encrypted: true, rate: 900)]
        #expect(EncryptionTable(rows, samples: []) == nil)
    }

    @Test func theSuiteRunsEveryCaseBothWays() throws {
        let cases = try Suite.load("encryption").expanded(overriding: OptionOverrides())
            .filter { $0.identifier.workload != CipherWorkload.name }
        let (encrypted, plain) = (
            cases.filter(\.identifier.isEncrypted), cases.filter { !$0.identifier.isEncrypted }
        )
        #expect(encrypted.count == plain.count && plain.count > 40)
        #expect(
            CaseGroup.groups(of: cases).allSatisfy { group in
                Set(group.cases.map(\.identifier.isEncrypted)).count == 2
                    && group.cases.allSatisfy { !$0.options.hasControl }
            })
    }
}
