/// All workloads there are.
enum WorkloadCatalogue {
    static let all: [any Workload.Type] = [
        SensorsWorkload.self, CommitWorkload.self, InsertWorkload.self, InsertKeyedWorkload.self,
        LookupWorkload.self, PropertyReadWorkload.self, ScanWorkload.self, OpenWorkload.self,
    ]

    static func workload(named name: String) throws -> any Workload.Type {
        guard let workload = all.first(where: { $0.name == name }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(kind: "workload", name: name, among: all.map { $0.name }))
        }
        return workload
    }

    /// The case of one strategy, checked against what exists.
    static func makeCase(
        workload name: String, strategy: String, size: Int?, options: CaseOptions
    ) throws -> BenchmarkCase {
        let workload = try workload(named: name)
        guard workload.strategies.contains(where: { $0.name == strategy }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "strategy of the workload \(name)", name: strategy,
                    among: workload.strategies.map { $0.name }))
        }
        if let problem = options.problem {
            throw BenchmarkError(
                .usage, "The option \(problem.option) of \(name) \(problem.reason)")
        }
        if let size, !(1...1_000_000_000).contains(size) {
            throw BenchmarkError(
                .usage, "The size of \(name) must be from 1 to 1000000000, not \(size).")
        }
        let identifier = CaseIdentifier(
            workload: name, strategy: strategy,
            size: try workload.size(for: options, asked: size))
        return BenchmarkCase(
            identifier: identifier, layer: workload.layer(of: strategy), options: options)
    }
}
