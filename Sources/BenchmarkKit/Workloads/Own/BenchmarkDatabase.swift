#if compiler(>=6.2)
/// What a type has whose conformances any thread may use.
public typealias BenchmarkMetatype = SendableMetatype
#else
/// What a type has whose conformances any thread may use.
public typealias BenchmarkMetatype = Any
#endif

/// Another database, to stand beside this one in workloads of your own.
///
/// An instance is the database, opened once, and is used on one thread. A workload says what its
/// operations do to it:
///
/// ```swift
/// .writes("place-order", "adds an order", adding: Order.init)
///     .writing(to: OrderJournal.self) { journal, operation in
///         journal.add(PlainOrder(operation))
///     }
/// ```
///
/// Its rows have its name as engine, and the table of engines has the ratios. Nothing counts its
/// system calls, so that its rows have neither writes nor syncs, and are not gated.
public protocol BenchmarkDatabase: BenchmarkMetatype {
    /// The last part of the ids of its cases: lower-case letters, digits and hyphens.
    static var name: String { get }
    /// What it is, in a line, with what makes its transactions durable.
    static var summary: String { get }
    /// Whether several threads can each open one folder and write to it. Without saying so, none
    /// can, and there are no rows of ``BenchmarkWriteStrategy/threads``.
    static var hasSeveralWriters: Bool { get }
    /// Whether nothing of it is on the disk, which is not so without saying so. It is filled in the
    /// measured process then, and can only be read: no other process could prove what it wrote.
    static var isInMemory: Bool { get }

    /// Opens the database in a folder, which exists, and creates what is missing.
    init(folder: String) throws

    /// Runs changes as one transaction, which survives a power failure once the call returns.
    func write(_ changes: () throws -> Void) throws

    /// Calls `body` with a text for each object that was committed, in any order. Equal objects
    /// have equal texts. A fresh process compares them with those that the measured one saw.
    func forEachObject(_ body: (String) throws -> Void) throws
}

extension BenchmarkDatabase {
    public static var hasSeveralWriters: Bool { false }
    public static var isInMemory: Bool { false }
}

extension BenchmarkWorkload {
    /// Lets the workload write to another database as well, by ``BenchmarkWriteStrategy/single``,
    /// ``BenchmarkWriteStrategy/batched`` and, if it can, ``BenchmarkWriteStrategy/threads``,
    /// whichever the workload has.
    ///
    /// - Parameters:
    ///   - database: The type of the database.
    ///   - fill: Adds one of the objects that the database has before, as the workload's own does.
    ///   - change: Makes the changes of one operation, inside a transaction.
    public func writing<Database: BenchmarkDatabase>(
        to database: Database.Type,
        filledBy fill: (@Sendable (Database, BenchmarkOperation) throws -> Void)? = nil,
        change: @escaping @Sendable (Database, BenchmarkOperation) throws -> Void
    ) -> BenchmarkWorkload {
        beside(
            Beside(database, isFilled: fill != nil, strategy: nil) { folder in
                OwnDatabase(
                    try Database(folder: folder), folder,
                    OwnDatabase.Work(fill: fill, change: change))
            })
    }

    /// Lets another database answer the questions of the workload as well. Its answers must be the
    /// same.
    ///
    /// - Parameters:
    ///   - database: The type of the database.
    ///   - strategy: The strategy beside which the rows stand, and whose name they have; the first
    ///     one that the workload has so far if not given.
    ///   - fill: Adds one of the objects, as the workload's own does.
    ///   - answer: Answers the question of one operation.
    public func reading<Database: BenchmarkDatabase>(
        from database: Database.Type, beside strategy: String? = nil,
        filledBy fill: @escaping @Sendable (Database, BenchmarkOperation) throws -> Void,
        answer: @escaping @Sendable (Database, BenchmarkOperation) throws -> Int
    ) -> BenchmarkWorkload {
        beside(
            Beside(
                database, isFilled: true, strategy: strategy ?? strategies.first?.name ?? ""
            ) { folder in
                OwnDatabase(
                    try Database(folder: folder), folder,
                    OwnDatabase.Work(fill: fill, answer: answer))
            })
    }

    private func beside(_ further: Beside) -> BenchmarkWorkload {
        var workload = self
        workload.besides.append(further)
        return workload
    }
}
