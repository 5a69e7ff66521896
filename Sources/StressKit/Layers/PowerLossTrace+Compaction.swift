import StorageEngine
import StressModel

/// Compaction, which replaces a file with a packed one. Until the rename is durable, a power loss
/// leaves either file at the path.
extension PowerLossTrace {
    /// Compacts the file that a moment left, continues the workload, and returns the moments of
    /// both files.
    func recordCompaction(
        from start: PowerLossHistory.Moment, _ seals: inout SealUse
    ) throws -> [PowerLossHistory.Moment] {
        let events = try traceOfCompaction(start)
        guard
            let renaming = events.firstIndex(where: {
                if case .rename = $0.change { true } else { false }
            }), let newPath = events[renaming].path
        else { throw Finding(.wrongState, "a compaction replaced nothing.") }
        let newEvents = events.filter { $0.path == newPath }
        if try point.options().encryptionKey != nil { try seals.add(newEvents) }
        var new = PowerLossHistory(
            durable: [], pending: [], acknowledged: start.acknowledged, headBytes: 0)
        for event in events[..<renaming] where event.path == newPath { new.add(event) }
        var atRenaming = new.moments.last!
        // Made again with the size of the head, which is known only now that the header is written.
        atRenaming = PowerLossHistory.Moment(
            durable: atRenaming.durable, pending: atRenaming.pending,
            acknowledged: start.acknowledged,
            headBytes: HeaderFields(of: atRenaming.present).headBytes)
        let after = try record(from: atRenaming, &seals)
        var old = start
        let isDurable = events[renaming...].contains { $0.change == .syncDirectory }
        // If the rename is not durable, a power loss may bring back the old file, without anything
        // acknowledged since. Such a loss is a finding.
        if !isDurable { old.acknowledged = after.moments.last!.acknowledged }
        return [old, atRenaming] + after.decisiveMoments
    }

    /// Returns the trace of a compaction, with the calls on all files.
    private func traceOfCompaction(
        _ start: PowerLossHistory.Moment
    ) throws -> [SystemTraceEvent] {
        let path = trial.file("traced")
        try trial.write(start.present, to: path)
        defer { trial.remove(path) }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        try trial.compactAlone(path, point.options())
        return interceptor.trace
    }
}
