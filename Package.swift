// swift-tools-version: 6.1
import PackageDescription

let plantedBugs: [SwiftSetting] = [
    .define("PLANTED_BUGS", .when(traits: ["PlantedBugs"]))
]

// Packages that only the tool and the runner use: without the trait they are not even fetched.
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Runner"]))
let histogram: Target.Dependency = .product(
    name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Runner"]))

let package = Package(
    name: "realm-swift-linux",
    products: [
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
        .library(name: "StorageEngine", targets: ["StorageEngine"]),
        .library(name: "StressModel", targets: ["StressModel"]),
        .executable(name: "realm", targets: ["realm"]),
        .executable(name: "realm-bench", targets: ["realm-bench"]),
        .executable(name: "realm-bench-system-malloc", targets: ["realm-bench-system-malloc"]),
        .library(name: "BenchmarkKit", targets: ["BenchmarkKit"]),
        .library(name: "ToolSupport", targets: ["ToolSupport"]),
        .library(name: "RealmTool", targets: ["RealmTool"]),
        .library(name: "RealmBenchKit", targets: ["RealmBenchKit"]),
        .library(name: "JemallocCounters", targets: ["JemallocCounters"]),
    ],
    traits: [
        .trait(
            name: "PlantedBugs",
            description: "Compiles mistakes into the engine, for `realm-bench stress selftest`.",
            enabledTraits: ["Runner"]),
        .trait(
            name: "Runner",
            description:
                "Fetches what `realm`, `realm-bench` and their tests need besides the library."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .target(name: "CRealmSystem"),
        .target(name: "CColumnKernels"),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "StorageEngine", dependencies: ["CColumnKernels", "CCrypto", "CRealmSystem"],
            swiftSettings: plantedBugs),
        .target(
            name: "RealmSwift", dependencies: ["StorageEngine", "CRealmSystem"],
            swiftSettings: plantedBugs),
        .systemLibrary(name: "CJemalloc", providers: [.apt(["libjemalloc-dev"])]),
        .target(name: "CMeasurement"),
        .target(name: "ToolSupport", dependencies: ["CMeasurement"]),
        .target(
            name: "RealmTool",
            dependencies: ["RealmSwift", "StorageEngine", "ToolSupport", argumentParser]),
        .executableTarget(name: "realm", dependencies: ["RealmTool"]),
        .target(name: "BenchmarkModels", dependencies: ["RealmSwift"]),
        .target(
            name: "BenchmarkKit",
            dependencies: [
                "BenchmarkModels", "CCrypto", "CMeasurement", "RealmSwift", "RealmTool",
                "StorageEngine", "ToolSupport", argumentParser, histogram,
            ]),
        .target(name: "JemallocCounters", dependencies: ["BenchmarkKit", "CJemalloc"]),
        .target(
            name: "RealmBenchKit",
            dependencies: ["BenchmarkKit", "JemallocCounters", "RealmSwift"]),
        .target(name: "StressModel", dependencies: ["StorageEngine"]),
        .target(
            name: "StressKit",
            dependencies: [
                "RealmSwift", "StorageEngine", "StressModel", "ToolSupport",
                argumentParser,
            ], swiftSettings: plantedBugs),
        .executableTarget(
            name: "realm-bench", dependencies: ["BenchmarkKit", "JemallocCounters", "StressKit"]),
        .executableTarget(name: "realm-bench-system-malloc", dependencies: ["BenchmarkKit"]),
        // The examples of workloads of one's own, which the tests run.
        .executableTarget(
            name: "bench-example", dependencies: ["RealmBenchKit", "RealmSwift"],
            path: "Examples/Bench/Sources"),
        .executableTarget(
            name: "bench-beside-example", dependencies: ["RealmBenchKit", "RealmSwift"],
            path: "Examples/BenchBeside/Sources"),
        .executableTarget(
            name: "engine-test-process",
            dependencies: ["StorageEngine", "StressModel", "ToolSupport"],
            path: "Tests/EngineTestProcess"),
        .testTarget(
            name: "StorageEngineTests",
            dependencies: [
                "StorageEngine", "StressModel", "ToolSupport", "CColumnKernels", "CRealmSystem",
                "engine-test-process",
            ], exclude: ["Fixtures"]),
        .testTarget(
            name: "RealmSwiftTests",
            dependencies: ["RealmSwift", "StorageEngine", "StressModel", "ToolSupport"],
            exclude: ["OldFiles/Fixtures"]),
        .testTarget(
            name: "RealmToolTests",
            dependencies: [
                "RealmSwift", "RealmTool", "StorageEngine", "ToolSupport", argumentParser, "realm",
            ]),
        .testTarget(
            name: "BenchmarkKitTests",
            dependencies: [
                "BenchmarkKit", "RealmTool", "StressKit", "ToolSupport", argumentParser,
            ],
            exclude: ["Fixtures", "Statistics/Reference"]),
        .testTarget(
            name: "StressKitTests",
            dependencies: [
                "RealmSwift", "StorageEngine", "StressKit", "StressModel", "ToolSupport",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)
