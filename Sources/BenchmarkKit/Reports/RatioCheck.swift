/// A ratio of two rows of the same run that the design promises. A miss is shown, and never
/// changes the exit code: one run on a busy machine proves nothing.
struct RatioCheck: Sendable {
    /// What is compared, for people.
    var title: String
    var target: Double
    /// The measured ratio; nil if the run lacks a row.
    var ratio: @Sendable ([CaseResult]) -> Double?

    struct Outcome: Codable, Equatable {
        var title: String
        /// The least ratio that passes.
        var target: Double
        var measured: Double
        var passed: Bool
    }

    static let all: [RatioCheck] = [
        RatioCheck(title: "sensors/dedicated-thread : bare disk", target: 0.7) {
            row($0, "sensors", "dedicated-thread")?.measure("ratio_to_control")
        },
        RatioCheck(title: "commit/engine : bare disk", target: 0.7) {
            row($0, "commit", "engine")?.measure("ratio_to_control")
        },
        RatioCheck(title: "sensors/batched : sensors/dedicated-thread", target: 20) { rows in
            guard let batched = row(rows, "sensors", "batched")?.throughput,
                let single = row(rows, "sensors", "dedicated-thread")?.throughput, single > 0
            else { return nil }
            return batched / single
        },
    ]

    /// The checks whose rows the run has.
    static func outcomes(for results: [CaseResult]) -> [Outcome] {
        all.compactMap { check in
            guard let measured = check.ratio(results) else { return nil }
            return Outcome(
                title: check.title, target: check.target, measured: measured,
                passed: measured >= check.target)
        }
    }

    private static func row(_ rows: [CaseResult], _ workload: String, _ strategy: String)
        -> CaseResult?
    {
        rows.first {
            $0.identifier.workload == workload && $0.identifier.strategy == strategy
                && $0.identifier.engine == "realm" && $0.status == .ok
        }
    }
}

/// Rows that did the same work must have the same digest.
enum DigestCheck {
    /// A sentence for each group of rows that disagree: the same workload, size, number of
    /// operations and seed, but different digests.
    static func disagreements(in results: [CaseResult]) -> [String] {
        let comparable = results.filter { $0.digest != nil && $0.status == .ok }
        let groups = Dictionary(grouping: comparable) {
            "\($0.identifier.workload), \($0.identifier.size) objects, "
                + "\($0.operations) operations, seed \($0.seed)"
        }
        return groups.sorted { $0.key < $1.key }.compactMap { name, rows in
            guard Set(rows.map { $0.digest }).count > 1 else { return nil }
            let digests = rows.map { "\($0.identifier.strategy) \($0.digest!)" }
            return "The results of \(name) differ: \(digests.joined(separator: ", "))."
        }
    }
}
