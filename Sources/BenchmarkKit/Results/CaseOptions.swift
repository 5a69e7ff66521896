/// The options of a case that a suite or the command line can set.
struct CaseOptions: Codable, Hashable, Sendable {
    /// The duration of the measurement in seconds; ignored when `count` is set.
    var seconds = 10.0
    /// The number of operations; nil means that `seconds` or, for workloads over objects, their
    /// number decides.
    var count: Int?
    /// The number of sensors in the workload Sensors; nil means as many as the recording has.
    var sensors: Int?
    var batchSize = 1000
    /// The number of observers of `notify`, and of objects that each of its commits changes; nil
    /// means the strategy's usual number.
    var observers: Int?
    var changes: Int?
    /// The requested number of threads; nil means the workload's usual number.
    var askedThreads: Int?
    /// The number of producer threads; for the strategy `processes`, of processes.
    var threads: Int {
        get { askedThreads ?? 1 }
        set { askedThreads = newValue }
    }
    /// The operations a second that begin whether or not the ones before are done (an open loop);
    /// nil means that each begins when the one before is done (a closed loop).
    var rate: Double?
    /// The number of random bytes added to every reading.
    var payload = 0
    var seed: UInt64 = 20_190_409
    /// The warm-up in seconds.
    var warmup = 0.0
    /// The path of a recording, or `synthetic`; nil means the recording in the package.
    var input: String?
    /// Whether a control without a database is interleaved with the measured work, if the workload
    /// has one. False where engines are compared, since only the embedded engine would pause for
    /// it.
    var hasControl = true

    /// The first option with a value that no case accepts, named as on the command line; nil if all
    /// are valid. The upper bounds keep a mistyped number from exhausting the machine.
    var problem: (option: String, reason: String)? {
        let numbers: [(option: String, value: Int?, range: ClosedRange<Int>)] = [
            ("count", count, 1...1_000_000_000_000), ("sensors", sensors, 1...100_000),
            ("batch-size", batchSize, 1...10_000_000), ("threads", threads, 1...1024),
            ("payload", payload, 0...1_000_000), ("observers", observers, 1...100_000),
            ("changes", changes, 1...10_000_000),
        ]
        for (option, value, range) in numbers {
            guard let value, !range.contains(value) else { continue }
            return (option, "must be from \(range.lowerBound) to \(range.upperBound).")
        }
        // The negated form also rejects NaN.
        if !(seconds > 0 && seconds <= 86_400) {
            return ("seconds", "must be above 0 and at most 86400, a day.")
        }
        if let rate, !(rate > 0 && rate <= 10_000_000) {
            return ("rate", "must be above 0 and at most 10000000.")
        }
        if !(warmup >= 0 && warmup <= 86_400) {
            return ("warmup", "must be from 0 to 86400, a day.")
        }
        return nil
    }
}
