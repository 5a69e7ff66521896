import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench init`.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Makes a package for workloads of your own, over your own classes.",
        discussion: """
            Writes Package.swift, Sources/Bench.swift with two workloads to begin with, and \
            .gitignore into a new or empty folder. The program that it builds has the commands of \
            realm-bench with your workloads.

            The package depends on the checkout that this program was built in, by its path, or \
            on what --library names.

            EXAMPLES
              realm-bench init Benchmarks
              realm-bench init Benchmarks --library ../realm-swift-linux
              realm-bench init Benchmarks --library https://example.com/realm-swift-linux.git
            """)

    @Argument(help: ArgumentHelp("A folder that is empty or does not exist.", valueName: "folder"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            "The path of a checkout of this library, or the address of its repository.",
            valueName: "path or address"))
    var library: String?

    func run() throws {
        let checkout = try? ResourceLocator.packageDirectory().path
        let template = BenchmarkPackage(
            library: try BenchmarkPackage.Library(
                library, checkout: checkout, relativeTo: FileManager.default.currentDirectoryPath))
        let path = try template.write(into: folder)
        // To be pasted into a shell.
        let isPlain = folder.allSatisfy { $0.isLetter || $0.isNumber || "/._-~".contains($0) }
        print(
            """
            \(path) has a package with two workloads in Sources/Bench.swift. Next:
              cd \(isPlain ? folder : "'\(folder)'")
              swift run -c release bench run
            The first build compiles the library, which takes minutes.
            """)
    }
}
