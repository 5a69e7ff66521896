import Foundation
import Hummingbird
import NIOCore
import RealmTool
import StorageEngine

/// What the page asks of files.
///
/// A request names the version that the page shows. While somebody shows it, the answer is of that
/// version; without one, of the newest.
struct FileRoutes {
    /// Nobody shows the version that a request names, so it is not pinned any more.
    struct VersionIsGone: Error {}

    private let files: FileList
    private let work: Work

    /// No request of the page has a longer body.
    private static let longestBody = 4096

    init(_ files: FileList, _ work: Work) {
        self.files = files
        self.work = work
    }

    func add(to router: Router<StudioContext>) {
        router.get("api/files") { _, _ in try await list() }
        let routes = router.group("api/files/:file")
        EditRoutes(files, work).add(to: routes)
        routes.post("open") { try await open($0, $1) }
        routes.get("events") { try await events($0, $1) }
        routes.get("classes") { request, context in
            let version = try version(request, context)
            return Response.json(try await work.quickly { try version().classes() })
        }
        routes.get("sizes") { request, context in
            let version = try version(request, context)
            return try await work.stoppable(request) { _, task in
                .json(try await work.slowly { try version().sizes(until: task.stop) })
            }
        }
        routes.get("statistics") { _, context in
            let file = try files.file(context).inspected()
            return Response.json(try await work.quickly { try file.statistics() })
        }
        routes.get("verify") { request, context in
            let stream = VerifyStream(try version(request, context), work)
            return streamed(request) { try await stream.run($0) }
        }
        routes.get("source") { request, context in
            let version = try version(request, context)
            let text = try await work.quickly { try version().swiftSource() }
            return try Response.json(encoding: ["text": text])
        }
        routes.get("export") { try await export($0, $1) }
        routes.get("rows") { try await rows($0, $1) }
        routes.get("explain") { request, context in
            let version = try version(request, context)
            let question = try question(request)
            return try await work.stoppable(request) { _, task in
                let text = try await work.slowly {
                    try version().explain(question, until: task.stop)
                }
                return try .json(encoding: ["text": text])
            }
        }
        routes.get("typed") { request, context in
            let version = try version(request, context)
            let question = try question(request)
            return try Response.json(
                encoding: try await work.quickly { try version().source(of: question) })
        }
        routes.get("object") { request, context in
            let (version, key, name) = try object(request, context)
            let isToEdit = request.parameter("edit") != nil
            return Response.json(
                try await work.quickly {
                    try version().object(key, in: name, isToEdit: isToEdit)
                })
        }
        routes.get("draft") { request, context in
            let (version, key, name) = try object(request, context)
            let property = try request.text("property")
            let position = request.number("at")
            let draft = try await work.quickly {
                try version().draft(of: property, key, in: name, at: position)
            }
            return try Response.json(encoding: draft)
        }
        routes.get("elements") { request, context in
            let (version, key, name) = try object(request, context)
            let isToEdit = request.parameter("edit") != nil
            let property = try request.text("property")
            let (from, count) = (request.number("from") ?? 0, request.number("count") ?? 0)
            return Response.json(
                try await work.quickly {
                    try version().elements(
                        of: property, key, in: name, from: from, count: count, isToEdit: isToEdit)
                })
        }
        routes.get("value") { request, context in
            let (version, key, name) = try object(request, context)
            let property = try request.text("property")
            let from = request.number("from") ?? 0
            return Response.json(
                try await work.quickly {
                    try version().value(of: property, key, in: name, from: from)
                })
        }
    }

    // MARK: Files

    private struct FileState: Encodable {
        var number: Int
        var path: String
        var isOpen: Bool
        var needsKey: Bool
        var message: String?
        var isEncrypted: Bool?
        var isEditable = false
        var size: UInt64?
    }

    private func state(_ file: StudioFile) -> FileState {
        do throws(InspectedFile.Problem) {
            let inspected = try file.inspected()
            return FileState(
                number: file.number, path: file.path, isOpen: true, needsKey: false,
                message: inspected.warning, isEncrypted: inspected.isEncrypted,
                isEditable: inspected.isEditable, size: inspected.size)
        } catch {
            return FileState(
                number: file.number, path: file.path, isOpen: false, needsKey: error.needsKey,
                message: error.message)
        }
    }

    private func list() async throws -> Response { try .json(encoding: files.files.map(state)) }

