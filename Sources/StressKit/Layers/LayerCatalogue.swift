import ToolSupport

/// All layers, in the order in which they run.
package enum LayerCatalogue {
    package static let all: [any StressLayer] = [
        ProcessDeathLayer(), PowerLossLayer(), FailingCallsLayer(), DiskFullLayer(),
        HostileFilesLayer(), PinnedReadersLayer(), ManyWritersLayer(), StagedLayer(),
        LongRunsLayer(), ObserversLayer(), AsyncWritesLayer(), MigrationsLayer(),
    ]

    /// Returns the layer with this name.
    ///
    /// - Throws: a usage error for an unknown name.
    package static func layer(named name: String) throws -> any StressLayer {
        guard let layer = all.first(where: { $0.name == name }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(kind: "layer", name: name, among: all.map(\.name)))
        }
        return layer
    }

    /// Returns the layer of a point.
    ///
    /// - Throws: a usage error if the layer, its scenario or a setting is unknown.
    package static func layer(of point: StressPoint) throws -> any StressLayer {
        let layer = try layer(named: point.layer)
        let scenarios = layer.scenarios.map(\.name)
        guard scenarios.contains(point.scenario) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "scenario of \(layer.name)", name: point.scenario, among: scenarios))
        }
        for setting in point.settingNames where !layer.settings.contains(setting) {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "setting of \(layer.name)", name: setting, among: layer.settings))
        }
        return layer
    }
}
