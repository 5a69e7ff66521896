/// The names of the hidden commands by which the harness starts processes of its own program.
enum HelperCommand {
    /// Tries the points that it reads.
    static let worker = "stress-worker"
    /// Carries out a workload until it is killed.
    static let victim = "stress-victim"
    /// Appends to lists beside other processes.
    static let appender = "stress-appender"
    /// Observes what other processes write.
    static let watcher = "stress-watcher"
}
