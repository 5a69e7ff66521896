/// Cases that are compared with each other: the same workload with the same size, durability and
/// options, by different strategies, by different databases, or with and without encryption. Their
/// runs are interleaved, so that disturbances of the machine affect all of them.
struct CaseGroup: Sendable {
    var cases: [BenchmarkCase]

    private struct Key: Hashable {
        var workload: String
        var size: Int
        var durability: Durability
        var options: CaseOptions
    }

    /// Returns the groups in the order of their first cases. Where databases are compared, the
    /// control is switched off, since only one of them would be interleaved with it.
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

    /// Returns the positions of the cases, from 0, in the order of a round: A B C, then C B A. A
    /// machine that slows down thus treats the first and the last alike.
    func order(ofRound round: Int) -> [Int] {
        round % 2 == 0 ? Array(cases.indices) : cases.indices.reversed()
    }
}
