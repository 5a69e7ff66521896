import Foundation
import StorageEngine
import Synchronization
import ToolSupport

/// Threads that write all objects of a class together, in the order of their keys.
///
/// The objects are divided into chunks. Each thread has a connection of its own to the same version
/// of the file. It takes the next chunk, makes its text in memory, waits until the chunks before it
/// are written, and writes it. One thread more than there are processors has work while others
/// wait. What a thread holds in memory has a limit: beyond it, the thread waits for its turn in the
/// middle of a chunk. So memory does not grow with the objects, however long their values are.
struct ExportThreads {
    /// The objects of a chunk: several leaves. Their text mostly fits the caches of a processor.
    static let chunkSize = 8192
    /// The bytes of text after which a thread waits for its turn.
    private static let textLimit = 1 << 20
    private static let most = 8

    private let connection: Connection
    private let className: String
    private let output: ByteOutput
    private let progress: ProgressLine?
    private let objectCount: Int
    /// The number of threads that there is work for.
    let count: Int

    /// - Parameter processors: the number of processors, for tests.
    init(
        _ file: RealmFile, _ table: Table, to output: ByteOutput, showing progress: ProgressLine?,
        processors: Int = ProcessInfo.processInfo.activeProcessorCount
    ) throws(StorageError) {
        connection = file.connection
        className = table.definition.name
        self.output = output
        self.progress = progress
        objectCount = try table.count()
        let chunks = (objectCount + Self.chunkSize - 1) / Self.chunkSize
        count = processors < 2 ? 1 : min(chunks, processors + 1, Self.most)
    }

    /// Writes all objects.
    ///
    /// - Parameter makeWriter: makes the writer of a thread, which has its own connection and
    ///   output. It is called by the calling thread.
    func run(
        _ makeWriter: (Connection, ByteOutput) throws -> any RowWriter
    ) throws {
        let turns = OutputTurns(output)
        let work = Work(objectCount)
        let workers = try (0..<count).map { _ in
            let connection = try Connection(readingLike: connection)
            guard let table = try connection.table(named: className) else {
                throw ToolError(.internalError, "The class '\(className)' was lost.")
            }
            let text = ByteOutput(capacity: Self.textLimit + Self.textLimit / 4)
            return Worker(
                table, writer: try makeWriter(connection, text), of: text, turns: turns, work: work)
        }
        let threads = WorkerThreads<Bool>(count: count, name: "export") { number, start in
            guard start.wait() else { return nil }
            try workers[number].run()
            return true
        }
        _ = try threads.run {
            let done = work.done.load(ordering: .relaxed)
            progress?.update(UInt64(done), of: UInt64(objectCount)) {
                ProgressLine.rows(done, $0)
            }
        }
    }

    /// What there is to do, and what is done.
    private final class Work: Sendable {
        let objectCount: Int
        let nextChunk = Atomic(0)
        let done = Atomic(0)

        init(_ objectCount: Int) { self.objectCount = objectCount }

        /// The number of the next chunk, and the positions of its objects; nil if there is none.
        func next() -> (chunk: Int, positions: Range<Int>)? {
            let chunk = nextChunk.add(1, ordering: .relaxed).oldValue
            let start = chunk * ExportThreads.chunkSize
            guard start < objectCount else { return nil }
            return (chunk, start..<min(start + ExportThreads.chunkSize, objectCount))
        }
    }

    /// Unchecked because it is used by one thread only, once it is made.
    private final class Worker: @unchecked Sendable {
        private let table: Table
        private let text: ByteOutput
        private let writer: any RowWriter
        private let turns: OutputTurns
        private let work: Work

        init(
            _ table: Table, writer: any RowWriter, of text: ByteOutput, turns: OutputTurns,
            work: Work
        ) {
            self.table = table
            self.text = text
            self.writer = writer
            self.turns = turns
            self.work = work
        }

        func run() throws {
            do {
                while let (chunk, positions) = work.next() {
                    if chunk > 0 { writer.goOn() }
                    guard try write(positions, chunk), try turns.finish(chunk, text) else { return }
                }
            } catch {
                turns.cancel()
                throw error
            }
        }

        /// Makes the text of a chunk: of the leaves that begin in it. Returns false if another
        /// thread has failed.
        private func write(_ positions: Range<Int>, _ chunk: Int) throws -> Bool {
            var scan = try LeafScan(table, from: positions.lowerBound, keepsLeaves: false)
            while try scan.next(), scan.firstPosition < positions.upperBound {
                // The leaf of the first object may begin before it.
                if scan.firstPosition < positions.lowerBound { continue }
                let leaf = scan.leaf
                for row in 0..<scan.rowCount {
                    try writer.append(RowLocation(leaf: leaf, row: row))
                    if text.count > ExportThreads.textLimit {
                        try Interrupted.check()
                        guard try turns.write(chunk, text) else { return false }
                    }
                }
                try Interrupted.check()
                work.done.add(scan.rowCount, ordering: .relaxed)
            }
            return true
        }
    }
}

/// The turns of threads that write the chunks of one output, each in its turn.
private final class OutputTurns: @unchecked Sendable {
    // Safe because `current` and `isCancelled` are only accessed with `condition` locked, and
    // `output` only by the thread whose turn it is.
    private let condition = NSCondition()
    private let output: ByteOutput
    private var current = 0
    private var isCancelled = false

    init(_ output: ByteOutput) { self.output = output }

    /// Writes text of a chunk once those before it are written. Returns false if another thread has
    /// failed.
    func write(_ chunk: Int, _ text: ByteOutput) throws -> Bool {
        guard waitForTurn(chunk) else { return false }
        output.flush(with: text)
        try output.check()
        return true
    }

    /// Writes the last text of a chunk.
    func finish(_ chunk: Int, _ text: ByteOutput) throws -> Bool {
        guard try write(chunk, text) else { return false }
        condition.withLock {
            current += 1
            condition.broadcast()
        }
        return true
    }

    /// Ends the waiting of all threads.
    func cancel() {
        condition.withLock {
            isCancelled = true
            condition.broadcast()
        }
    }

    private func waitForTurn(_ chunk: Int) -> Bool {
        condition.withLock {
            while current < chunk, !isCancelled { condition.wait() }
            return !isCancelled
        }
    }
}
