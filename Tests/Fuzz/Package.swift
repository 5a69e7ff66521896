// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because scripts/fuzz builds it with libFuzzer and sanitizers.
let package = Package(
    name: "engine-fuzz",
    dependencies: [.package(name: "realm-swift-linux", path: "../..")],
    targets: [
        .executableTarget(
            name: "EngineFuzz",
            dependencies: [.product(name: "StorageEngine", package: "realm-swift-linux")]),
        .executableTarget(
            name: "OperationFuzz",
            dependencies: [
                .product(name: "StorageEngine", package: "realm-swift-linux"),
                .product(name: "StressModel", package: "realm-swift-linux"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
