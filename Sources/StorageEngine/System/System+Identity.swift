import CRealmSystem
import Glibc

/// Who and when. None of these touch a file of the database, and none can fail in a way that
/// matters, so interceptors do not see them.
extension System {
    package static var processID: UInt32 { UInt32(bitPattern: getpid()) }

    /// What the system calls a process, at most 15 bytes; nil if there is no such process, or none
    /// that this one may see.
    package static func processName(_ id: UInt32) -> String? {
        let descriptor = Glibc.open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = Glibc.close(descriptor) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor, &text, text.count)
        guard count > 0 else { return nil }
        return String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Nanoseconds of a clock that only goes forward and that all processes share.
    package static var monotonicNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A number that differs between starts of the machine; nil where the system has none.
    package static let bootID: (UInt64, UInt64)? = {
        let descriptor = Glibc.open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = Glibc.close(descriptor) }
        var text = [UInt8](repeating: 0, count: 36)
        guard Glibc.read(descriptor, &text, text.count) == text.count else { return nil }
        let digits = text.filter { $0 != UInt8(ascii: "-") }.map { Character(Unicode.Scalar($0)) }
        guard digits.count == 32, let high = UInt64(String(digits[..<16]), radix: 16),
            let low = UInt64(String(digits[16...]), radix: 16)
        else { return nil }
        return (high, low)
    }()

    package static func sleep(nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var rest = timespec()
        while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }
}
