import Foundation
import Glibc

extension Pipe {
    /// Waits for bytes and returns what is there. Empty once every writer has closed the pipe, and
    /// after an error.
    ///
    /// `FileHandle.availableData` ends the process when a signal interrupts the waiting; this goes
    /// on waiting.
    package func nextBytes() -> Data {
        let descriptor = fileHandleForReading.fileDescriptor
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return Data(buffer[..<count]) }
                if errno != EINTR { return Data() }
            }
        }
    }

    /// Waits until every writer has closed the pipe, and returns all bytes that were not read yet.
    package func remainingBytes() -> Data {
        var bytes = Data()
        while true {
            let next = nextBytes()
            if next.isEmpty { return bytes }
            bytes += next
        }
    }
}
