import RealmSwift

/// A way in which the changes of a workload get into transactions.
public struct BenchmarkWriteStrategy: Sendable {
    /// What one operation changes, inside a write transaction.
    public typealias Change = @Sendable (Realm, BenchmarkOperation) throws -> Void
    /// Makes the changes of some operations durable, on the thread of the Realm.
    public typealias Write =
        @Sendable (Realm, [BenchmarkOperation], _ change: Change) throws -> Void

    enum Kind: Sendable {
        case single, batched, threads
        case own(Write)
    }

    let name: String
    let summary: String
    let kind: Kind
    var repeats = true

    /// A transaction for each operation, one after the other. Beside it runs the bare disk, which
    /// writes the same bytes without a database.
    public static let single = BenchmarkWriteStrategy(
        "single", "a durable transaction for each operation", .single)

    /// Transactions of `--batch-size` operations (1,000), with the bare disk beside them.
    public static let batched = BenchmarkWriteStrategy(
        "batched", "--batch-size operations a durable transaction", .batched)

    /// As many threads as `--threads` (8), each with a Realm of its own and a transaction for each
    /// operation.
    public static let threads = BenchmarkWriteStrategy(
        "threads", "--threads threads, a durable transaction for each operation", .threads)

    private init(_ name: String, _ summary: String, _ kind: Kind) {
        self.name = name
        self.summary = summary
        self.kind = kind
    }

    /// Creates a strategy of your own.
    ///
    /// - Parameters:
    ///   - name: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What the strategy does, in a line.
    ///   - repeats: Whether two runs of one build count the same writes and allocations, so that
    ///     the gate can compare them.
    ///   - write: Makes the changes of `--batch-size` operations durable. The time of a call is
    ///     measured. It runs on the main thread. The bare disk beside it writes the same bytes and
    ///     syncs as often.
    public init(
        _ name: String, _ summary: String, repeats: Bool = true, write: @escaping Write
    ) {
        self.init(name, summary, .own(write))
        self.repeats = repeats
    }
}

/// A way to answer a question.
public struct BenchmarkReadStrategy: Sendable {
    /// Answers the question of one operation, on the thread of the Realm. The answers of all
    /// strategies of a workload must be the same.
    public typealias Read = @Sendable (Realm, BenchmarkOperation) throws -> Int

    let name: String
    let summary: String
    let read: Read

    /// Creates a strategy.
    ///
    /// - Parameters:
    ///   - name: The name in the ids of cases: lower-case letters, digits and hyphens.
    ///   - summary: What the strategy does, in a line.
    ///   - read: Answers the question of one operation.
    public init(_ name: String, _ summary: String, read: @escaping Read) {
        self.name = name
        self.summary = summary
        self.read = read
    }
}
