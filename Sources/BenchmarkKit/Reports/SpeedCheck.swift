/// A target of the design for a speed or a size, with control rows of the same run. A missed target
/// is shown but never changes the exit code, because one run on a busy machine is no proof.
struct SpeedCheck: Sendable {
    /// The function that computes the outcome; it returns nil if the run lacks the row.
    var outcome: @Sendable (CheckedRows) -> Outcome?

    typealias Outcome = CheckOutcome
    typealias Control = CheckOutcome.Control

    static let all = core + objects + changes + migrations

    /// Returns the outcomes of the checks whose rows the run contains.
    static func outcomes(for results: [CaseResult]) -> [Outcome] {
        let rows = CheckedRows(results)
        return all.compactMap { $0.outcome(rows) }
    }
}

/// The rows that checks use: durable ones with plain files. The targets for encrypted files are in
/// ``EncryptionTable``.
struct CheckedRows: Sendable {
    private let rows: [CaseResult]

    init(_ results: [CaseResult]) {
        rows = results.filter {
            $0.status == .ok && $0.identifier.durability == .full && !$0.identifier.isEncrypted
        }
    }

    func rows(_ workload: String, engine: String = "realm") -> [CaseResult] {
        rows.filter { $0.identifier.workload == workload && $0.identifier.engine == engine }
    }

    /// Returns the row with a million objects if there is one, else the last row.
    func row(_ workload: String, _ strategy: String, engine: String = "realm") -> CaseResult? {
        let found = rows.filter {
            $0.identifier.workload == workload && $0.identifier.strategy == strategy
                && $0.identifier.engine == engine
        }
        return found.first { $0.identifier.size == 1_000_000 } ?? found.last
    }

    func row(_ workload: String, _ strategy: String, atLeast size: Int) -> CaseResult? {
        rows.first {
            $0.identifier.workload == workload && $0.identifier.strategy == strategy
                && $0.identifier.engine == "realm" && $0.identifier.size >= size
        }
    }

    /// Returns the figure of the same workload through tables, if the run has it, as a control
    /// without the cost of objects and queries.
    func tables(_ workload: String, _ value: (CaseResult) -> Double?) -> [SpeedCheck.Control] {
        guard let measured = row(workload, "engine").flatMap(value) else { return [] }
        return [SpeedCheck.Control(name: "tables", measured: measured)]
    }

    /// Returns the figure of the control row with the same workload and size, if the run has it.
    func control(
        _ strategy: String, of row: CaseResult, _ name: String,
        _ value: (CaseResult) -> Double?
    ) -> [SpeedCheck.Control] {
        let found = rows.first {
            $0.identifier.workload == row.identifier.workload
                && $0.identifier.strategy == strategy && $0.identifier.engine == "control"
                && $0.identifier.size == row.identifier.size
        }
        guard let measured = found.flatMap(value) else { return [] }
        return [SpeedCheck.Control(name: name, measured: measured)]
    }
}
