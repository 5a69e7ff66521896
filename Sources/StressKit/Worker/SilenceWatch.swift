import StorageEngine

/// Decides when a process that says nothing hangs.
///
/// Not by the clock alone: on a crowded machine, or a slow disk, a sound process may be silent for
/// long. It hangs when it and its children have used so many seconds of processors without a word;
/// or when for as long none of them has used any, or wanted to; or, whatever they do, after
/// ten times as long.
struct SilenceWatch {
    private let process: Int32
    private let seconds: Double
    private let started = System.monotonicNanoseconds
    private var idleSince = System.monotonicNanoseconds
    /// Of processors; nil before the first look.
    private var secondsAtFirst: Double?
    private var secondsAtLast = 0.0

    /// Seconds between two looks.
    static let interval = 1.0
    private static let clockFactor = 10.0

    /// The silence of a process and its children begins now.
    init(of process: Int32, seconds: Double) {
        self.process = process
        self.seconds = seconds
    }

    /// Looks at the process; true if it hangs.
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
