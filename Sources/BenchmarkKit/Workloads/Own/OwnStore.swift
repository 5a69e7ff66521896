import RealmSwift
import RealmTool
import StorageEngine
import ToolSupport

/// An open database, and what a workload of a user does to it.
protocol OwnStore: MeasuredStore {
    /// Runs changes as one transaction.
    func write(_ changes: () throws -> Void) throws
    /// Adds an object that the database has before, inside a transaction.
    func fill(_ operation: BenchmarkOperation) throws
    /// Makes the changes of an operation, inside a transaction.
    func change(_ operation: BenchmarkOperation) throws
    /// Returns what answers questions.
    func reader(_ strategy: BenchmarkReadStrategy) -> (BenchmarkOperation) throws -> Int
    /// Sees what other stores have written.
    func refresh()
    /// Returns the digest of all objects, whatever their order.
    func digest() throws -> String
    /// Returns the defects of the structure, one sentence each, as far as they can be found.
    func problems() throws -> [String]
}

/// An open Realm of a user's classes.
final class OwnRealm: RealmObjectStore, OwnStore {
    let path: String
    let realm: Realm
    private let workload: BenchmarkWorkload

    init(_ workload: BenchmarkWorkload, path: String, _ durability: Durability) throws {
        self.workload = workload
        self.path = path
        realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: workload.classes))
    }

    func write(_ changes: () throws -> Void) throws { try realm.write(changes) }

    func fill(_ operation: BenchmarkOperation) throws { try workload.fill?(realm, operation) }

    func change(_ operation: BenchmarkOperation) throws {
        if case .writes(let change, _, _) = workload.work { try change(realm, operation) }
    }

    func reader(_ strategy: BenchmarkReadStrategy) -> (BenchmarkOperation) throws -> Int {
        { [realm] in try strategy.read(realm, $0) }
    }

    func refresh() { realm.refresh() }

    func digest() throws -> String {
        let connection = try Connection(Database.open(path: path, options: .ofCase))
        var digest = ResultDigest()
        try ObjectLines.forEach(in: connection) { name, line in
            var row = ResultDigest.Row()
            row.combine(name.utf8)
            row.combine(line)
            digest.add(row)
        }
        return digest.text
    }
}

/// Another database of a user, opened.
final class OwnDatabase<Database: BenchmarkDatabase>: OwnStore {
    /// What the workload does to it; nil for what it does not.
    struct Work {
        var fill, change: ((Database, BenchmarkOperation) throws -> Void)?
        var answer: ((Database, BenchmarkOperation) throws -> Int)?
    }

    private let database: Database
    private let folder: String
    private let work: Work

    init(_ database: Database, _ folder: String, _ work: Work) {
        self.database = database
        self.folder = folder
        self.work = work
    }

    var lastCommit: CommitCost? { nil }

    func size() throws -> StoreSize {
        StoreSize(fileBytes: FolderFiles.diskBytes(below: folder))
    }

    func write(_ changes: () throws -> Void) throws { try database.write(changes) }

    func fill(_ operation: BenchmarkOperation) throws { try work.fill?(database, operation) }

    func change(_ operation: BenchmarkOperation) throws { try work.change?(database, operation) }

    func reader(_ strategy: BenchmarkReadStrategy) -> (BenchmarkOperation) throws -> Int {
        { [database, work] in try work.answer?(database, $0) ?? 0 }
    }

    /// Nothing to do: an instance visits whatever was committed.
    func refresh() {}

    func digest() throws -> String {
        var digest = ResultDigest()
        try database.forEachObject { text in
            var row = ResultDigest.Row()
            row.combine(text.utf8)
            digest.add(row)
        }
        return digest.text
    }

    /// A database that cannot read its files does not open, or has other objects.
    func problems() -> [String] { [] }
}

extension BenchmarkWorkload {
    /// Another database, and how to open it for the workload.
    struct Beside: Sendable {
        let engine: OwnEngine
        let isInMemory, hasSeveralWriters: Bool
        let isFilled: Bool
        /// The strategy of reading beside which the rows stand; nil if the database is written to.
        let strategy: String?
        let open: @Sendable (_ folder: String) throws -> any OwnStore

        init(
            _ database: (some BenchmarkDatabase).Type, isFilled: Bool, strategy: String?,
            open: @escaping @Sendable (_ folder: String) throws -> any OwnStore
        ) {
            engine = OwnEngine(name: database.name, summary: database.summary)
            isInMemory = database.isInMemory
            hasSeveralWriters = database.hasSeveralWriters
            self.isFilled = isFilled
            self.strategy = strategy
            self.open = open
        }
    }
}

/// Another database of a user's package, as the runner lists it. It has the workloads of that
/// package only.
struct OwnEngine: BenchmarkEngine {
    let name, summary: String

    var layer: EngineLayer { .api }
    var version: String { "of this package" }
    var durabilities: [Durability] { [.full] }
    var counters: IOCounters { IOCounters() }
    var countsCalls: Bool { false }

    func reason(against feature: EngineFeature) -> String? {
        "The engine \(name) has the workloads of this package only."
    }
}
