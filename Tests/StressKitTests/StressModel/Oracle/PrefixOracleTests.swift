import Foundation
import StorageEngine
import StressModel
import Testing

@Suite struct PrefixOracleTests {
    private let workload = StressWorkload(seed: 1, scale: .small, count: 6)
    private var oracle: PrefixOracle { PrefixOracle(workload) }

    private func finding(_ found: Int, _ digest: UInt64, _ ledger: CommitLedger) -> Finding.Kind? {
        do {
            try oracle.judge(found: found, digest: digest, ledger)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func aLedgerKnowsWhatMayBeFound() {
        var ledger = CommitLedger()
        #expect(ledger.allowed == 0...0)
        ledger.send(1)
        #expect(ledger[1] == .unknown && ledger[2] == .notSent)
        ledger.acknowledge(1)
        ledger.send(3)
        #expect(ledger[1] == .acknowledged && ledger[3] == .unknown && ledger[4] == .notSent)
        #expect(ledger.allowed == 1...3)
        ledger.acknowledge(5)
        #expect(ledger.allowed == 5...5)
    }

    @Test func exactlyThePrefixesWithAllAcknowledgedCommitsPass() {
        let ledger = CommitLedger(acknowledged: 2, sent: 4)
        for found in 0...6 {
            let kind = finding(found, workload.digests[found], ledger)
            switch found {
            case ..<2: #expect(kind == .lostCommit)
            case 2...4: #expect(kind == nil)
            default: #expect(kind == .wrongState)
            }
        }
    }

    @Test func aDigestOfAnotherStateIsNoticed() {
        let ledger = CommitLedger(acknowledged: 2, sent: 4)
        #expect(finding(3, workload.digests[2], ledger) == .wrongState)
        #expect(finding(3, workload.digests[3] ^ 1, ledger) == .wrongState)
    }

    /// Hand-made databases: a commit too few, a value too many, and a file that is no database.
    @Test func wrongDatabasesAreNoticed() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/wrong"
        do {
            let connection = try Connection(Database.open(path: path))
            for transaction in 1...3 { try workload.run(transaction, on: connection) }
        }
        try oracle.reopen(path, CommitLedger(acknowledged: 3))
        // `reopen` has committed a fourth transaction.
        let lost = #expect(throws: Finding.self) {
            try oracle.reopen(path, CommitLedger(acknowledged: 5))
        }
        #expect(lost?.kind == .lostCommit)
        do {
            let connection = try Connection(Database.open(path: path))
            try connection.beginWrite()
            let events = try connection.table(named: "Event")!
            _ = try events.insert([.text("nobody's"), .double(1)])
            try connection.commit()
        }
        let changed = #expect(throws: Finding.self) {
            try oracle.reopen(path, CommitLedger(acknowledged: 4))
        }
        #expect(changed?.kind == .wrongState)
        try "not a database, but long enough to be looked at".write(
            toFile: folder.path + "/other", atomically: true, encoding: .utf8)
        let unreadable = #expect(throws: Finding.self) {
            try oracle.reopen(folder.path + "/other", CommitLedger())
        }
        #expect(unreadable?.kind == .reopenFailure)
    }
}
