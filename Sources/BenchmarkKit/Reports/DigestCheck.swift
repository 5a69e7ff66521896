/// The check that rows with the same work have the same digest.
enum DigestCheck {
    /// Returns a sentence for each group of rows with the same workload, size, number of operations
    /// and seed but different digests.
    static func disagreements(in results: [CaseResult]) -> [String] {
        let comparable = results.filter { $0.digest != nil && $0.status == .ok }
        let groups = Dictionary(grouping: comparable) {
            "\(job(of: $0)), \($0.identifier.size) objects, "
                + "\($0.operations) operations, seed \($0.seed)"
        }
        return groups.sorted { $0.key < $1.key }.compactMap { name, rows in
            guard Set(rows.map { $0.digest }).count > 1 else { return nil }
            let digests = rows.map { "\($0.identifier.strategy) \($0.digest!)" }
            return "The results of \(name) differ: \(digests.joined(separator: ", "))."
        }
    }

    /// Returns the workload with what else decides on its result.
    private static func job(of row: CaseResult) -> String {
        let identifier = row.identifier
        let workload = try? WorkloadCatalogue.workload(named: identifier.workload)
        if workload?.strategiesDoTheSameWork == false {
            return "\(identifier.workload)/\(identifier.strategy)"
        }
        if workload?.resultDependsOnEngine == true {
            return "\(identifier.workload) with \(identifier.engine)"
        }
        guard workload?.resultDependsOnBatchSize == true, let batchSize = row.batchSize else {
            return identifier.workload
        }
        return "\(identifier.workload) in transactions of \(batchSize)"
    }
}
