import CRealmSystem
import Glibc

/// Reading and writing at an offset. Each operation completes or fails.
extension System {
    /// The largest number of buffers that one `pwritev` takes (IOV_MAX on Linux).
    package static let maximumBuffers = 1024

    /// Reads until `buffer` is full or the file ends, and returns the number of bytes read.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemFailure) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try perform(.pread, descriptor: descriptor) {
                Glibc.pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `buffer`.
    package static func write(
        _ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemFailure) {
        try write(descriptor, buffer, at: offset, by: .pwrite)
    }

    /// Writes all of `buffer`, and returns when it is on the disk. Other bytes of the file need not
    /// be. The place must have been written before.
    ///
    /// - Throws: a failure that ``SystemFailure/isUnsupported`` tells where the file system does
    ///   not have such writes; nothing was written then.
    package static func writeSynced(
        _ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemFailure) {
        realm_count_sync()
        try write(descriptor, buffer, at: offset, by: .writeSynced)
    }

    @inline(__always)
    private static func write(
        _ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, at offset: UInt64,
        by call: SystemCall
    ) throws(SystemFailure) {
        var done = 0
        while done < buffer.count {
            var part = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: buffer.baseAddress! + done),
                iov_len: buffer.count - done)
            done += try writeOnce(
                call, descriptor, from: &part, count: 1, at: offset + UInt64(done))
        }
    }

    /// Writes all of the buffers contiguously, starting at `offset`. Takes any number of buffers,
    /// with one system call for each ``maximumBuffers``.
    package static func write(
        _ descriptor: Int32, _ buffers: UnsafeBufferPointer<iovec>, at offset: UInt64
    ) throws(SystemFailure) {
        var index = 0
        var position = offset
        while index < buffers.count {
            let batch = min(buffers.count - index, maximumBuffers)
            var written = try writeOnce(
                .pwritev, descriptor, from: buffers.baseAddress! + index, count: batch, at: position
            )
            position += UInt64(written)
            while index < buffers.count, written >= buffers[index].iov_len {
                // Skips empty buffers even beyond the batch, because there is nothing to write for
                // them.
                written -= buffers[index].iov_len
                index += 1
            }
            if written > 0 {
                // The call ended inside this buffer: complete it separately, then continue with the
                // next one.
                let buffer = buffers[index]
                let rest = UnsafeRawBufferPointer(
                    start: buffer.iov_base + written, count: buffer.iov_len - written)
                try write(descriptor, rest, at: position)
                position += UInt64(rest.count)
                index += 1
            }
        }
    }

    /// Repeats a call until it succeeds or fails, and returns the bytes written, which may be fewer
    /// than given. A write of no bytes is reported as a full disk: Linux documents no other
    /// meaning, and repeating it might never end.
    @inline(__always)
    private static func writeOnce(
        _ call: SystemCall, _ descriptor: Int32, from buffers: UnsafePointer<iovec>, count: Int,
        at offset: UInt64
    ) throws(SystemFailure) -> Int {
        while true {
            let result: Int
            if realm_interceptor() == 0 {
                result = rawWrite(call, descriptor, from: buffers, count: count, at: off_t(offset))
            } else {
                result = interceptWrite(call, descriptor, from: buffers, count: count, at: offset)
            }
            if result > 0 {
                realm_count_write(UInt64(result))
                if planted(.ignoresShortWrites) { return byteCount(buffers, count) }
                return result
            }
            if result == 0 {
                if (0..<count).allSatisfy({ buffers[$0].iov_len == 0 }) { return 0 }
                throw SystemFailure(call: call, errno: ENOSPC)
            }
            let code = errno
            if planted(.swallowsFullDisk), code == ENOSPC { return byteCount(buffers, count) }
            if planted(.interruptionSucceeds), code == EINTR { return byteCount(buffers, count) }
            if code != EINTR || planted(.interruptionFails) {
                throw SystemFailure(call: call, errno: code)
            }
        }
    }

    private static func byteCount(_ buffers: UnsafePointer<iovec>, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 + buffers[$1].iov_len }
    }

    @inline(__always)
    private static func rawWrite(
        _ call: SystemCall, _ descriptor: Int32, from buffers: UnsafePointer<iovec>, count: Int,
        at offset: off_t
    ) -> Int {
        switch call {
        case .pwrite:
            Glibc.pwrite(descriptor, buffers.pointee.iov_base, buffers.pointee.iov_len, offset)
        case .writeSynced: Int(realm_write_synced(descriptor, buffers, Int64(offset)))
        default: Glibc.pwritev(descriptor, buffers, Int32(truncatingIfNeeded: count), offset)
        }
    }

    /// Makes the call under an interceptor, which may allow fewer bytes than given.
    @inline(never)
    private static func interceptWrite(
        _ call: SystemCall, _ descriptor: Int32, from buffers: UnsafePointer<iovec>, count: Int,
        at offset: UInt64
    ) -> Int {
        let parts = Array(UnsafeBufferPointer(start: buffers, count: count))
        let context = SystemCallContext(
            call, descriptor: descriptor, offset: offset,
            length: UInt64(byteCount(buffers, count)), buffers: parts)
        return SystemInterceptor.intercept(context) { limit in
            guard let limit else {
                return rawWrite(call, descriptor, from: buffers, count: count, at: off_t(offset))
            }
            var remaining = limit
            let shortened = parts.map { part in
                let length = min(part.iov_len, remaining)
                remaining -= length
                return iovec(iov_base: part.iov_base, iov_len: length)
            }
            return shortened.withUnsafeBufferPointer {
                rawWrite(call, descriptor, from: $0.baseAddress!, count: count, at: off_t(offset))
            }
        }
    }
}
