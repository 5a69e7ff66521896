import Foundation
import ToolSupport

/// The package that `init` writes.
struct BenchmarkPackage {
    /// Where the package gets this library from.
    enum Library: Equatable {
        case path(String)
        case address(String)

        /// Takes what the user named; nil means the checkout of this program.
        init(_ named: String?, checkout: String?, relativeTo working: String) throws {
            if let named, named.contains("://") || named.hasPrefix("git@") {
                self = .address(named)
                return
            }
            guard let path = named ?? checkout else {
                throw BenchmarkError(
                    .usage,
                    "This program lies in no checkout of the library. Name one, or the address of "
                        + "its repository, with --library.")
            }
            let url = URL(
                fileURLWithPath: path, relativeTo: URL(fileURLWithPath: working + "/"))
            let manifest = url.appendingPathComponent("Package.swift").path
            let text = (try? String(contentsOfFile: manifest, encoding: .utf8)) ?? ""
            guard text.contains("\"RealmBenchKit\"") else {
                throw BenchmarkError(
                    .usage,
                    "'\(path)' is no checkout of this library: its Package.swift "
                        + (text.isEmpty ? "cannot be read." : "has no product RealmBenchKit."))
            }
            self = .path(url.standardizedFileURL.path)
        }

        /// The dependency in the manifest. That of a path has a name, because the folder of a
        /// checkout may have any.
        var declaration: String {
            switch self {
            case .path(let path):
                #".package(name: "realm-swift-linux", path: \#(Self.quoted(path)), "#
                    + #"traits: ["Runner"])"#
            case .address(let address):
                #".package(url: \#(Self.quoted(address)), branch: "main", traits: ["Runner"])"#
            }
        }

        /// The name by which products of the library are found.
        var identity: String {
            guard case .address(let address) = self else { return "realm-swift-linux" }
            let last = address.split { $0 == "/" || $0 == ":" }.last.map(String.init) ?? address
            return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
        }

        fileprivate static func quoted(_ text: String) -> String {
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return "\"\(escaped)\""
        }
    }

    let library: Library

    /// Writes the files. Returns the path of the folder.
    ///
    /// - Throws: a usage error if the folder has files.
    func write(into folder: String) throws -> String {
        let url = URL(fileURLWithPath: folder)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) {
            let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
            guard isFolder.boolValue, names?.isEmpty == true else {
                throw BenchmarkError(
                    .usage,
                    "'\(folder)' is "
                        + (isFolder.boolValue ? "not empty." : "a file.")
                        + " Nothing was written; name a folder that is empty or does not exist.")
            }
        }
        for (name, text) in files {
            let file = url.appendingPathComponent(name)
            try FolderFiles.make(file.deletingLastPathComponent().path)
            try TextFile.write(text, replacing: file.path)
        }
        return url.path
    }

    /// The files by their names.
    var files: [String: String] {
        [
            "Package.swift": manifest, "Sources/Bench.swift": benchmarkSource,
            ".gitignore": Self.ignored,
        ]
    }

    private var manifest: String {
        let package = Library.quoted(library.identity)
        return """
            // swift-tools-version: 6.1
            import PackageDescription

            let package = Package(
                name: "bench",
                dependencies: [
                    \(library.declaration)
                ],
                targets: [
                    .executableTarget(
                        name: "bench",
                        dependencies: [
                            .product(name: "RealmBenchKit", package: \(package)),
                            .product(name: "RealmSwift", package: \(package)),
                        ], path: "Sources")
                ],
                swiftLanguageModes: [.v6]
            )

            """
    }

    /// The results of runs stay out of the repository, baselines belong to it.
    private static let ignored = """
        .build/
        results/*
        !results/baselines/

        """
}

/// The same as `Examples/Bench/Sources/Bench.swift`, which is built and run by tests.
private let benchmarkSource = #"""
    import RealmBenchKit

    final class Order: Object {
        @Persisted(indexed: true) var customer: Int
        @Persisted var cents: Int

        convenience init(_ operation: BenchmarkOperation) {
            self.init()
            customer = operation.random(below: 100)
            cents = operation.random(below: 10_000, draw: 1)
        }
    }

    @main
    struct Bench: RealmBench {
        static let workloads: [BenchmarkWorkload] = [
            .writes("place-order", "adds an order", adding: Order.init),
            .reads("customer-total", "adds up what one customer has ordered", filledBy: Order.init)
                .reading(by: "query", "a query with an index") { realm, operation in
                    let buyer = operation.random(below: 100)
                    return realm.objects(Order.self).where { $0.customer == buyer }.sum(of: \.cents)
                }
                .reading(by: "loop", "a loop over all orders") { realm, operation in
                    let buyer = operation.random(below: 100)
                    return realm.objects(Order.self)
                        .reduce(0) { $0 + ($1.customer == buyer ? $1.cents : 0) }
                },
        ]
    }

    """#
