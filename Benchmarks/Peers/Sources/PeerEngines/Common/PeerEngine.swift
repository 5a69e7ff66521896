import BenchmarkKit
import CallCounters
import ToolSupport

/// The common properties of the peers.
protocol PeerEngine: BenchmarkEngine {}

extension PeerEngine {
    /// The system calls, counted where they are made and for all libraries of the process alike;
    /// the peers themselves report few of them.
    var counters: IOCounters {
        let counts = call_counters_read()
        return IOCounters(
            syncs: counts.syncs, writeCalls: counts.write_calls, bytesWritten: counts.bytes_written)
    }

    /// Returns why a peer is not measured with what follows changes.
    func noLiveResults(_ feature: EngineFeature) -> String? {
        switch feature {
        case .liveResults: "What \(name) has found does not follow changes."
        case .observers where layer == .engine: "The engine \(name) tells nobody what changes."
        default: nil
        }
    }

    /// Returns why a byte-oriented engine is not measured with indexed queries, whose counterpart
    /// is a lookup by key.
    func noIndexedQueries(_ feature: EngineFeature) -> String? {
        switch feature {
        case .indexedNumbers, .typedQueries:
            "The engine \(name) has no queries: 'lookup' measures what stands for this one."
        default: nil
        }
    }

    /// Returns why a byte-oriented engine is not measured with migrations.
    func noMigrations(_ feature: EngineFeature) -> String? {
        feature == .migrations ? "The engine \(name) knows no properties that could change." : nil
    }

    /// Returns why a library without objects and records is left out of the comparison of these.
    func noObjects(_ feature: EngineFeature) -> String? {
        feature == .objects ? "The engine \(name) has no objects or records." : nil
    }
}

/// Returns the error for a failed call of a peer, with the action, the path and the peer's reason.
func peerFailure(_ engine: String, _ action: String, _ path: String, _ reason: String)
    -> BenchmarkError
{
    BenchmarkError(.caseFailed, "\(engine) failed to \(action) '\(path)': \(reason).")
}

/// Returns the error for a query that the layout has no key for, which is a mistake of the
/// workload.
func missingKey(_ what: String, _ layout: PersonLayout) -> BenchmarkError {
    BenchmarkError(.internalError, "Persons with the layout \(layout.rawValue) have no \(what).")
}

/// Returns the error for a missing record that a workload requires.
func missingRecord(_ key: String) -> BenchmarkError {
    BenchmarkError(.caseFailed, "The record '\(key)' is missing.")
}
