import CMeasurement
import Foundation
import Glibc

/// The status of this process in `/proc`. Reading it does not allocate, except for `state(of:)`.
package enum ProcessStatus {
    /// Returns the largest resident set size so far, in bytes (`VmHWM`).
    package static func peakResidentBytes() -> Int { statusField("VmHWM:") * 1024 }

    /// Returns the current resident set size, in bytes (`VmRSS`).
    package static func residentBytes() -> Int { statusField("VmRSS:") * 1024 }

    /// Returns the current resident bytes that are not backed by a file (`RssAnon`), such as heap
    /// memory.
    package static func anonymousBytes() -> Int { statusField("RssAnon:") * 1024 }

    /// Returns the current number of threads of this process.
    package static func threadCount() -> Int { statusField("Threads:") }

    /// Resets `peakResidentBytes` to the current resident set size, if the kernel allows it.
    package static func resetPeakResidentBytes() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// Returns the state letter of a process, such as "R" (running), "S" (sleeping), "T" (stopped)
    /// or "Z" (zombie); nil if the process does not exist.
    package static func state(of process: Int32) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The program name in parentheses may contain any character, including parentheses.
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[end...].split(separator: " ").dropFirst().first.map(String.init)
    }

    private static func statusField(_ label: StaticString) -> Int {
        label.utf8Start.withMemoryRebound(to: CChar.self, capacity: label.utf8CodeUnitCount) {
            max(0, realm_bench_status_field($0))
        }
    }
}
