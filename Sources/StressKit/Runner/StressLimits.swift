import Glibc

/// What a worker may take. More than that is something found.
package struct StressLimits: Equatable, Sendable {
    /// Seconds without a word from a worker, after which it hangs.
    package var silenceSeconds = 60.0
    package var fileBytes = 1 << 30
    /// Resident at the most.
    package var memoryBytes = 2 << 30

    package init() {}

    /// In the worker. A write beyond the limit fails, or ends the process, or one that it starts, by
    /// a signal.
    func applyToThisProcess() {
        // Whoever started the runner may have ignored it, which is inherited.
        signal(SIGXFSZ, SIG_DFL)
        var files = rlimit(rlim_cur: rlim_t(fileBytes), rlim_max: rlim_t(fileBytes))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &files)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    }
}
