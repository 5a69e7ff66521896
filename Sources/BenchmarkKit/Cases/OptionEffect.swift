import ToolSupport

extension Workload {
    /// Returns the options that change the work of a strategy's case, given the values of all of
    /// them: where a number of operations is given, the seconds do nothing.
    func heededOptions(of strategy: Strategy, with values: CaseOptions) -> Set<CaseOption> {
        var heeded = options.union(strategy.furtherOptions)
        if values.count != nil, heeded.contains(.count) {
            heeded.remove(.seconds)
            if countIsSize { heeded.remove(.size) }
        }
        return heeded.subtracting(idleOptions(values))
    }
}

extension BenchmarkCase {
    /// The options that change the work of this case.
    func heededOptions() throws -> Set<CaseOption> {
        let workload = try WorkloadCatalogue.workload(named: identifier.workload)
        guard let strategy = workload.strategy(named: identifier.strategy) else { return [] }
        return workload.heededOptions(of: strategy, with: options)
    }
}

// MARK: Options without effect

extension OptionOverrides {
    /// The options that the command line sets or sweeps.
    var given: Set<CaseOption> {
        var given = Set(sweeps.compactMap { CaseOption(rawValue: $0.name) })
        let set: [(CaseOption, Bool)] = [
            (.batchSize, batchSize != nil), (.changes, changes != nil), (.count, count != nil),
            (.input, input != nil), (.observers, observers != nil), (.payload, payload != nil),
            (.rate, rate != nil), (.seconds, seconds != nil), (.seed, seed != nil),
            (.sensors, sensors != nil), (.size, size != nil), (.threads, threads != nil),
            (.warmup, warmup != nil),
        ]
        for (option, isSet) in set where isSet { given.insert(option) }
        return given
    }

    /// Checks that each option of the command line changes some of the cases. Returns a sentence
    /// for each option that does not change all of them.
    ///
    /// - Throws: a usage error for an option that changes none.
    func checkEffect(on cases: [BenchmarkCase]) throws -> [String] {
        var notes: [String] = []
        for option in given.sorted(by: { $0.rawValue < $1.rawValue }) {
            let others = try cases.filter { try !$0.heededOptions().contains(option) }
            guard let first = others.first else { continue }
            var names: [String] = []
            for identifier in others.map(\.identifier) {
                let name = "\(identifier.workload)/\(identifier.strategy)"
                if !names.contains(name) { names.append(name) }
            }
            let shown =
                names.prefix(3).joined(separator: ", ")
                + (names.count > 3 ? " and \(names.count - 3) more" : "")
            guard others.count < cases.count else {
                throw BenchmarkError(
                    .usage,
                    "--\(option.rawValue) has no effect on \(shown). What changes "
                        + "\(names[0])\(first.circumstances): "
                        + (try first.heededOptions()).names + ".")
            }
            notes.append(
                "--\(option.rawValue) has no effect on \(others.count) of \(cases.count) cases: "
                    + "\(shown).")
        }
        return notes
    }
}

extension BenchmarkCase {
    /// What decides that some options have no effect.
    fileprivate var circumstances: String {
        options.count == nil ? "" : " with a count of \(options.count ?? 0)"
    }
}
