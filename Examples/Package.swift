// swift-tools-version: 6.1
import PackageDescription

let realm = Target.Dependency.product(name: "RealmSwift", package: "realm-swift-linux")

// `scripts/test` builds the examples in the folder where it has built the library and its tests.
// Nothing is compiled twice then if the traits are the same, because each is a condition of the
// compiler. An application needs none.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["REALM_EXAMPLES_TRAITS"].map { [.init(name: $0)] } ?? []

func example(_ name: String, folder: String, dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [realm] + dependencies, path: "\(folder)/Sources")
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
        .testTarget(
            name: "ExampleTests",
            dependencies: ["chat", "todo", "workshop", "newspaper", "sensors"], path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)
