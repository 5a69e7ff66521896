import Foundation
import ToolSupport

/// The description of a peer engine, which is the file `engine.json` in its folder. Programs
/// without the peers read it as well, so that they know the names and draw reports of runs with
/// peers.
struct PeerDescription: Decodable, Equatable, Sendable {
    var name: String
    var layer: EngineLayer
    /// The place in tables and pictures, from 1.
    var order: Int
    /// The colour in pictures, as in `#009e73`.
    var color: String
    /// The packages of Debian or Ubuntu that have the engine's library.
    var packages: [String]

    /// Further configurations of the engine, which are engines with names of their own.
    var variants: [Variant]?

    struct Variant: Decodable, Equatable, Sendable {
        var name: String
        var color: String
    }

    /// This engine and its variants.
    private var all: [PeerDescription] {
        [self]
            + (variants ?? []).map {
                var variant = self
                (variant.name, variant.color, variant.variants) = ($0.name, $0.color, nil)
                return variant
            }
    }

    /// All peers in their order, each before its variants; none outside of the package's folder.
    static let all: [PeerDescription] = {
        guard let package = try? ResourceLocator.packageDirectory() else { return [] }
        let folder = package.appendingPathComponent("Benchmarks/Peers/Sources/PeerEngines").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)/engine.json")
                .flatMap { try? JSONDecoder().decode(PeerDescription.self, from: $0) }
        }.sorted { $0.order < $1.order }.flatMap(\.all)
    }()
}
