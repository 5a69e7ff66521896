import StorageEngine
import ToolSupport

/// Decides when a silent process hangs.
///
/// Elapsed time alone does not decide it: on a busy machine, or a slow disk, a sound process may be
/// silent for long. A process hangs if, without a message, it and its children have used `seconds`
/// of processor time, or have neither used nor wanted any for `seconds`. In any case it hangs after
/// ten times as long.
struct SilenceWatch {
    private let process: Int32
    private let seconds: Double
    private let started = System.monotonicNanoseconds
    private var idleSince = System.monotonicNanoseconds
    /// Processor time at the first look, nil before it.
    private var secondsAtFirst: Double?
    private var secondsAtLast = 0.0

    /// Seconds between two looks.
    static let interval = 1.0
    private static let clockFactor = 10.0

    /// Begins the silence of a process and its children.
    init(of process: Int32, seconds: Double) {
        self.process = process
        self.seconds = seconds
    }

    /// Looks at the process. True if it hangs.
    mutating func looksHung() -> Bool {
        let family = ProcessFamily(of: process)
        let used = family.processorSeconds
        let now = System.monotonicNanoseconds
        let first = secondsAtFirst ?? used
        if secondsAtFirst != nil, family.wantsProcessor || used > secondsAtLast { idleSince = now }
        secondsAtFirst = first
        secondsAtLast = used
        return used - first >= seconds || Self.seconds(from: idleSince, to: now) >= seconds
            || Self.seconds(from: started, to: now) >= seconds * Self.clockFactor
    }

    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        Double(end - start) / 1e9
    }
}
