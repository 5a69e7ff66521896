/// A speed or a size that the design promises, beside control rows of the same run. A miss is
/// shown, and never changes the exit code: one run on a busy machine proves nothing.
struct SpeedCheck: Sendable {
    enum Bound: String, Codable { case atLeast, atMost }

    /// Nil if the run lacks the row.
    var outcome: @Sendable (CheckedRows) -> Outcome?

    struct Outcome: Codable, Equatable {
        /// What is checked, with the number of objects where it matters.
        var title: String
        var unit: String
        var bound: Bound
        var target: Double
        var measured: Double
        /// What the machine does without the database, in the same run and the same unit unless
        /// the name says otherwise.
        var controls: [Control] = []

        var passed: Bool { bound == .atLeast ? measured >= target : measured <= target }
    }

    struct Control: Codable, Equatable {
        var name: String
        var measured: Double
    }

    static let all = core + objects

    /// The checks whose rows the run has.
    static func outcomes(for results: [CaseResult]) -> [Outcome] {
        let rows = CheckedRows(results)
        return all.compactMap { $0.outcome(rows) }
    }
}

/// Finds the rows that checks are about: durable ones, of plain files. What is promised of encrypted
/// files is in ``EncryptionTable``.
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

    /// Of several sizes, a million objects if there is that, else the last.
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

    /// The row of the same workload through tables, if the run has it: what is not the cost of
    /// objects and queries.
    func tables(_ workload: String, _ value: (CaseResult) -> Double?) -> [SpeedCheck.Control] {
        guard let measured = row(workload, "engine").flatMap(value) else { return [] }
        return [SpeedCheck.Control(name: "tables", measured: measured)]
    }

    /// The control row with the same workload and size, if the run has it.
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
