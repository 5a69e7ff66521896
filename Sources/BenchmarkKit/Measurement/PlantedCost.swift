import CMeasurement
import Glibc

/// A cost that `selftest --counted` adds to cases, to see that the gate of counted metrics finds
/// it.
///
/// An allocation of one byte is made for each operation, on the thread whose allocations are
/// counted. A byte, a write call or a page is added to what the engine has counted, for each
/// commit. One alone in a whole case would vanish where the metric is rounded.
enum PlantedCost: String, CaseIterable, Sendable {
    case allocation, byte
    case writeCall = "write call"
    case page

    /// The environment variable with the cost. It is set for the processes of single cases only.
    static let variable = "REALM_BENCH_PLANTED_COST"

    /// The cost of this process.
    static let current: PlantedCost? = {
        // Foundation would copy the whole environment, and the first access happens while
        // allocations are counted.
        guard let found = getenv(variable) else { return nil }
        let text = String(cString: found)
        guard let cost = PlantedCost(rawValue: text) else {
            fatalError("\(variable) must name a cost, not '\(text)'.")
        }
        return cost
    }()

    /// The metric that grows.
    var metric: String {
        switch self {
        case .allocation: "allocations_per_op"
        case .byte: "bytes_written_per_commit"
        case .writeCall: "write_calls_per_commit"
        case .page: "pages_written_per_commit"
        }
    }

    static func allocate(operations: Int) {
        for _ in 0..<operations { realm_bench_allocate_byte() }
    }

    /// Returns what is added for some commits: their number, if this cost is planted.
    func added(byCommits commits: Int) -> Int { Self.current == self ? commits : 0 }
}
