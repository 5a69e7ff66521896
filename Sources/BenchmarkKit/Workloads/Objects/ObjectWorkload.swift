import ToolSupport

extension Workload {
    /// A workload of an application's work with objects. Its strategies do different work, each
    /// through the highest layer of an engine. `features` is nil for a workload of the embedded
    /// engine only.
    static func objects(
        _ name: String, _ summary: String, _ strategies: [(name: String, summary: String)],
        needs features: [EngineFeature]? = [.objects],
        _ run: @escaping @Sendable (CoreCase) throws -> CaseOutcome
    ) -> Workload {
        Workload(
            name: name, summary: summary,
            strategies: strategies.map {
                Strategy(name: $0.name, summary: $0.summary, layer: "api", features: features)
            }, defaultSize: 100_000, strategiesDoTheSameWork: false
        ) { try run(CoreCase($0, $1)) }
    }
}

extension CoreCase {
    var strategy: String { benchmarkCase.identifier.strategy }
    var durability: Durability { benchmarkCase.identifier.durability }

    /// Returns the contents that a fresh process has to find in the case's file.
    func expectation(
        of contents: ObjectContents, rows: Int, _ digest: ResultDigest
    ) throws -> VerificationRequest {
        try VerificationRequest(
            ObjectsExpectation(
                engine: engine.name, layer: engine.layer, durability: durability,
                path: databasePath, contents: contents, rows: rows, digest: digest.text))
    }
}

/// The kind of store that a file of objects belongs to.
enum ObjectContents: Codable, Sendable {
    case items(ItemWidth)
    case elements(ElementKind)
    case properties
}

/// The expected contents of a file of objects after a run.
struct ObjectsExpectation: ContentsExpectation {
    var engine: String
    var layer: EngineLayer
    var durability: Durability
    var path: String
    var contents: ObjectContents
    /// The number of groups of items, of elements, or of objects with properties.
    var rows: Int
    var digest: String

    /// Returns every difference between the file and this expectation and every structural defect,
    /// one sentence each.
    func problems() throws -> [String] {
        guard let engine = try EngineCatalogue.engine(named: engine, layer: layer) else {
            throw BenchmarkError(.usage, "The engine \(engine) has no layer '\(layer)'.")
        }
        var found = 0
        var foundDigest = ResultDigest()
        func note(_ row: ResultDigest.Row) {
            found += 1
            foundDigest.add(row)
        }
        let store: any ObjectStore
        switch contents {
        case .items(let width):
            let items = try engine.openItems(at: path, width, durability)
            try items.forEach { note($0.row) }
            store = items
        case .elements(let kind):
            let elements = try engine.openElements(at: path, durability)
            try elements.forEach(in: kind) { note(ElementValues.row($0, $1, $2)) }
            store = elements
        case .properties:
            let properties = try engine.openProperties(at: path, durability)
            try properties.forEach { note(PropertyValues.row($0, $1)) }
            store = properties
        }
        var problems = try store.problems()
        if found != rows {
            problems.append("The file has \(found) rows of values instead of \(rows).")
        }
        if foundDigest.text != digest {
            problems.append("The values of the file are not those that were written.")
        }
        return problems
    }
}
