// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that whoever builds the library or `realm` fetches and compiles no
// server.
let package = Package(
    name: "realm-studio",
    products: [
        .executable(name: "realm-studio", targets: ["realm-studio"])
    ],
    dependencies: [
        .package(name: "realm-swift-linux", path: "..", traits: ["Runner"]),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "StudioKit",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "BenchmarkKit", package: "realm-swift-linux"),
                .product(name: "RealmTool", package: "realm-swift-linux"),
                .product(name: "StorageEngine", package: "realm-swift-linux"),
                .product(name: "ToolSupport", package: "realm-swift-linux"),
            ],
            resources: [.copy("Page")]),
        .executableTarget(name: "realm-studio", dependencies: ["StudioKit"]),
    ],
    swiftLanguageModes: [.v6]
)
