// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that whoever builds the library or `realm-bench` compiles none of it.
let package = Package(
    name: "realm-bench-peers",
    products: [
        .executable(name: "realm-bench-peers", targets: ["realm-bench-peers"])
    ],
    dependencies: [
        .package(name: "realm-swift-linux", path: "../..", traits: ["Runner"]),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLMDB", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CRocksDB", providers: [.apt(["librocksdb-dev"])]),
        .target(name: "RocksDBVersion"),
        // An executable's own symbols stand in for the shared libraries' only if it exports them.
        .target(
            name: "CallCounters",
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
        .target(
            name: "PeerEngines",
            dependencies: [
                "CSQLite", "CLMDB", "CRocksDB", "RocksDBVersion", "CallCounters",
                .product(name: "BenchmarkKit", package: "realm-swift-linux"),
                .product(name: "ToolSupport", package: "realm-swift-linux"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
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