    private struct Opening: Decodable {
        /// 128 hexadecimal digits; nil for a file that is not encrypted.
        var key: String?
    }

    private func open(_ request: Request, _ context: StudioContext) async throws -> Response {
        let file = try files.file(context)
        let opening = try await request.json(Opening.self, upTo: Self.longestBody)
        var key: [UInt8]?
        if let text = opening.key {
            key = EncryptionKey.decode(Array(text.utf8))
            if key == nil {
                throw HTTPError(
                    .badRequest, message: "A key has \(EncryptionKey.size * 2) hexadecimal digits.")
            }
        }
        return try Response.json(
            encoding: try await work.slowly { [key] in
                file.open(key: key)
                return state(file)
            })
    }

    private func events(_ request: Request, _ context: StudioContext) async throws -> Response {
        let file = try files.file(context)
        let inspected = try file.inspected()
        var frozen: InspectedVersion?
        if let number = request.number("frozen") {
            frozen = try await work.quickly { try inspected.version(UInt64(clamping: number)) }
            guard frozen != nil else { throw VersionIsGone() }
        }
        let stream = EventStream(inspected, of: file, work, frozen: frozen)
        return streamed(request) { try await stream.run($0) }
    }

    /// A response of server-sent events, which ends when the page goes.
    private func streamed(
        _ request: Request,
        _ body: @escaping @Sendable (_ write: (String) async throws -> Void) async throws -> Void
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: .init { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await body { try await writer.write(ByteBuffer(string: $0)) }
                }
                try await writer.finish(nil)
            })
    }

    // MARK: Rows

    private func rows(_ request: Request, _ context: StudioContext) async throws -> Response {
        let version = try version(request, context)
        let question = try question(request)
        let (from, count) = (request.number("from") ?? 0, request.number("count") ?? 0)
        let file = try files.file(context).inspected()
        let since = request.number("since")
        let answer: @Sendable (StopRequest?) throws -> [UInt8] = { stop in
            try version().rows(
                question, from: from, count: count,
                insertedSince: since.flatMap { try file.version(UInt64(clamping: $0)) },
                until: stop)
        }
        let isKnown = try await work.quickly { try version().needsNoSearch(question) }
        if isKnown { return .json(try await work.quickly { try answer(nil) }) }
        return try await work.stoppable(request) { _, task in
            .json(try await work.slowly { try answer(task.stop) })
        }
    }

    /// Objects as a file to keep. A part is made when the former one has been sent.
    private func export(_ request: Request, _ context: StudioContext) async throws -> Response {
        let version = try version(request, context)
        let question = try question(request)
        guard let format = ObjectExport.Format(rawValue: try request.text("format")) else {
            throw HTTPError(.badRequest, message: "Objects are written as 'csv' or 'jsonl'.")
        }
        let columns = request.parameter("columns")
            .flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) }
        let export = try await work.slowly {
            try ObjectExport(version(), question, format, columns: columns)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: format == .csv ? "text/csv; charset=utf-8" : "application/jsonl",
                // The link of the page has the name.
                .contentDisposition: "attachment",
            ],
            body: .init { writer in
                while let part = try await work.slowly({ try export.next() }) {
                    try await writer.write(ByteBuffer(bytes: part))
                }
                try await writer.finish(nil)
            })
    }

    private func question(_ request: Request) throws -> InspectedVersion.Question {
        InspectedVersion.Question(
            className: try request.text("class"), predicate: request.parameter("predicate"),
            order: request.parameter("order"))
    }

    // MARK: Parameters

    /// Returns how to get the version that the request is about, on a thread that may wait.
    private func version(
        _ request: Request, _ context: StudioContext
    ) throws -> @Sendable () throws -> InspectedVersion {
        let file = try files.file(context).inspected()
        let number = request.number("version")
        return {
            guard let number else { return try file.newest() }
            guard let version = try file.version(UInt64(clamping: number)) else {
                throw VersionIsGone()
            }
            return version
        }
    }

    private func object(
        _ request: Request, _ context: StudioContext
    ) throws -> (@Sendable () throws -> InspectedVersion, key: Int64, className: String) {
        guard let key = try Int64(request.text("key")) else {
            throw HTTPError(.badRequest, message: "The key of an object is an integer.")
        }
        return (try version(request, context), key, try request.text("class"))
    }
}
