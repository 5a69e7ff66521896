/// What may be set for a case, by a suite or on the command line.
struct CaseOptions: Codable, Hashable, Sendable {
    /// How long to measure; ignored when `count` is set.
    var seconds = 10.0
    /// How many operations; nil means by time (or, for cases over objects, their own number).
    var count: Int?
    /// Sensors; nil means as many as the recording has.
    var sensors: Int?
    var batchSize = 1000
    /// Threads that somebody asked for; nil means as many as the workload usually has.
    var askedThreads: Int?
    /// Producer threads; for the strategy `processes`, processes.
    var threads: Int {
        get { askedThreads ?? 1 }
        set { askedThreads = newValue }
    }
    /// Random bytes added to every reading.
    var payload = 0
    var seed: UInt64 = 20_190_409
    /// Seconds of the workload before measuring begins.
    var warmup = 0.0
    /// A recording's path, or `synthetic`; nil means the recording that comes with the package.
    var input: String?
    /// Whether a control without a database takes turns with the measured work, where a workload has
    /// one. False where engines are compared: only the embedded one would pause for it.
    var hasControl = true

    /// The first option that no case can work with, named as on the command line; nil if all are
    /// sensible. The upper ends keep a mistyped number from exhausting the machine.
    var problem: (option: String, reason: String)? {
        let numbers: [(option: String, value: Int?, range: ClosedRange<Int>)] = [
            ("count", count, 1...1_000_000_000_000), ("sensors", sensors, 1...100_000),
            ("batch-size", batchSize, 1...10_000_000), ("threads", threads, 1...1024),
            ("payload", payload, 0...1_000_000),
        ]
        for (option, value, range) in numbers {
            guard let value, !range.contains(value) else { continue }
            return (option, "must be from \(range.lowerBound) to \(range.upperBound).")
        }
        // Written so that NaN is refused as well.
        if !(seconds > 0 && seconds <= 86_400) {
            return ("seconds", "must be above 0 and at most 86400, a day.")
        }
        if !(warmup >= 0 && warmup <= 86_400) {
            return ("warmup", "must be from 0 to 86400, a day.")
        }
        return nil
    }
}
