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
        let identifier = CaseIdentifier(
            workload: name, strategy: strategy,
            size: try workload.size(for: options, asked: size))
        return BenchmarkCase(
            identifier: identifier, layer: workload.layer(of: strategy), options: options)
    }
}
