import Hummingbird
import NIOCore
import RealmTool

/// What the page asks to be changed. Each request is one transaction.
///
/// All are refused unless the command line allows changes. ``Gate`` lets them in only with the
/// page's own `Origin`.
struct EditRoutes {
    private let files: FileList
    private let work: Work

    /// A value of ``PropertyDraft/longest`` bytes, each written as an escape of six.
    private static let longestBody = 6 * PropertyDraft.longest + 4096
    /// What the page sends of a file before it imports that.
    private static let longestBeginning = 1 << 17

    init(_ files: FileList, _ work: Work) {
        self.files = files
        self.work = work
    }

    private struct Addition: Decodable {
        var className: String
        var primaryKey: String?
    }

    private struct Deletion: Decodable {
        var object: ObjectPlace
        var seen: String
    }

    private struct TakingBack: Decodable {
        var number: Int
    }

    func add(to routes: RouterGroup<StudioContext>) {
        routes.post("preview") { try await preview($0, $1) }
        routes.post("import") { try await importObjects($0, $1) }
        routes.post("compact") { request, context in
            let file = try files.file(context)
            return try await work.stoppable(request) { _, task in
                try .json(encoding: try await work.changing { try file.compact(task) })
            }
        }
        post("edit", ObjectEdit.self, to: routes) { try $0.apply($1) }
        post("add", Addition.self, to: routes) {
            try $0.add(to: $1.className, primaryKey: $1.primaryKey)
        }
        post("delete", Deletion.self, to: routes) { try $0.delete($1.object, seen: $1.seen) }
        post("undo", TakingBack.self, to: routes) { try $0.undo($1.number) }
    }

    private func importRequest(_ request: Request) throws -> ImportRequest {
        try .init(json: request.text("request"))
    }

    private func preview(_ request: Request, _ context: StudioContext) async throws -> Response {
        let file = try files.file(context).inspected()
        let wanted = try importRequest(request)
        let beginning = try await request.body.collect(upTo: Self.longestBeginning)
        return try .json(
            encoding: try await work.quickly {
                try file.newest().preview(of: Array(buffer: beginning), wanted)
            })
    }

    private func importObjects(
        _ request: Request, _ context: StudioContext
    ) async throws -> Response {
        let file = try files.file(context)
        let editor = try file.editor()
        try editor.requireEditable()
        let wanted = try importRequest(request)
        let name = try request.text("name")
        return try await work.stoppable(request) { body, task in
            // All of it is here before the transaction begins, so that nobody waits for the page.
            let upload = try Upload(beside: file.path)
            for try await part in body {
                try await work.quickly { try upload.append(part) }
            }
            return try .json(
                encoding: try await work.changing {
                    try editor.importObjects(
                        wanted, from: upload.reader(), name: name, until: task.stop)
                })
        }
    }

    private func post<Body: Decodable & Sendable>(
        _ name: RouterPath, _ type: Body.Type, to routes: RouterGroup<StudioContext>,
        _ perform: @escaping @Sendable (FileEditor, Body) throws -> EditOutcome
    ) {
        routes.post(name) { request, context in
            let editor = try files.file(context).editor()
            let body = try await request.json(type, upTo: Self.longestBody)
            let outcome = try await work.changing { try perform(editor, body) }
            return try Response.json(encoding: outcome)
        }
    }
}
