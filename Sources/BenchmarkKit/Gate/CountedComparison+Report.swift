/// The outcome of a comparison of counted metrics by case.
extension CountedComparison {
    /// Returns an entry for each case of both sides.
    func entries(isStrict: Bool) -> [GateReport.Entry] {
        caseIds.map { caseId in
            let wrong = sentences(wrongResults, about: caseId)
            let own = differences.filter { $0.caseId == caseId }
            let bad = own.filter {
                $0.verdict == .regression || isStrict && $0.verdict == .improvement
            }
            let unsaid =
                sentences(incomparable, about: caseId)
                + own.filter { $0.verdict == .missing }.map {
                    "\($0.metric) is in the baseline, but was not measured."
                }
            if !wrong.isEmpty || !bad.isEmpty {
                return GateReport.Entry(
                    caseId: caseId, status: .failed, reasons: wrong + bad.map(\.sentence))
            }
            if !unsaid.isEmpty {
                return GateReport.Entry(caseId: caseId, status: .error, reasons: unsaid)
            }
            let passedOver =
                sentences(notGated, about: caseId)
                + (alone.contains(caseId) ? ["It is not in the baseline."] : [])
            return GateReport.Entry(
                caseId: caseId, status: passedOver.isEmpty ? .passed : .skipped,
                reasons: passedOver)
        }
    }

    /// Returns the sentences that begin with a case.
    private func sentences(_ all: [String], about caseId: String) -> [String] {
        all.filter { $0.hasPrefix(caseId + " ") || $0.hasPrefix(caseId + ":") }
    }
}

extension CountedComparison.Difference {
    /// The difference in words.
    var sentence: String {
        let values = ([baseline] + otherBaselines).map { ColumnCatalogue.decimal($0) }
        return "\(metric) is \(ColumnCatalogue.decimal(now)), in the baseline "
            + values.joined(separator: " or ") + (change.map { " (\(Percent.signed($0)))" } ?? "")
            + "."
    }
}

extension MetricRow {
    /// The counted metrics of a row that repeats, for programs that follow them.
    var countedFigures: [GateReport.Figure] {
        guard isDeterministic else { return [] }
        return GatedMetric.all.compactMap { metric in
            counted[metric.name].map {
                GateReport.Figure(
                    name: "\(caseId) \(metric.name)", unit: metric.unit, value: $0)
            }
        }
    }
}

extension GatedMetric {
    /// The unit, by the end of the name.
    var unit: String {
        name.contains("bytes") ? "bytes" : name.hasSuffix("_per_commit") ? "per commit" : "per op"
    }
}
