import Hummingbird
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
        post("edit", ObjectEdit.self, to: routes) { try $0.apply($1) }
        post("add", Addition.self, to: routes) {
            try $0.add(to: $1.className, primaryKey: $1.primaryKey)
        }
        post("delete", Deletion.self, to: routes) { try $0.delete($1.object, seen: $1.seen) }
        post("undo", TakingBack.self, to: routes) { try $0.undo($1.number) }
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
