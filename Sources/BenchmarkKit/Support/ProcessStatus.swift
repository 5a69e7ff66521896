import CMeasurement
import Foundation
import Glibc

/// What `/proc` knows about this process. Reading it allocates nothing.
package enum ProcessStatus {
    /// Highest resident set size so far, in bytes (`VmHWM`).
    package static func peakResidentBytes() -> Int { statusField("VmHWM:") * 1024 }

    /// Resident set size now, in bytes (`VmRSS`).
    static func residentBytes() -> Int { statusField("VmRSS:") * 1024 }

    /// Of these, the memory that no file is behind, in bytes (`RssAnon`): what was allocated.
    static func anonymousBytes() -> Int { statusField("RssAnon:") * 1024 }

    /// Threads of this process now.
    static func threadCount() -> Int { statusField("Threads:") }

    /// Makes `peakResidentBytes` start again from what is resident now, where the kernel allows.
    static func resetPeakResidentBytes() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// The letter for what a process does, such as "R" (runs), "S" (sleeps), "T" (was stopped), "Z" (has
    /// ended); nil if there is none.
    package static func state(of process: Int32) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The name of the program, which may contain anything, is in parentheses.
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
