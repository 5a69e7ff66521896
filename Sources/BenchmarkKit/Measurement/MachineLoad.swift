import Foundation
import Glibc
import ToolSupport

/// The processor time that other processes used while a case ran: the busy time of the machine
/// minus that of this process and of its ended children.
struct MachineLoad {
    private let start: UInt64
    private let busyTicks: Double
    private let ownSeconds: Double

    init() {
        start = monotonicNanoseconds()
        busyTicks = Self.machineBusyTicks()
        ownSeconds = Self.ownProcessorSeconds()
    }

    /// Returns the average number of cores that other processes kept busy since this value was
    /// created.
    func otherCores() -> Double {
        let elapsed = seconds(from: start, to: monotonicNanoseconds())
        guard elapsed > 0 else { return 0 }
        let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        let machine = (Self.machineBusyTicks() - busyTicks) / ticksPerSecond
        let own = Self.ownProcessorSeconds() - ownSeconds
        return max(0, (machine - own) / elapsed)
    }

    /// Returns the user, nice, system, interrupt and stolen time of the machine, without the idle
    /// time and the time waiting for devices.
    private static func machineBusyTicks() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = text.split(separator: "\n").first
        else { return 0 }
        let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard fields.count >= 8 else { return 0 }
        return fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]
    }

    private static func ownProcessorSeconds() -> Double {
        [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { sum, who in
            var usage = rusage()
            getrusage(who, &usage)
            return sum + Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
    }
}
