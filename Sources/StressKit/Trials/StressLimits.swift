import Glibc

/// Limits on what a worker may use. Exceeding one is a finding.
package struct StressLimits: Equatable, Sendable {
    /// Seconds without a message after which a worker counts as hung.
    package var silenceSeconds = 60.0
    package var fileBytes = 1 << 30
    /// Largest allowed peak of resident memory.
    package var memoryBytes = 2 << 30

    package init() {}

    /// Applies the limits to this process, a worker. A write beyond the file size limit fails, or a
    /// signal ends this process or the child that made it.
    func applyToThisProcess() {
        // The parent of the runner may have ignored the signal, which children inherit.
        signal(SIGXFSZ, SIG_DFL)
        var files = rlimit(rlim_cur: rlim_t(fileBytes), rlim_max: rlim_t(fileBytes))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &files)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    }
}
