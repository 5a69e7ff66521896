import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Plain Swift values with which a database is compared, and random operations that change both.
protocol DatabaseModel {
    /// Creates the tables and the initial objects of the model. Called in a write transaction.
    mutating func begin(_ connection: Connection) throws
    /// Changes the database and the model in the same way. Called in a write transaction.
    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws
    /// Throws if the connection's contents differ from the model.
    func check(_ connection: Connection) throws
}

/// Takes a model and a database through random transactions. Some are rolled back, and now and then
/// the database is copied, or closed and opened again.
struct ModelCourse {
    let directory: TestDirectory
    let seed: UInt64
    let rounds: Int
    /// The range of the number of steps in a transaction.
    let steps: Range<Int>

    /// Of four consecutive seeds, two write encrypted files, and two write pages ahead of the
    /// commit.
    private var options: Database.Options { FileKind.everyWay[Int(seed % 4)].options }

    /// Returns the connection after the last round. Nothing else has the file open.
    func run(_ start: some DatabaseModel) throws -> Connection {
        var random = SeededGenerator(seed: seed)
        var model = start
        var connection: Connection? = try open(directory.file())
        try connection!.beginWrite()
        try model.begin(connection!)
        try connection!.commit()
        for round in 0..<rounds {
            let committed = model
            try connection!.beginWrite()
            for _ in 0..<Int.random(in: steps, using: &random) {
                try model.step(connection!, &random)
            }
            try model.check(connection!)
            if random.next(below: 4) == 0 {
                connection!.rollback()
                model = committed
            } else {
                try connection!.commit()
            }
            try check(connection!, model, "round \(round)")
            switch random.next(below: 8) {
            case 0:
                let copy = directory.file("copy\(round)")
                try connection!.writeCopy(toPath: copy)
                let opened = try Connection(Database.open(path: copy))
                try check(opened, model, "copy of round \(round)")
            case 1:
                connection = nil
                connection = try open(directory.file())
                try model.check(connection!)
            default: break
            }
        }
        return connection!
    }

    private func open(_ path: String) throws -> Connection {
        try Connection(Database.open(path: path, options: options))
    }

    private func check(
        _ connection: Connection, _ model: some DatabaseModel, _ place: String
    ) throws {
        try model.check(connection)
        let problems = try connection.verify()
        try #require(problems == [], "seed \(seed), \(place): \(problems.prefix(3))")
    }
}
