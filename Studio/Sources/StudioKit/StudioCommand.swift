import ArgumentParser
import BenchmarkKit
import Foundation
import RealmTool

/// The program `realm-studio`, which `realm studio` starts.
public struct StudioCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "realm-studio",
        abstract: StudioOptions.abstract,
        discussion: StudioOptions.discussion)

    @OptionGroup var options: StudioOptions

    public init() {}

    public func run() async throws {
        let files = try FileList(options)
        let runs = try options.results.map { try StoredRuns(folder: $0) }
        let opensBrowser = options.opensBrowser
        try await StudioServer(files, runs, port: options.port) { address in
            FileHandle.standardOutput.write(
                Data(
                    """
                    Realm Studio: \(address)
                    Only this address, with its token, opens it. Control-C ends it.

                    """.utf8))
            if opensBrowser { Browser.open(address) }
        }.run()
    }
}

/// The browser of the desktop.
enum Browser {
    /// Opens a page, if there is a desktop. Without one, the user has the address.
    static func open(_ address: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }
}
