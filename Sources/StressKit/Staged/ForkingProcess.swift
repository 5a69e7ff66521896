import BenchmarkKit
import Glibc
import StorageEngine
import StressModel

/// A process with open databases, in which other threads write and open meanwhile, that is forked
/// for each transaction of a workload: it commits every other one, and its children the rest.
final class ForkingProcess {
    private let path: String
    private let options: Database.Options
    private let durability: CommitDurability
    private let oracle: PrefixOracle
    private let connection: Connection
    /// Stays at a version for some transactions.
    private let pinned: Connection
    /// How often a thread that uses the file as another process would has got the write lock.
    private let grants = Locked(0)

    private static let stepsOfPin = 3

    /// A file that is opened and closed while the process is forked.
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

    /// Goes on where the file stands, and kills itself at the end. Says what it has committed.
    func run() throws {
        WorkerChannel.say(StressVictim.Message.open)
        var step = try StressWorkload.progress(of: connection)
        var pinnedStep = step
        // As another process would.
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

    // MARK: Forks

    /// The child tries to use what it has inherited, a transaction under way before all.
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

    /// The child opens the file anew, and carries out a transaction.
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
        WorkerChannel.say("\(StressVictim.Message.acknowledged) \(step)")
    }

    /// Until nobody listens any more.
    private func outliveParent() -> Never {
        WorkerChannel.say(StressVictim.Message.forked)
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

/// Processes that are copies of this one.
enum Fork {
    /// Swift does not import `fork`, for good reasons; its address can be looked up.
    static func make() -> pid_t {
        guard let address = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)()
    }

    /// Runs `body` in a child, and waits for it. What it throws is thrown here.
    static func run(_ body: () throws -> Void) throws {
        let child = make()
        if child == 0 {
            do { try body() } catch {
                WorkerChannel.say("\(StressVictim.Message.problem) in a child: \(error)")
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
