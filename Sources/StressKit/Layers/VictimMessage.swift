/// What a process says that is to be killed, a line each.
enum VictimMessage {
    static let open = "open"
    static let acknowledged = "acknowledged"
    /// Number of calls that changed files, those of closing included.
    static let calls = "calls"
    /// Number of times that sleepers of other processes were to be woken.
    static let wakes = "wakes"
    /// Number of calls for file locks.
    static let locks = "locks"
    /// A child was forked that will outlive this process.
    static let forked = "forked"
    /// A finding.
    static let problem = "problem"
}
