import StorageEngine
import StressModel

/// Readers at several versions of one database, and a check of what they cost. Guarantee E10
/// (docs/guarantees.md) allows live pages, the snapshot of each pinned version, and some slack.
struct PinnedReaderSet {
    private struct Reader {
        let connection: Connection
        /// Number of transactions that the reader's version holds.
        var transactions: Int
        /// Live bytes of the reader's version, which is what it may cost.
        var snapshotBytes: UInt64
    }

    private let database: Database
    private let oracle: PrefixOracle
    private let trial: Trial
    private var readers: [Reader] = []
    /// Size of the file at the last check.
    private var fileBytes: UInt64

    private static let mostReaders = 10
    /// The least slack that E10 allows.
    private static let slackBytes: UInt64 = 16 << 20

    init(_ database: Database, _ oracle: PrefixOracle, _ trial: Trial) throws {
        self.database = database
        self.oracle = oracle
        self.trial = trial
        fileBytes = try database.fileSize
    }

    /// Adds a reader of the newest version, which holds `transactions` transactions.
    mutating func add(transactions: Int) throws {
        let connection = try Connection(database)
        trial.cover("versions pinned")
        readers.append(
            Reader(
                connection: connection, transactions: transactions,
                snapshotBytes: try database.statistics().liveBytes))
    }

    /// Sometimes adds or removes a reader, or moves one to the newest version.
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

    /// Checks that each reader still sees its version, and nothing of later ones.
    func judge() throws {
        for reader in readers {
            try oracle.judge(
                reader.connection, CommitLedger(acknowledged: reader.transactions))
            trial.count(states: 1)
        }
    }

    /// Checks that statistics list each reader's version as pinned by this process.
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

    /// Takes the current size of the file as the one to compare with. For use after transactions of
    /// another process: how much was live when they made the file longer is not known.
    mutating func acceptFileSize() throws { fileBytes = try database.fileSize }

    /// Checks after each transaction that a file which it made longer is within the allowed size.
    ///
    /// A file may be longer than allowed because more was live or pinned before. Such a file
    /// becomes shorter later (guarantee E11) and must not grow until then.
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
