// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "bench-beside",
    dependencies: [
        .package(name: "realm-swift-linux", path: "../..", traits: ["Runner"])
    ],
    targets: [
        .executableTarget(
            name: "bench-beside",
            dependencies: [
                .product(name: "RealmBenchKit", package: "realm-swift-linux"),
                .product(name: "RealmSwift", package: "realm-swift-linux"),
            ], path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
