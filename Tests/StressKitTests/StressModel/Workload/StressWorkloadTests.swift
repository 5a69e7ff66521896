import StorageEngine
import StressModel
import Testing

@Suite struct StressWorkloadTests {
    private func connection() throws -> Connection {
        let name = "workload-\(UInt64.random(in: 0 ... .max))"
        return try Connection(Database.open(path: name, options: .init(inMemory: true)))
    }

    private func expectDigests(of workload: StressWorkload, _ label: String) throws {
        let connection = try connection()
        for transaction in 0...workload.count + 1 {
            if transaction > 0 { try workload.run(transaction, on: connection) }
            #expect(try StressWorkload.progress(of: connection) == transaction, "\(label)")
            #expect(
                try StressWorkload.digest(of: connection) == workload.digests[transaction],
                "\(label), transaction \(transaction)")
        }
        #expect(try connection.verify() == [], "\(label)")
    }

    /// Model and database are implemented independently of each other.
    @Test(arguments: StressScale.allCases, 0...5 as ClosedRange<UInt64>)
    func theDatabaseHoldsWhatTheModelSays(scale: StressScale, seed: UInt64) throws {
        try expectDigests(
            of: StressWorkload(seed: seed, scale: scale, count: scale == .large ? 20 : 80),
            "\(scale) \(seed)")
    }

    @Test func aWorkloadWithTransactionsLeftOutIsAnotherOne() throws {
        var random = RepeatableRandom(seed: 4)
        for _ in 0..<12 {
            let skipped = Set((1...40).filter { _ in random.isOne(in: 3) })
            let workload = StressWorkload(seed: 9, scale: .mixed, count: 40, skipping: skipped)
            #expect(workload.count == 40 - skipped.count)
            try expectDigests(of: workload, "without \(skipped.sorted())")
        }
    }

    @Test func digestsTellTransactionsApart() {
        for scale in StressScale.allCases {
            let workload = StressWorkload(seed: 2, scale: scale, count: 60)
            #expect(Set(workload.digests).count == workload.digests.count)
        }
        let first = StressWorkload(seed: 1, scale: .mixed, count: 5)
        #expect(first.digests == StressWorkload(seed: 1, scale: .mixed, count: 5).digests)
        #expect(first.digests != StressWorkload(seed: 2, scale: .mixed, count: 5).digests)
    }

    /// A cut file is the purpose of this scale.
    @Test func aShrinkingWorkloadHasItsFileCut() throws {
        let folder = try ScratchFolder()
        let workload = StressWorkload(
            seed: 1, scale: .shrinking, count: StressOperation.shrinkingPeriod)
        let database = try Database.open(path: folder.path + "/data")
        let connection = try Connection(database)
        var largest: UInt64 = 0
        for step in 1...workload.count {
            try workload.run(step, on: connection)
            largest = max(largest, try database.statistics().fileBytes)
        }
        // A process that filled the file itself takes longer to cut it.
        for _ in 0..<150 { _ = try StressWorkload.countBystander(on: connection) }
        // A tail of less than a MiB is not cut.
        #expect(try database.statistics().fileBytes + 1 << 20 <= largest)
        #expect(try StressWorkload.digest(of: connection) == workload.digests[workload.count])
    }

    @Test func aTransactionThatFailsLeavesNothing() throws {
        let workload = StressWorkload(seed: 3, scale: .mixed, count: 5)
        let connection = try connection()
        try workload.run(1, on: connection)
        try connection.beginWrite()
        try workload.change(2, on: connection)
        connection.rollback()
        #expect(try StressWorkload.digest(of: connection) == workload.digests[1])
        #expect(try StressWorkload.countBystander(on: connection) == 1)
        #expect(try StressWorkload.countBystander(on: connection) == 2)
        // The table of bystanders is not part of the digest.
        #expect(try StressWorkload.digest(of: connection) == workload.digests[1])
    }
}
