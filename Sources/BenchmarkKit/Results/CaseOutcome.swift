/// The outcome of a case.
struct CaseOutcome: Codable, Sendable {
    var results: [CaseResult]
    var timeline: [TimelinePoint] = []
    /// The growth of the file and the versions that readers pinned.
    var growth: [GrowthPoint] = []
    /// The histograms of the first row.
    var histograms: [HistogramKind: HistogramData] = [:]
    /// Whether the case failed because its disk was full.
    var isDiskFull = false
    /// The contents that a fresh process has to verify before the case counts.
    var verification: VerificationRequest?
}

/// One sample of the course of a run.
struct TimelinePoint: Codable, Equatable, Sendable {
    var elapsed: Double
    var operations: Int
    var fileBytes: Int
    var residentBytes: Int
}
