import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// A process with open databases, in which other threads write to and open files. It is forked for
/// each transaction of a workload. The process itself commits every other transaction, and its
/// children commit the rest.
final class ForkingProcess {
    private let path: String
    private let options: Database.Options
    private let durability: CommitDurability
    private let oracle: PrefixOracle
    private let connection: Connection
    /// A connection that stays at a version for some transactions.
    private let pinned: Connection
    /// Number of times that the thread with a handle of its own, like another process's, has got
    /// the write lock.
    private let grants = Locked(0)

    private static let stepsOfPin = 3

    /// Path of a file that is opened and closed while the process is forked.
    static func otherFile(_ path: String) -> String { path + "-other" }

    init(_ point: StressPoint, _ path: String) throws {
        self.path = path
        options = try point.options()
        durability = try point.durability()
        oracle = try PrefixOracle(point.workload())
        let database = try Database.open(path: path, options: options)
        connection = try Connection(database)
        pinned = try Connection(database)
    }

    /// Continues the workload after the transactions that the file holds, and kills itself at the
    /// end. Reports each commit.
    func run() throws {
        WorkerChannel.say(VictimMessage.open)
        var step = try StressWorkload.progress(of: connection)
        var pinnedStep = step
        try rehearse(from: step)
        // An unregistered handle behaves like that of another process.
        let writer = Bystander.start(opening: { [path, options] in
            try Database.openUnregistered(path: path, options: options)
        }) { [grants] in grants.withLock { $0 += 1 } }
        let opener = startOpener()
        while step < oracle.workload.count {
            step += 1
            if step % 2 == 0 { try commitBesideChild(step) } else { try haveChildCommit(step) }
            try oracle.judge(pinned, CommitLedger(acknowledged: pinnedStep))
            if step % Self.stepsOfPin == 0 {
                _ = try pinned.refresh()
                pinnedStep = step
            }
        }
        try opener.finish()
        _ = try writer.finish()
        try connection.beginWrite()
        if Fork.make() == 0 { outliveParent() }
        kill(getpid(), SIGKILL)
    }

    private func startOpener() -> BackgroundThread<Void> {
        BackgroundThread { [path, options] isStopped in
            while !isStopped() {
                _ = try Database.open(path: Self.otherFile(path), options: options)
                _ = try Database.open(path: path, options: options)
            }
        }
    }

    /// Does in a copy of the file what the children will do. What a process does for the first time
    /// makes Swift's runtime create metadata of types, under locks that a child finds locked for
    /// ever if another thread of its parent held them. That is not the engine's to prevent
    /// (`docs/status.md`, "Forks"), so the children find all metadata there.
    private func rehearse(from step: Int) throws {
        let copy = path + "-rehearsal"
        try connection.writeCopy(toPath: copy, encryptionKey: options.encryptionKey)
        defer { for file in [copy, copy + ".lock"] { unlink(file) } }
        let own = try Connection(Database.open(path: copy, options: options))
        try oracle.judge(own, CommitLedger(acknowledged: step))
        for next in step..<oracle.workload.count {
            try oracle.workload.run(next + 1, on: own, durability)
        }
    }

    // MARK: Forks

    /// Commits a transaction. A child forked in the middle of it tries to use what it has
    /// inherited, the open transaction first.
    private func commitBesideChild(_ step: Int) throws {
        try connection.beginWrite()
        try oracle.workload.change(step, on: connection)
        let before = grants.withLock { $0 }
        try Fork.run { try useInTransaction() }
        guard grants.withLock({ $0 }) == before else {
            throw Finding(.wrongState, "a child that was forked released its parent's write lock.")
        }
        try connection.commit(durability)
        acknowledge(step)
    }

    /// Has a child open the file anew and carry out a transaction.
    private func haveChildCommit(_ step: Int) throws {
        try Fork.run {
            try useInherited()
            let database = try Database.open(path: path, options: options)
            guard database !== connection.database else {
                throw Finding(.wrongState, "a child that opens a file gets its parent's handle.")
            }
            let own = try Connection(database)
            try oracle.judge(own, CommitLedger(acknowledged: step - 1))
            try oracle.workload.run(step, on: own, durability)
        }
        acknowledge(step)
        _ = try connection.refresh()
        try oracle.judge(connection, CommitLedger(acknowledged: step))
    }

    private func acknowledge(_ step: Int) {
        WorkerChannel.say("\(VictimMessage.acknowledged) \(step)")
    }

    /// Keeps the child alive until the other end of its standard input is closed.
    private func outliveParent() -> Never {
        WorkerChannel.say(VictimMessage.forked)
        while readLine() != nil {}
        _exit(0)
    }

    // MARK: What a child inherits

    private func useInTransaction() throws {
        try expectRefusal { try connection.commit(durability) }
        guard !connection.isInWriteTransaction else {
            throw Finding(.wrongState, "a child goes on with its parent's transaction.")
        }
        try useInherited()
    }

    private func useInherited() throws {
        try expectRefusal { try connection.beginWrite() }
        try expectRefusal { _ = try pinned.refresh() }
        try expectRefusal { try pinned.writeCopy(toPath: path + "-copy") }
        try expectRefusal { _ = try Connection(connection.database) }
    }

    private func expectRefusal(_ body: () throws -> Void) throws {
        do { try body() } catch let error as StorageError where error.code == .usedAfterFork {
            return
        }
        throw Finding(.wrongError, "a child may use what it has inherited.")
    }
}

/// Copies of this process made by `fork`.
enum Fork {
    /// Calls `fork`. Swift does not import it, so its address is looked up.
    static func make() -> pid_t {
        guard let address = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)()
    }

    /// Runs `body` in a child and waits for it. An error in the child is thrown here as a
    /// ``Finding``.
    static func run(_ body: () throws -> Void) throws {
        let child = make()
        if child == 0 {
            do { try body() } catch {
                WorkerChannel.say("\(VictimMessage.problem) in a child: \(error)")
                _exit(1)
            }
            _exit(0)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) != child {
            guard child > 0, errno == EINTR else {
                throw BenchmarkError(.internalError, "This process cannot be forked.")
            }
        }
        guard status == 0 else {
            throw Finding(.crash, "a child ended with status \(status).")
        }
    }
}
