import StorageEngine
import ToolSupport

/// The engines of this program: the embedded engine and those that the executable registers.
public enum EngineCatalogue {
    private static let registered = Locked<[any BenchmarkEngine]>([])

    public static func register(_ engines: [any BenchmarkEngine]) {
        registered.withLock { $0 = engines }
    }

    public static var all: [any BenchmarkEngine] {
        [RealmObjectEngine(), RealmTableEngine()] + registered.withLock { $0 }
    }

    /// The names of the engines, each once.
    static var names: [String] {
        all.map { $0.name }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns an engine; nil if it lacks that layer. Throws if no engine has the name.
    static func engine(named name: String, layer: EngineLayer) throws -> (any BenchmarkEngine)? {
        let found = all.filter { $0.name == name }
        guard !found.isEmpty else {
            throw BenchmarkError(
                .usage, NameSuggestion.message(kind: "engine", name: name, among: names))
        }
        return found.first { $0.layer == layer }
    }
}
