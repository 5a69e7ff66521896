/// The outcome of a case.
struct CaseOutcome: Codable, Sendable {
    var results: [CaseResult]
    var timeline: [TimelinePoint] = []
    /// The growth of the file and the versions that readers pinned.
    var growth: [GrowthPoint] = []
    /// The histograms of the first row.
    var histograms: [HistogramKind: HistogramData] = [:]
    /// The disk, if the case failed because it was full.
    var fullDisk: FullDisk?
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
