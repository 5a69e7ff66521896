/// The environment of a case: its directories, its allocation counters and its progress channel.
struct CaseEnvironment: Sendable {
    /// The directory for this case alone, empty at the start and removed by the caller.
    var directory: String
    /// The directory shared by the cases of a run, for fixtures that are costly to create and then
    /// only read.
    var fixtures: String
    var allocations: AllocationProbe?
    /// The function that reports the progress to the user.
    var progress: @Sendable (ProgressUpdate) -> Void
}

/// The progress of a case.
struct ProgressUpdate: Codable, Sendable {
    /// The current phase: `running`, `preparing` or `closing`.
    var phase: String
    /// The completed fraction, from 0 to 1; nil if unknown.
    var fraction: Double?
    var secondsLeft: Double?
    var operationsPerSecond: Double?
}
