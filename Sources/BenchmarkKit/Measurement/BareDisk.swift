import ToolSupport

/// The writes of one commit to the disk.
struct CommitShape: Codable, Sendable {
    var writeCalls: Int
    var bytes: Int

    /// Returns equal commits that make as many calls and syncs, and write as many bytes, together.
    static func commits(of cost: IOCounters) -> [CommitShape] {
        let commits = max(1, Int(cost.syncs))
        let shape = CommitShape(
            writeCalls: Int(cost.writeCalls) / commits, bytes: Int(cost.bytesWritten) / commits)
        return Array(repeating: shape, count: commits)
    }
}

/// The control of durable commits: the cost of the same writes without a database. Each operation
/// writes the bytes of one measured commit in as many calls, sequentially into a region that was
/// written before, and calls `fdatasync` once.
final class BareDisk {
    private let file: BareFile
    private var position = 0
    private(set) var latency = LatencyRecorder()
    private(set) var operations = 0
    private(set) var elapsedNanoseconds: UInt64 = 0
    private(set) var rates: [Double] = []

    init(directory: String) throws { file = try BareFile(path: directory + "/bare-disk") }

    /// Runs one operation for each shape.
    func replay(_ shapes: [CommitShape]) throws {
        guard !shapes.isEmpty else { return }
        let start = monotonicNanoseconds()
        var last = start
        for shape in shapes {
            try commit(shape)
            let now = monotonicNanoseconds()
            latency.record(now - last)
            last = now
        }
        operations += shapes.count
        elapsedNanoseconds += last - start
        rates.append(Double(shapes.count) / seconds(from: start, to: last))
    }

    private func commit(_ shape: CommitShape) throws {
        let total = min(max(shape.bytes, 1), BareFile.byteCount)
        let calls = max(shape.writeCalls, 1)
        if position + total > BareFile.byteCount { position = 0 }
        // All calls but the last write whole blocks; the last call writes the rest.
        let share = total / calls / 4096 * 4096
        var written = 0
        for call in 0..<calls {
            let bytes = call == calls - 1 ? total - written : share
            guard bytes > 0 else { continue }
            try file.write(bytes: bytes, at: position + written)
            written += bytes
        }
        position += (total + 4095) / 4096 * 4096
        try file.sync()
    }

    /// Returns the control row that belongs to the row of `measured`. `operations` is the number of
    /// operations in the replayed commits; nil means one a commit.
    func result(
        beside measured: BenchmarkCase, strategy: String = "bare-disk", operations: Int? = nil
    ) -> CaseResult {
        var result = CaseResult.control(strategy, beside: measured)
        result.operations = operations ?? self.operations
        let share = Double(result.operations) / Double(max(1, self.operations))
        result.elapsedSeconds = Double(elapsedNanoseconds) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates.map { $0 * share })
        result.latency = latency.summary()
        result.syncsPerCommit = 1
        return result
    }
}
