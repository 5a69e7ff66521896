import Dispatch
import StorageEngine
import Synchronization
import ToolSupport

/// Changes objects of a file, each change in a transaction of its own that can be taken back. Any
/// thread may use it.
///
/// Nothing is overwritten that nobody has seen. In the transaction, where nobody else writes:
///
/// 1. The value is compared with the one that was seen when the change was asked for. If it has
///    become another one since, the change is refused (``EditConflict``).
/// 2. What takes the change back is noted.
/// 3. The change is made, with the engine's checks.
/// 4. What it has left is noted, for the same comparison if it is taken back.
public final class FileEditor: Sendable {
    let file: InspectedFile
    private let lock: BackgroundWriter
    public let log: EditLog
    /// How long a change waits for a transaction of somebody else.
    private let patience: DispatchTimeInterval

    /// - Parameter log: the edits that can be taken back: of a file that was closed meanwhile,
    ///   those of before.
    public convenience init(_ file: InspectedFile, _ log: EditLog = EditLog()) {
        self.init(file, log, patience: .seconds(5))
    }

    init(_ file: InspectedFile, _ log: EditLog = EditLog(), patience: DispatchTimeInterval) {
        self.file = file
        self.log = log
        lock = .of(file.database)
        self.patience = patience
    }

    // MARK: Edits

    /// Changes a property.
    ///
    /// - Throws: ``EditConflict``; `BenchmarkError` and `StorageError` for what the property cannot
    ///   hold.
    public func apply(_ edit: ObjectEdit) throws -> EditOutcome {
        try perform { try $0.apply(edit) }
    }

    /// Adds an object with the values of a new one.
    ///
    /// - Parameter primaryKey: a text in the form of a ``PropertyDraft``; nil where the class has
    ///   none, and for null.
    public func add(to className: String, primaryKey: String?) throws -> EditOutcome {
        try perform { try $0.add(to: className, primaryKey: primaryKey) }
    }

    /// Deletes an object. Links to it become null, and lists and sets lose it.
    ///
    /// - Parameter seen: the ``Fingerprint`` of the object when it was seen.
    public func delete(_ object: ObjectPlace, seen: String) throws -> EditOutcome {
        try perform { try $0.delete(object, seen: seen) }
    }

    private func perform(_ body: (EditTransaction) throws -> Undo) throws -> EditOutcome {
        let (undo, version) = try transaction { transaction in
            let undo = try body(transaction)
            guard undo.isKept else {
                throw ToolError(
                    .usage,
                    "What this changes has more than \(Display.bytes(UndoLog.mostBytes)), so that "
                        + "it could not be taken back. Nothing was changed.")
            }
            return undo
        }
        let number = log.undos.withLock { $0.add(undo) }
        return EditOutcome(object: undo.object, version: version, undo: number, lostLinks: 0)
    }

    /// Takes an edit back, which only its number names. That is an edit, too: taking it back makes
    /// the first one again.
    ///
    /// - Throws: ``EditConflict`` if what the edit has left was changed since.
    public func undo(_ number: Int) throws -> EditOutcome {
        guard let undo = log.undos.withLock({ $0[number] }) else {
            throw ToolError(.usage, "This edit cannot be taken back any more.")
        }
        do {
            let ((inverse, lostLinks), version) = try transaction { try $0.take(back: undo) }
            let next: Int? = log.undos.withLock { log in
                log.remove(number)
                log.replace(undo.object, by: inverse.object)
                return inverse.isKept ? log.add(inverse) : nil
            }
            return EditOutcome(
                object: inverse.object, version: version, undo: next, lostLinks: lostLinks)
        } catch let conflict as EditConflict {
            log.undos.withLock { $0.remove(number) }
            throw conflict
        }
    }

    // MARK: Transactions

    /// Returns what `body` does, and the version in which it is done.
    private func transaction<Answer>(
        _ body: (EditTransaction) throws -> Answer
    ) throws -> (Answer, version: UInt64) {
        let connection = try beginTransaction()
        do {
            let answer = try body(EditTransaction(connection))
            try connection.commit()
            return (answer, connection.version)
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            guard let problem = error as? DataProblem else { throw error }
            let place = problem.offset.map { $0 > 0 ? " (byte \($0))" : "" } ?? ""
            throw ToolError(.badData, problem.message + place)
        }
    }

    /// Throws if the file is open for reading only.
    public func requireEditable() throws {
        if file.isEditable { return }
        throw ToolError(
            .usage, "'\(file.database.path)' is open for reading only. Nothing was changed.")
    }

    /// Begins a transaction, unless somebody else keeps the file locked.
    func beginTransaction() throws -> Connection {
        try requireEditable()
        // What is written to a file without a name is lost with the last process that has it open.
        guard !file.hasLeftItsPath else {
            throw ToolError(
                .usage,
                "Another file is at '\(file.database.path)' now, or none. Nothing was changed.")
        }
        let connection = try Connection(file.database)
        let end = DispatchTime.now() + patience
        repeat {
            if try connection.beginWriteIfFree() { return connection }
            let answered = DispatchSemaphore(value: 0)
            let request = lock.requestLock { answered.signal() }
            defer { request.cancel() }
            if answered.wait(timeout: end) == .success, try connection.beginWrite(with: request) {
                return connection
            }
        } while DispatchTime.now() < end
        throw ToolError(
            .inUse,
            "A transaction of another process has not ended for seconds. Nothing was changed.")
    }
}
