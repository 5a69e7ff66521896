import Foundation
import Hummingbird
import NIOCore
import RealmTool
import StorageEngine
import ToolSupport

/// Answers with what went wrong as JSON: a code for the page, and a sentence for its user.
struct Failures: RouterMiddleware {
    typealias Context = StudioContext

    private struct Answer: Encodable {
        var code: String
        var message: String
        /// The place in a predicate, in Unicode scalars.
        var position: Int?
        var suggestions: [String]?
        /// The value that is there now, where it is not what the user has seen.
        var now: PropertyDraft?
    }

    func handle(
        _ request: Request, context: StudioContext,
        next: (Request, StudioContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch {
            let (status, answer) = Self.answer(error)
            let data = try JSONEncoder().encode(answer)
            return .json(Array(data), status: status)
        }
    }

    private static func answer(_ error: any Error) -> (HTTPResponse.Status, Answer) {
        switch error {
        case let problem as PredicateProblem:
            (
                .badRequest,
                Answer(
                    code: "predicate", message: problem.message, position: problem.position,
                    suggestions: problem.suggestions)
            )
        case let problem as InspectedFile.Problem:
            (
                .conflict,
                Answer(code: problem.needsKey ? "key" : "closed", message: problem.message)
            )
        case let conflict as EditConflict:
            (
                .conflict,
                Answer(code: "conflict", message: conflict.message, now: conflict.now)
            )
        case let error as BenchmarkError where error.code == .inUse:
            (.conflict, Answer(code: "busy", message: error.message))
        case is FileRoutes.VersionIsGone:
            (.gone, Answer(code: "gone", message: "This version is not shown any more."))
        case is CancellationError:
            (.conflict, Answer(code: "stopped", message: "Stopped."))
        case let error as StorageError where error.code == .interrupted:
            (.conflict, Answer(code: "stopped", message: error.message))
        case let error as StorageError:
            (
                error.code == .damaged ? .internalServerError : .badRequest,
                Answer(
                    code: error.code == .damaged ? "damaged" : "engine", message: error.message)
            )
        case let error as UploadFailure:
            (.badRequest, Answer(code: "request", message: error.message))
        case let error as BenchmarkError:
            (.badRequest, Answer(code: "request", message: error.message))
        case let error as HTTPError:
            (error.status, Answer(code: "request", message: error.body ?? "\(error.status)"))
        default: (.internalServerError, Answer(code: "internal", message: "\(error)"))
        }
    }
}
