/// The failures that a committed transaction survives. Engines are compared only at equal
/// durability.
public enum Durability: String, Codable, CaseIterable, Sendable {
    /// Commits survive a power failure at any later moment.
    case full
    /// Commits survive the death of the process. A power failure loses at most the newest commits,
    /// never the file.
    case relaxed
    /// Commits survive the death of the process. A power failure may lose the file.
    case unsynced
    /// Commits survive nothing, since there is no file.
    case memory
}
