// swift-tools-version: 6.1
import Foundation
import PackageDescription

/// What the file `engine.json` in a peer's folder says about its libraries (docs/peers.md).
struct Peer: Decodable {
    struct SwiftPackage: Decodable {
        var url, version, product: String
    }

    /// The folder in `Sources/PeerEngines`.
    var folder = ""
    /// The packages of Debian or Ubuntu that `modules` need.
    var packages: [String]
    /// The module maps of C libraries, in folders of their own in `Sources`.
    var modules: [String]
    /// Further targets of this package.
    var targets: [String]?
    var swift_package: SwiftPackage?

    private enum CodingKeys: CodingKey { case packages, modules, targets, swift_package }
}

func loadPeers() -> [Peer] {
    let root = Context.packageDirectory + "/Sources/PeerEngines"
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return folders.sorted().compactMap { folder in
        guard let data = FileManager.default.contents(atPath: "\(root)/\(folder)/engine.json")
        else { return nil }
        do {
            var peer = try JSONDecoder().decode(Peer.self, from: data)
            peer.folder = folder
            return peer
        } catch { fatalError("\(root)/\(folder)/engine.json: \(error)") }
    }
}

let peers = loadPeers()
let swiftPackages = peers.compactMap(\.swift_package)
/// The C modules with the packages that they need. Peers may share one.
let modules = Dictionary(
    peers.flatMap { peer in peer.modules.map { ($0, peer.packages) } },
    uniquingKeysWith: { first, _ in first })
let ownTargets = peers.flatMap { $0.targets ?? [] }

// A package of its own, so that whoever builds the library or `realm-bench` compiles none of it.
let package = Package(
    name: "realm-bench-peers",
    products: [
        .executable(name: "realm-bench-peers", targets: ["realm-bench-peers"])
    ],
    dependencies: [
        .package(name: "realm-swift-linux", path: "../..", traits: ["Runner"])
    ]
        + swiftPackages.map {
            .package(url: $0.url, exact: Version($0.version)!)
        },
    targets: modules.sorted { $0.key < $1.key }.map { module, packages in
        .systemLibrary(name: module, providers: [.apt(packages)])
    }
        + ownTargets.map { .target(name: $0) }
        + [
            // An executable's own symbols stand in for the shared libraries' only if it exports
            // them.
            .target(
                name: "CallCounters",
                linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
            .target(
                name: "PeerEngines",
                dependencies: modules.keys.sorted().map { .target(name: $0) }
                    + ownTargets.map { .target(name: $0) }
                    + swiftPackages.map {
                        .product(
                            name: $0.product,
                            package: URL(string: $0.url)!.lastPathComponent)
                    }
                    + [
                        "CallCounters",
                        .product(name: "BenchmarkKit", package: "realm-swift-linux"),
                        .product(name: "ToolSupport", package: "realm-swift-linux"),
                    ],
                exclude: peers.map { $0.folder + "/engine.json" }),
            .executableTarget(
                name: "realm-bench-peers",
                dependencies: [
                    "PeerEngines",
                    .product(name: "BenchmarkKit", package: "realm-swift-linux"),
                    .product(name: "JemallocCounters", package: "realm-swift-linux"),
                ]),
            .testTarget(
                name: "PeerEnginesTests",
                dependencies: [
                    "PeerEngines",
                    .product(name: "BenchmarkKit", package: "realm-swift-linux"),
                    .product(name: "ToolSupport", package: "realm-swift-linux"),
                ]),
        ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17,
    cxxLanguageStandard: .gnucxx17
)
