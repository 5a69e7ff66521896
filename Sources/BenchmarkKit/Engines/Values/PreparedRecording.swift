import Foundation
import Glibc
import ToolSupport

/// A recording as another process has read it for the process of a case, whose memory then holds
/// the readings alone and not what reading a text takes.
enum PreparedRecording {
    private static let sensorsName = "/recording-sensors.json"
    private static let entriesName = "/recording-entries"

    /// Writes a recording into the folder of a case.
    static func write(_ recording: Recording, to folder: String) throws {
        try JSONMessage.write(recording.sensors, to: folder + sensorsName)
        let path = folder + entriesName
        do {
            try recording.entries.withUnsafeBytes { Data($0) }
                .write(to: URL(fileURLWithPath: path))
        } catch {
            throw BenchmarkError(
                .internalError, "'\(path)' cannot be written: \(error.fileProblem).")
        }
    }

    /// Reads the recording of a folder; nil if none was written.
    static func load(from folder: String) throws -> Recording? {
        let path = folder + entriesName
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw failure(path) }
        let bytes = Int(status.st_size)
        let stride = MemoryLayout<Recording.Entry>.stride
        let entries = try [Recording.Entry](unsafeUninitializedCapacity: bytes / stride) {
            buffer, count in
            let whole = UnsafeMutableRawBufferPointer(buffer)
            var done = 0
            while done < whole.count {
                let read = Glibc.read(
                    descriptor, whole.baseAddress! + done, whole.count - done)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { throw failure(path) }
                done += read
            }
            count = bytes / stride
        }
        let sensors = try JSONMessage.read([SensorDescription].self, from: folder + sensorsName)
        return Recording(sensors: sensors, entries: entries)
    }

    private static func failure(_ path: String) -> BenchmarkError {
        BenchmarkError(
            .internalError, "'\(path)' cannot be read: \(String(cString: strerror(errno))).")
    }
}
