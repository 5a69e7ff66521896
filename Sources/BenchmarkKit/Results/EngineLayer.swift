/// The interface through which a workload uses an engine.
public enum EngineLayer: String, Codable, Sendable {
    /// The object interface, which applications use.
    case api
    /// The interface closest to the storage.
    case engine
}
