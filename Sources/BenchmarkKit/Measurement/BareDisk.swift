import Foundation
import Glibc

/// The control row of durable commits: what the same writes cost without a database. Each operation
/// writes the bytes of one measured commit in as many calls, one after the other into a region that
/// was written before, and calls `fdatasync` once.
final class BareDisk {
    private static let regionBytes = 32 << 20

    private let descriptor: Int32
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0
    private(set) var latency = LatencyRecorder()
    private(set) var operations = 0
    private(set) var elapsedNanoseconds: UInt64 = 0
    private(set) var rates: [Double] = []

    init(directory: String) throws {
        let path = directory + "/bare-disk"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("open") }
        buffer = .allocate(byteCount: 1 << 20, alignment: 4096)
        var generator = SeededGenerator(seed: 1)
        for offset in stride(from: 0, to: buffer.count, by: 8) {
            buffer.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
        }
        for offset in stride(from: 0, to: Self.regionBytes, by: buffer.count) {
            try write(bytes: buffer.count, at: offset)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync") }
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// One operation for each shape.
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
        let total = min(max(shape.bytes, 1), Self.regionBytes)
        let calls = max(shape.writeCalls, 1)
        if position + total > Self.regionBytes { position = 0 }
        // Whole blocks for all calls but the last, which gets the rest.
        let share = total / calls / 4096 * 4096
        var written = 0
        for call in 0..<calls {
            let bytes = call == calls - 1 ? total - written : share
            guard bytes > 0 else { continue }
            try write(bytes: bytes, at: position + written)
            written += bytes
        }
        position += (total + 4095) / 4096 * 4096
        guard fdatasync(descriptor) == 0 else { throw Self.failure("fdatasync") }
    }

    /// In one call, unless it is larger than the buffer.
    private func write(bytes: Int, at offset: Int) throws {
        var done = 0
        while done < bytes {
            let count = pwrite(
                descriptor, buffer.baseAddress!, min(bytes - done, buffer.count),
                off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("pwrite") }
            done += count
        }
    }

    private static func failure(_ call: String) -> BenchmarkError {
        let code = errno
        return BenchmarkError(
            .internalError, "The control row's \(call) failed: \(String(cString: strerror(code))).")
    }

    /// The control row beside the row of `measured`. `operations`: those of the rows replayed, if
    /// not one for each commit.
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
