/// The performance targets of the object workloads.
extension SpeedCheck {
    static let objects: [SpeedCheck] = [besideRecords, readsWithoutAllocation, flatMemory]

    /// The check that no work with objects takes longer than with GRDB's records. The closest pair
    /// of rows stands for all.
    private static let besideRecords = SpeedCheck { rows in
        typealias Pair = (row: CaseResult, rate: Double, ratio: Double)
        let pairs = jobs.flatMap { workload in
            rows.rows(workload).compactMap { row -> Pair? in
                let identifier = row.identifier
                let records = rows.rows(workload, engine: "grdb").first {
                    $0.identifier.strategy == identifier.strategy
                        && $0.identifier.size == identifier.size
                }
                guard let rate = records?.throughput, rate > 0, let own = row.throughput else {
                    return nil
                }
                return (row, rate, own / rate)
            }
        }
        guard let slowest = pairs.min(by: { $0.ratio < $1.ratio }) else { return nil }
        let identifier = slowest.row.identifier
        return Outcome(
            title: "\(identifier.workload)/\(identifier.strategy), the slowest of \(pairs.count) "
                + "jobs : GRDB", unit: "", bound: .atLeast, target: 1, measured: slowest.ratio,
            controls: [Control(name: "GRDB ops/s", measured: slowest.rate)],
            objection: objection(to: slowest.row, operations: fewestOperations))
    }

    private static let jobs =
        WorkloadCatalogue.all.filter { !$0.strategiesDoTheSameWork }.map { $0.name } + ["iterate"]

    /// The check that reads of properties with values of a fixed size do not allocate, by the kind
    /// that allocates most. Reading the process's counters around the reads takes some tens of
    /// allocations, whatever the number of reads.
    private static let readsWithoutAllocation = SpeedCheck { rows in
        let reads = rows.rows(ObjectReadWorkload.name).compactMap {
            row -> (kind: PropertyKind, allocations: Double, row: CaseResult)? in
            guard let kind = PropertyKind(rawValue: row.identifier.strategy), kind.isFixedWidth,
                let allocations = row.allocationsPerOperation
            else { return nil }
            return (kind, allocations, row)
        }
        guard let most = reads.max(by: { $0.allocations < $1.allocations }) else { return nil }
        return Outcome(
            title: "allocations of a read, most of \(reads.count) kinds (\(most.kind.rawValue))",
            unit: "", bound: .atMost, target: 0.001, measured: most.allocations,
            objection: objection(to: most.row, operations: fewestObjects, isTimed: false))
    }

    /// The check that objects which are not kept leave no memory behind. A million kept objects
    /// take a hundred times the bound.
    private static let flatMemory = SpeedCheck { rows in
        guard let row = rows.row(ObjectLoopWorkload.name, "results", atLeast: 1_000_000),
            let growth = row.measure("anonymous_growth_bytes")
        else { return nil }
        let kept = rows.rows(ObjectAccessorsWorkload.name)
            .first { $0.identifier.strategy == ItemWidth.ten.rawValue }
            .flatMap { $0.measure("kept_bytes_per_object") }
        return Outcome(
            title: title("memory of a loop", row), unit: "MB", bound: .atMost, target: 2,
            measured: growth / 1e6,
            controls: kept.map {
                [Control(name: "all kept", measured: $0 * Double(row.identifier.size) / 1e6)]
            } ?? [])
    }
}
