import Glibc

/// The page faults and context switches of the whole process in a measured region, which may
/// consist of several parts.
struct ProcessCosts: Codable, Sendable {
    private(set) var pageFaults = 0
    private(set) var contextSwitches = 0
    private var start: Counts?

    private struct Counts: Codable {
        var pageFaults: Int
        var contextSwitches: Int

        static var now: Counts {
            var usage = rusage()
            getrusage(RUSAGE_SELF.rawValue, &usage)
            return Counts(
                pageFaults: Int(usage.ru_minflt + usage.ru_majflt),
                contextSwitches: Int(usage.ru_nvcsw + usage.ru_nivcsw))
        }
    }

    /// Begins a part of the region.
    mutating func resume() { start = .now }

    /// Ends a part of the region.
    mutating func pause() {
        guard let start else { return }
        let now = Counts.now
        pageFaults += now.pageFaults - start.pageFaults
        contextSwitches += now.contextSwitches - start.contextSwitches
        self.start = nil
    }

    /// Adds the costs of another process or region.
    mutating func add(_ other: ProcessCosts) {
        pageFaults += other.pageFaults
        contextSwitches += other.contextSwitches
    }

    func fill(_ result: inout CaseResult) {
        result.pageFaults = pageFaults
        result.contextSwitches = contextSwitches
    }
}
