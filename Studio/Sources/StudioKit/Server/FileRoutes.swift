import Foundation
import Hummingbird
import NIOCore
import RealmTool

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
        routes.post("open") { try await open($0, $1) }
        routes.get("events") { try events($0, $1) }
        routes.get("classes") { request, context in
            let version = try version(request, context)
            return Response.json(try await work.quickly { try version().classes() })
        }
        routes.get("sizes") { request, context in
            let version = try version(request, context)
            return Response.json(try await work.slowly(nil) { try version().sizes() })
        }
        routes.get("statistics") { _, context in
            let file = try file(context).inspected()
            return Response.json(try await work.quickly { try file.statistics() })
        }
        routes.get("verify") { request, context in
            let stream = VerifyStream(try version(request, context), work)
            return streamed(request) { try await stream.run($0) }
        }
        routes.get("source") { request, context in
            let version = try version(request, context)
            return try json(["text": try await work.quickly { try version().swiftSource() }])
        }
        routes.get("export") { try await export($0, $1) }
        routes.get("rows") { try await rows($0, $1) }
        routes.get("explain") { request, context in
            let version = try version(request, context)
            let question = try question(request)
            let text = try await work.slowly(nil) { try version().explain(question) }
            return try json(["text": text])
        }
        routes.get("object") { request, context in
            let (version, key, name) = try object(request, context)
            return Response.json(try await work.quickly { try version().object(key, in: name) })
        }
        routes.get("elements") { request, context in
            let (version, key, name) = try object(request, context)
            let property = try text("property", request)
            let (from, count) = (number("from", request) ?? 0, number("count", request) ?? 0)
            return Response.json(
                try await work.quickly {
                    try version().elements(of: property, key, in: name, from: from, count: count)
                })
        }
        routes.get("value") { request, context in
            let (version, key, name) = try object(request, context)
            let property = try text("property", request)
            let from = number("from", request) ?? 0
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
        var size: UInt64?
    }

    private func state(_ file: StudioFile) -> FileState {
        do throws(InspectedFile.Problem) {
            let inspected = try file.inspected()
            return FileState(
                number: file.number, path: file.path, isOpen: true, needsKey: false,
                message: inspected.warning, isEncrypted: inspected.isEncrypted,
                size: inspected.size)
        } catch {
            return FileState(
                number: file.number, path: file.path, isOpen: false, needsKey: error.needsKey,
                message: error.message)
        }
    }

    private func list() async throws -> Response { try json(files.files.map(state)) }

    private struct Opening: Decodable {
        /// 128 hexadecimal digits; nil for a file that is not encrypted.
        var key: String?
    }

    private func open(_ request: Request, _ context: StudioContext) async throws -> Response {
        let file = try file(context)
        let body = try await request.body.collect(upTo: Self.longestBody)
        let opening = try JSONDecoder().decode(Opening.self, from: Data(buffer: body))
        var key: [UInt8]?
        if let text = opening.key {
            key = EncryptionKey.decode(Array(text.utf8))
            if key == nil {
                throw HTTPError(
                    .badRequest, message: "A key has \(EncryptionKey.size * 2) hexadecimal digits.")
            }
        }
        return try json(
            try await work.slowly(nil) { [key] in
                file.open(key: key)
                return state(file)
            })
    }

    private func events(_ request: Request, _ context: StudioContext) throws -> Response {
        let file = try file(context)
        let inspected = try file.inspected()
        let frozen = try number("frozen", request).map { number in
            guard let version = inspected.version(UInt64(clamping: number)) else {
                throw VersionIsGone()
            }
            return version
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
        let (from, count) = (number("from", request) ?? 0, number("count", request) ?? 0)
        let answer: @Sendable () throws -> [UInt8] = {
            try version().rows(question, from: from, count: count)
        }
        let isKnown = (try? version().needsNoSearch(question)) ?? false
        if isKnown { return Response.json(try await work.quickly(answer)) }
        let turn = number("turn", request).map {
            Work.Turn(page: parameter("page", request) ?? "", number: $0)
        }
        return Response.json(try await work.slowly(turn, answer))
    }

    /// Objects as a file to keep. A part is made when the former one has been sent.
    private func export(_ request: Request, _ context: StudioContext) async throws -> Response {
        let version = try version(request, context)
        let question = try question(request)
        guard let format = ObjectExport.Format(rawValue: try text("format", request)) else {
            throw HTTPError(.badRequest, message: "Objects are written as 'csv' or 'jsonl'.")
        }
        let columns = parameter("columns", request)
            .flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) }
        let export = try await work.slowly(nil) {
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
                while let part = try await work.slowly(nil, { try export.next() }) {
                    try await writer.write(ByteBuffer(bytes: part))
                }
                try await writer.finish(nil)
            })
    }

    private func question(_ request: Request) throws -> InspectedVersion.Question {
        InspectedVersion.Question(
            className: try text("class", request), predicate: parameter("predicate", request),
            order: parameter("order", request))
    }

    // MARK: Parameters

    private func parameter(_ name: String, _ request: Request) -> String? {
        request.uri.queryParameters[name[...]].map(String.init)
    }

    private func text(_ name: String, _ request: Request) throws -> String {
        guard let text = parameter(name, request) else {
            throw HTTPError(.badRequest, message: "The request has no '\(name)'.")
        }
        return text
    }

    private func number(_ name: String, _ request: Request) -> Int? {
        parameter(name, request).flatMap { Int($0) }
    }

    private func file(_ context: StudioContext) throws -> StudioFile {
        guard let number = context.parameters.get("file", as: Int.self), let file = files[number]
        else { throw HTTPError(.notFound, message: "The command line names no such file.") }
        return file
    }

    /// Returns how to get the version that the request is about, on a thread that may wait.
    private func version(
        _ request: Request, _ context: StudioContext
    ) throws -> @Sendable () throws -> InspectedVersion {
        let file = try file(context).inspected()
        let number = number("version", request)
        return {
            guard let number else { return try file.newest() }
            guard let version = file.version(UInt64(clamping: number)) else {
                throw VersionIsGone()
            }
            return version
        }
    }

    private func object(
        _ request: Request, _ context: StudioContext
    ) throws -> (@Sendable () throws -> InspectedVersion, key: Int64, className: String) {
        guard let key = try Int64(text("key", request)) else {
            throw HTTPError(.badRequest, message: "The key of an object is an integer.")
        }
        return (try version(request, context), key, try text("class", request))
    }

    private func json(_ value: some Encodable) throws -> Response {
        .json(Array(try JSONEncoder().encode(value)))
    }
}
