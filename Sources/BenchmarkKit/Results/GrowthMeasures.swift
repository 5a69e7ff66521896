extension MeasureCatalogue {
    /// The measures of the workload growth only.
    static let growth: [(name: String, meaning: String)] = [
        ("growth_bytes_per_commit", "Bytes by which the file grew / commits."),
        (
            "bytes_over_live_and_snapshot",
            "Largest file size - live bytes at the end - live bytes of the snapshot at the start: "
                + "what neither the newest version nor one pinned version explains."
        ),
    ]
}
