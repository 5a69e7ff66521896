/// Cases that are to be compared with each other: the same workload with the same size, durability
/// and options, done in different ways, by different databases, or with and without encryption.
/// Their runs are interleaved, so that what the machine does meanwhile strikes all of them.
struct CaseGroup: Sendable {
    var cases: [BenchmarkCase]

    private struct Key: Hashable {
        var workload: String
        var size: Int
        var durability: Durability
        var options: CaseOptions
    }

    /// In the order of their first cases. Where databases are compared, no control takes turns with
    /// one of them.
    static func groups(of cases: [BenchmarkCase]) -> [CaseGroup] {
        var positions: [Key: Int] = [:]
        var groups: [CaseGroup] = []
        for benchmarkCase in cases {
            let identifier = benchmarkCase.identifier
            let key = Key(
                workload: identifier.workload, size: identifier.size,
                durability: identifier.durability, options: benchmarkCase.options)
            if let position = positions[key] {
                groups[position].cases.append(benchmarkCase)
            } else {
                positions[key] = groups.count
                groups.append(CaseGroup(cases: [benchmarkCase]))
            }
        }
        for position in groups.indices where groups[position].comparesDatabases {
            for index in groups[position].cases.indices {
                groups[position].cases[index].options.hasControl = false
            }
        }
        return groups
    }

    private var comparesDatabases: Bool {
        Set(cases.map(\.identifier.engine)).count > 1
            || Set(cases.map(\.identifier.isEncrypted)).count > 1
    }

    /// Positions of the cases in the order of a round, counted from 0: A B C, then C B A, so that
    /// a machine that grows slower treats the first and the last alike.
    func order(ofRound round: Int) -> [Int] {
        round % 2 == 0 ? Array(cases.indices) : cases.indices.reversed()
    }
}
