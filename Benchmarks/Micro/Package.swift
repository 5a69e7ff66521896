// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "micro",
    dependencies: [
        .package(name: "realm-swift-linux", path: "../.."),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "EngineMicro",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "RealmSwift", package: "realm-swift-linux"),
                .product(name: "StorageEngine", package: "realm-swift-linux"),
            ],
            path: "Benchmarks/EngineMicro",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    ],
    swiftLanguageModes: [.v6]
)
