import StorageEngine
import ToolSupport

/// An import into an open file. It writes one transaction, or one for each batch.
final class Importer {
    /// A value that refers to objects that had not been imported when it was read.
    private struct Postponed {
        let table: Table
        let column: Int
        let key: ObjectKey
        let node: JSONNode
        let line: Int
    }

    private static let recordsBetweenChecks = 1024

    private let connection: Connection
    private let source: ImportSource
    let options: ImportOptions
    let memory = RecordMemory()
    private let writer: NodeWriter
    private let progress: ProgressLine?
    /// Ends it besides a signal; nil if nothing does.
    private let stop: StopRequest?
    private var postponed: [Postponed] = []
    private var builders: [String: RowBuilder] = [:]
    /// What is read, and what of it is committed.
    @exclusivity(unchecked) var counts = ImportCounts()
    private(set) var committed = ImportCounts()

    init(
        _ connection: Connection, _ source: ImportSource, _ options: ImportOptions,
        progress: ProgressLine?, stop: StopRequest? = nil
    ) {
        self.connection = connection
        self.source = source
        self.options = options
        self.progress = progress
        self.stop = stop
        writer = NodeWriter(connection, memory: memory)
        writer.leavesOutMissingLinks = options.leavesOutMissingLinks
        writer.hints = options.hints
    }

    /// Imports all records, in a transaction that the connection may have begun.
    ///
    /// - Throws: `ToolError` that says where the mistake is and what was imported.
    func run() throws {
        do {
            if !connection.isInWriteTransaction { try connection.beginWrite() }
            try makeClasses()
            switch source {
            case .csv(let input): try importCSV(input)
            case .json(let input): try importJSON(input)
            case .sqlite(let rows): try importRows(rows)
            }
            try finishPostponed()
            try checkWhetherToStop()
            try commit()
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw failure(error)
        }
    }

    private func checkWhetherToStop() throws {
        try Interrupted.check()
        try stop?.check(connection.database.path)
    }

    private func makeClasses() throws {
        let present = Set(try connection.tableDefinitions().map(\.name))
        let missing = options.newClasses.filter { !present.contains($0.name) }
        if !missing.isEmpty { try connection.createTables(missing) }
        if try connection.schemaVersion() == nil {
            try connection.setSchemaVersion(options.schemaVersion)
        }
    }

    private func commit() throws {
        counts.batches += 1
        do {
            try connection.commit()
        } catch let error where error.code == .committedUnread {
            committed = counts
            throw error
        }
        committed = counts
    }

    /// Called after each record.
    private func didRead(_ outcome: RowBuilder.Outcome) throws {
        switch outcome {
        case .inserted: counts.inserted += 1
        case .updated: counts.updated += 1
        case .skipped: counts.skipped += 1
        }
        if let batch = options.batch, (counts.records - options.skip) % batch == 0 {
            try commit()
            try connection.beginWrite()
        }
        guard counts.records % Self.recordsBetweenChecks == 0 else { return }
        try checkWhetherToStop()
        let (done, all) = source.progress
        progress?.update(done, of: all) { ProgressLine.rows(counts.records, $0) }
    }

    // MARK: Classes

    func builder(_ name: String, at offset: Int?) throws -> RowBuilder {
        if let known = builders[name] { return known }
        guard let table = try connection.table(named: name) else {
            let names = try connection.tableDefinitions().map(\.name)
            let message =
                names.isEmpty
                ? "The file has no classes."
                : NameSuggestion.message(kind: "class", name: name, among: names)
            guard options.className == name else { throw DataProblem(message, at: offset) }
            throw ToolError(.usage, message + " --infer or --schema makes a class.")
        }
        let builder = try RowBuilder(table, writer)
        builders[name] = builder
        return builder
    }

    func store(_ builder: RowBuilder, line: Int) throws {
        let outcome = try builder.store(existing: options.existing) { column, node, key in
            postponed.append(
                Postponed(table: builder.table, column: column, key: key, node: node, line: line))
        }
        counts.records += 1
        memory.forget()
        try didRead(outcome)
    }

    /// Sets the links that led nowhere when they were read.
    private func finishPostponed() throws {
        for (index, item) in postponed.enumerated() {
            if index % Self.recordsBetweenChecks == 0 { try checkWhetherToStop() }
            do {
                try writer.write(
                    item.node, item.column, of: item.key, in: item.table, isNew: false)
            } catch let problem as DataProblem {
                throw PlacedProblem(
                    place: placeOfRecord(item.line), message: problem.message)
            }
            memory.forget()
        }
        postponed = []
    }

    // MARK: Failures

    /// The place of a record in messages.
    ///
    /// - Parameter number: the line on which it begins, or the number of the row.
    func placeOfRecord(_ number: Int) -> String {
        if case .sqlite = source { return "\(source.name): row \(number)" }
        return "\(source.name):\(number)"
    }

    private func failure(_ error: any Error) -> ToolError {
        var failure: ToolError
        switch error {
        case let problem as PlacedProblem:
            failure = ToolError(.badData, "\(problem.place): \(problem.message)")
        case let problem as DataProblem:
            failure = ToolError(.badData, "\(source.name): \(problem.message)")
        case let error as StorageError: failure = ToolError(error)
        case let error as ToolError: failure = error
        default: failure = ToolError(.internalError, "\(error)")
        }
        failure.message += "\n" + outcome(after: error)
        return failure
    }

    /// What is in the file after a failure.
    private func outcome(after error: any Error) -> String {
        if let error = error as? StorageError, error.code == .outcomeUnknown {
            return "Whether the last transaction is in the file is not known."
        }
        if committed.batches == 0 { return "Nothing was imported." }
        var text =
            "The first \(Display.grouped(committed.records)) records are imported, in "
            + "\(Display.count(committed.batches, "batch", "batches")); nothing behind them is. "
            + "--skip \(committed.records) goes on behind them."
        if !postponed.isEmpty {
            text +=
                "\nLinks to objects that came later than the link are not set yet: of "
                + "\(Display.grouped(postponed.count)) properties."
        }
        return text
    }
}

/// Where records come from.
enum ImportSource {
    case csv(InputBuffer)
    case json(InputBuffer)
    case sqlite(SQLiteRows)

    /// The name in messages.
    var name: String {
        switch self {
        case .csv(let input), .json(let input): input.name
        case .sqlite(let rows): rows.name
        }
    }

    /// How much has been read, of how much; nil if nobody knows.
    var progress: (done: UInt64, all: UInt64?) {
        switch self {
        case .csv(let input), .json(let input): (input.position, input.size)
        case .sqlite(let rows): (UInt64(rows.number), rows.count.map { UInt64($0) })
        }
    }
}
