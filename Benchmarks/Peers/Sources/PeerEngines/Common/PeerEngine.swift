import BenchmarkKit
import CallCounters

/// What all peers have in common.
protocol PeerEngine: BenchmarkEngine {}

extension PeerEngine {
    /// Counted where they are made, for all libraries of the process alike: the peers tell little
    /// of this themselves.
    var counters: IOCounters {
        let counts = call_counters_read()
        return IOCounters(
            syncs: counts.syncs, writeCalls: counts.write_calls, bytesWritten: counts.bytes_written)
    }

    func noLiveResults(_ feature: EngineFeature) -> String? {
        feature == .liveResults ? "What \(name) has found does not follow changes." : nil
    }

    /// Where an engine stores bytes, what stands for a query by an index is to look up a key.
    func noIndexedQueries(_ feature: EngineFeature) -> String? {
        switch feature {
        case .indexedNumbers, .typedQueries:
            "The engine \(name) has no queries: 'lookup' measures what stands for this one."
        default: nil
        }
    }

    /// Why a library that has neither objects nor records is left out where these are compared.
    func noObjects(_ feature: EngineFeature) -> String? {
        feature == .objects ? "The engine \(name) has no objects or records." : nil
    }
}

/// What a peer said when it failed, where, and on what.
func peerFailure(_ engine: String, _ action: String, _ path: String, _ reason: String)
    -> BenchmarkError
{
    BenchmarkError(.caseFailed, "\(engine) failed to \(action) '\(path)': \(reason).")
}

/// A store was asked for something that its layout has no key for: a mistake of the workload.
func missingKey(_ what: String, _ layout: PersonLayout) -> BenchmarkError {
    BenchmarkError(.internalError, "Persons with the layout \(layout.rawValue) have no \(what).")
}

/// A record that a workload counts on is not there.
func missingRecord(_ key: String) -> BenchmarkError {
    BenchmarkError(.caseFailed, "The record '\(key)' is missing.")
}
