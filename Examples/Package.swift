// swift-tools-version: 6.1
import PackageDescription

let realm = Target.Dependency.product(name: "RealmSwift", package: "realm-swift-linux")

// `scripts/test` builds the examples in the folder where it has built the library and its tests.
// Nothing is compiled twice then if the traits are the same, because each is a condition of the
// compiler. An application needs none.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["REALM_EXAMPLES_TRAITS"].map { [.init(name: $0)] } ?? []

func example(
    _ name: String, folder: String, sources: String = "Sources",
    dependencies: [Target.Dependency] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: [realm] + dependencies, path: "\(folder)/\(sources)")
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "realm-swift-linux", path: "..", traits: traits)],
    targets: [
        example("chat", folder: "Chat"),
        .systemLibrary(
            name: "CKeyDerivation", path: "Todo/CKeyDerivation", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        example("todo", folder: "Todo", dependencies: ["CKeyDerivation"]),
        example("workshop", folder: "Workshop"),
        example("newspaper", folder: "Newspaper"),
        example("sensors", folder: "Sensors"),
        // An application has its present version only. What earlier ones were is shown beside it.
        example("exams1", folder: "Exams", sources: "Version1"),
        example("exams2", folder: "Exams", sources: "Version2"),
        example("exams", folder: "Exams", sources: "Version3"),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "chat", "todo", "workshop", "newspaper", "sensors", "exams1", "exams2", "exams",
            ], path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)
