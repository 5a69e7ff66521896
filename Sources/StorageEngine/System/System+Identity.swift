import CRealmSystem
import Glibc

/// Who and when. None of these touch a file of the database, and none can fail in a way that
/// matters, so interceptors do not see them.
extension System {
    package static var processID: UInt32 { UInt32(bitPattern: getpid()) }

    package static var effectiveUser: uid_t { geteuid() }

    /// How many forks lie between the process that loaded this library and this one.
    package static var forkGeneration: UInt64 { realm_fork_generation() }

    /// Whether this process is a copy of another one, of which it has one thread. The threads of
    /// queues that the parent used are not among what was copied, and nobody makes new ones: what
    /// is put into a queue waits for ever.
    package static var isForkedChild: Bool { forkGeneration != 0 }

    /// The name of the program that a process was started as, or, where that cannot be read, the
    /// first 15 bytes of it, which the kernel keeps; nil if there is no such process, or none that
    /// this one may see.
    package static func processName(_ id: UInt32) -> String? {
        // The arguments, each ended by a zero; empty of a process that is about to end.
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

    /// What one read of a file gives, at most the length of the longest path; nil if that is
    /// nothing.
    private static func beginning(of path: String) -> ArraySlice<UInt8>? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? bytes[..<count] : nil
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
