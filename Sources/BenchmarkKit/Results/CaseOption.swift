/// An option that changes the work of a case, with its name on the command line.
enum CaseOption: String, CaseIterable, Sendable {
    case batchSize = "batch-size"
    case changes, count, input, observers, payload, rate, seconds, seed, sensors, size, threads
    case warmup

    /// The name of the option in the JSON file of a suite.
    var suiteKey: String { rawValue.replacing("-", with: "_") }
}

extension Set<CaseOption> {
    /// The names in the order of the alphabet, as text.
    var names: String { map(\.rawValue).sorted().joined(separator: ", ") }
}
