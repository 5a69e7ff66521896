import BenchmarkKit
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

typealias StudioContext = BasicRequestContext

/// The server of the page, on this machine only.
struct StudioServer {
    private let files: FileList
    private let runs: StoredRuns?
    private let port: Int
    private let didStart: @Sendable (_ address: String) -> Void

    /// Connections beyond wait. A browser has six for a page.
    private static let mostConnections = 256

    /// - Parameters:
    ///   - runs: the runs of the benchmark runner to show; nil if there are none.
    ///   - didStart: is told the address to open.
    init(
        _ files: FileList, _ runs: StoredRuns?, port: Int,
        didStart: @escaping @Sendable (String) -> Void
    ) {
        self.files = files
        self.runs = runs
        self.port = port
        self.didStart = didStart
    }

    func run() async throws {
        let gate = Gate()
        let router = Router(context: StudioContext.self)
        router.middlewares.add(gate)
        router.middlewares.add(Failures())
        try PageFiles().add(to: router)
        let work = Work()
        FileRoutes(files, work).add(to: router)
        ResultRoutes(runs, work).add(to: router)
        router.post("api/stop") { request, _ in
            work.stop(try request.text("task"))
            return try Response.json(encoding: [String: String]())
        }
        router.get("api/progress") { request, _ in
            try Response.json(encoding: work.progress(of: try request.text("task")))
        }
        var logger = Logger(label: "realm-studio")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(
                address: .hostname("127.0.0.1", port: port), serverName: nil, reuseAddress: true,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                gate.listens(on: port)
                didStart("http://127.0.0.1:\(port)/?token=\(gate.token)")
            },
            logger: logger)
        // A signal ends the process at once: it holds nothing that others need.
        try await application.runService(gracefulShutdownSignals: [])
    }
}
