import ToolSupport

extension BenchmarkCase {
    /// The environment variables of the processes that run and verify the case.
    var processEnvironment: [String: String] {
        FileEncryption.environment(isEncrypted: identifier.isEncrypted)
    }

    /// Returns the database that the case measures.
    func engine() throws -> any BenchmarkEngine {
        let name = identifier.engine
        let layers = EngineLayer(rawValue: layer).map { [$0] } ?? [.api, .engine]
        for layer in layers {
            if let found = try EngineCatalogue.engine(named: name, layer: layer) { return found }
        }
        throw BenchmarkError(.usage, "The engine \(name) has no layer '\(layer)'.")
    }
}
