import ToolSupport

/// The expected contents of a file of persons after a run: the number of rows and the digest of all
/// of them. A fresh process reads the file through the store of the engine that wrote it.
struct TableExpectation: ContentsExpectation {
    var engine: String
    var layer: EngineLayer
    var durability: Durability
    var layout: PersonLayout
    var path: String
    var rows: Int
    var digest: String

    /// Returns every difference between the file and this expectation and every structural defect,
    /// one sentence each.
    func problems() throws -> [String] {
        guard let engine = try EngineCatalogue.engine(named: engine, layer: layer) else {
            throw BenchmarkError(.usage, "The engine \(engine) has no layer '\(layer)'.")
        }
        let store = try engine.openPersons(at: path, layout, durability)
        var found = 0
        var foundDigest = ResultDigest()
        try store.forEach { name, birthdate, age in
            found += 1
            foundDigest.add(ResultDigest.Row(name, birthdate, age))
        }
        var problems = try store.problems()
        if found != rows {
            problems.append("The file has \(found) persons instead of \(rows).")
        }
        if foundDigest.text != digest {
            problems.append("The persons of the file are not those that were written.")
        }
        return problems
    }
}
