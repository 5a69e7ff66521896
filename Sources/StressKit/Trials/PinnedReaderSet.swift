import StorageEngine
import StressModel

/// Readers at several versions of one database, and what they may cost (E10): live pages, the
/// snapshot of each pinned version, and some slack.
struct PinnedReaderSet {
    private struct Reader {
        let connection: Connection
        /// What its version holds.
        var transactions: Int
        /// Live bytes of that version: what it may cost.
        var snapshotBytes: UInt64
    }

    private let database: Database
    private let oracle: PrefixOracle
    private let trial: Trial
    private var readers: [Reader] = []
    /// As of the last look.
    private var fileBytes: UInt64

    private static let mostReaders = 10
    /// E10.
    private static let slackBytes: UInt64 = 16 << 20

    init(_ database: Database, _ oracle: PrefixOracle, _ trial: Trial) throws {
        self.database = database
        self.oracle = oracle
        self.trial = trial
        fileBytes = try database.fileSize
    }

    /// A reader of the newest version, which holds so many transactions.
    mutating func add(transactions: Int) throws {
        let connection = try Connection(database)
        trial.cover("versions pinned")
        readers.append(
            Reader(
                connection: connection, transactions: transactions,
                snapshotBytes: try database.statistics().liveBytes))
    }

    /// Now and then one comes, goes or moves to the newest version.
    mutating func change(transactions: Int, _ random: inout RepeatableRandom) throws {
        switch random.below(12) {
        case 0 where readers.count < Self.mostReaders: try add(transactions: transactions)
        case 1 where !readers.isEmpty: readers.remove(at: random.below(readers.count))
        case 2 where !readers.isEmpty:
            let index = random.below(readers.count)
            _ = try readers[index].connection.refresh()
            readers[index].transactions = transactions
            readers[index].snapshotBytes = try database.statistics().liveBytes
        default: break
        }
    }

    mutating func removeAll() { readers = [] }

    /// Each still sees its version, and nothing of what came since.
    func judge() throws {
        for reader in readers {
            try oracle.judge(
                reader.connection, CommitLedger(acknowledged: reader.transactions))
            trial.count(states: 1)
        }
    }

    /// Who pins what is known: each reader's version, of this process, and no version that waits for
    /// nobody.
    func checkPins() throws {
        let pins = try database.statistics().pinnedVersions
        for reader in readers {
            let isKnown = pins.contains {
                $0.version == reader.connection.version && $0.processID == System.processID
            }
            guard isKnown else {
                throw Finding(
                    .wrongState,
                    "version \(reader.connection.version) is read, and not said to be pinned.")
            }
        }
    }

    /// After transactions of another process, of which it is not known what was live when they made
    /// the file longer.
    mutating func acceptFileSize() throws { fileBytes = try database.fileSize }

    /// After each transaction: a file that became longer with it is not longer than is allowed now.
    ///
    /// One that is, because more was live or pinned before, becomes shorter in its time (E11), and
    /// does not grow until then.
    mutating func checkGrowth() throws {
        let before = fileBytes
        try acceptFileSize()
        guard fileBytes > before else { return }
        let statistics = try database.statistics()
        let snapshots = Dictionary(
            readers.map { ($0.transactions, $0.snapshotBytes) },
            uniquingKeysWith: { first, _ in first })
        let needed = statistics.liveBytes + snapshots.values.reduce(0, +)
        let allowed = needed + max(Self.slackBytes, needed / 4)
        guard statistics.fileBytes <= allowed else {
            let pins = statistics.pinnedVersions
                .map { "version \($0.version) holds \($0.heldBytes)" }.joined(separator: ", ")
            throw Finding(
                .overLimit,
                "the file grew from \(before) to \(statistics.fileBytes) bytes; "
                    + "\(statistics.liveBytes) are live, and \(allowed) are allowed with these "
                    + "readers: \(pins).")
        }
    }
}
