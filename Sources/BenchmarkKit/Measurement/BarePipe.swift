import Foundation
import Glibc
import ToolSupport

/// The control of notifications: how long a byte through a pipe takes from one thread to another,
/// which sleeps until it comes.
enum BarePipe {
    static let count = 1000

    /// Returns how long bytes took to a thread of this process.
    static func throughThreads() throws -> LatencyRecorder {
        let (to, from) = (Pipe(), Pipe())
        let receiver = BackgroundThread<Void>(name: "receiver") { _ in
            for _ in 0..<count {
                try readByte(to)
                try write(monotonicNanoseconds(), from)
            }
        }
        var latency = LatencyRecorder()
        for _ in 0..<count {
            let sent = monotonicNanoseconds()
            try writeByte(to)
            latency.record(difference(try readTime(from), sent))
        }
        try receiver.wait()
        return latency
    }

    /// Returns the control row beside `measured`.
    static func result(_ latency: LatencyRecorder, beside measured: BenchmarkCase) -> CaseResult {
        var result = CaseResult.control("\(measured.identifier.strategy)-pipe", beside: measured)
        result.operations = Int(latency.count)
        result.latency = latency.summary()
        return result
    }

    static func writeByte(_ pipe: Pipe) throws {
        var byte: UInt8 = 10
        guard Glibc.write(pipe.fileHandleForWriting.fileDescriptor, &byte, 1) == 1 else {
            throw failure("write")
        }
    }

    private static func readByte(_ pipe: Pipe) throws {
        var byte: UInt8 = 0
        guard read(pipe.fileHandleForReading.fileDescriptor, &byte, 1) == 1 else {
            throw failure("read")
        }
    }

    private static func write(_ time: UInt64, _ pipe: Pipe) throws {
        var time = time
        guard Glibc.write(pipe.fileHandleForWriting.fileDescriptor, &time, 8) == 8 else {
            throw failure("write")
        }
    }

    private static func readTime(_ pipe: Pipe) throws -> UInt64 {
        var time: UInt64 = 0
        guard read(pipe.fileHandleForReading.fileDescriptor, &time, 8) == 8 else {
            throw failure("read")
        }
        return time
    }

    private static func failure(_ call: String) -> BenchmarkError {
        BenchmarkError(
            .internalError,
            "The control row's \(call) failed: \(String(cString: strerror(errno))).")
    }
}

/// Returns the nanoseconds from `start` to `end`, and 0 if the end was first: what one thread tells
/// another may arrive before the first has read its clock.
func difference(_ end: UInt64, _ start: UInt64) -> UInt64 { end > start ? end - start : 0 }
