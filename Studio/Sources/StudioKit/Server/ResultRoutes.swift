import BenchmarkKit
import Hummingbird
import NIOCore
import ToolSupport

/// The runs of the benchmark runner, and their pages for a frame.
///
/// Nothing but these pages is read of the folder. A name that is no run's leads nowhere.
struct ResultRoutes {
    private let runs: StoredRuns?
    private let work: Work

    /// A page may style itself and run its own script, in an origin of its own, so that the script
    /// can neither see the page around the frame nor ask the server.
    private static let policy =
        StoredRuns.policy + "; frame-ancestors 'self'; sandbox allow-scripts"

    init(_ runs: StoredRuns?, _ work: Work) {
        self.runs = runs
        self.work = work
    }

    func add(to router: Router<StudioContext>) {
        router.get("api/results") { _, _ in
            try Response.json(encoding: try await work.slowly { runs?.list() })
        }
        router.get("results/report") { request, _ in
            let name = try request.text("run")
            return await page { try $0.report(of: name) }
        }
        router.get("results/history") { _, _ in await page { try $0.history() } }
    }

    private func page(_ text: @escaping @Sendable (StoredRuns) throws -> String) async -> Response {
        do {
            guard let runs else { throw BenchmarkError(.usage, "The command line names no runs.") }
            let page = try await work.slowly { try text(runs) }
            return Self.response(page, type: "text/html")
        } catch {
            // It stands in a frame.
            let message = (error as? BenchmarkError)?.message ?? "\(error)"
            return Self.response(message, type: "text/plain", status: .notFound)
        }
    }

    private static func response(
        _ text: String, type: String, status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "\(type); charset=utf-8", .contentSecurityPolicy: policy,
            ], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
