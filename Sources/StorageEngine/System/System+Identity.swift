import CRealmSystem
import Glibc

/// Identity of processes, users and the machine, and time. None of these calls touches a file of
/// the database or fails in a way that matters, so interceptors do not see them.
extension System {
    package static var processID: UInt32 { UInt32(bitPattern: getpid()) }

    package static var effectiveUser: uid_t { geteuid() }

    /// The number of forks between the process that loaded this library and this one.
    package static var forkGeneration: UInt64 { realm_fork_generation() }

    /// Whether this process is a forked child, which has only a copy of the thread that forked. The
    /// worker threads of the parent's dispatch queues do not exist here and are not created again,
    /// so work put into a queue waits for ever.
    package static var isForkedChild: Bool { forkGeneration != 0 }

    /// Returns the name of the program that a process was started as. If that cannot be read,
    /// returns its first 15 bytes, which the kernel keeps. Returns nil if there is no such process,
    /// or none visible to this one.
    package static func processName(_ id: UInt32) -> String? {
        // The arguments, each terminated by a zero; empty for a process that is about to end.
        if let arguments = beginning(of: "/proc/\(id)/cmdline"),
            let end = arguments.firstIndex(of: 0)
        {
            let name = arguments[..<end].split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
            ).last
            if let name, !name.isEmpty { return String(decoding: name, as: UTF8.self) }
        }
        return beginning(of: "/proc/\(id)/comm").map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }

    /// Returns the result of a single read of a file, at most PATH_MAX bytes; nil if it is empty or
    /// cannot be read.
    private static func beginning(of path: String) -> ArraySlice<UInt8>? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? bytes[..<count] : nil
    }

    /// The time in nanoseconds of a monotonic clock that all processes share.
    package static var monotonicNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A number that differs between boots of the machine; nil if the system has none.
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
