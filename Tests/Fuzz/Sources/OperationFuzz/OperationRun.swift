import Glibc

@testable import StorageEngine
@testable import StressModel

/// One sequence of operations, carried out on a database and on a model of its contents. Any error,
/// any difference, and any report of the sanitizer ends the process.
struct OperationRun {
    private struct Reader {
        let connection: Connection
        let digest: UInt64
    }

    private let input: OperationInput
    private let options: Database.Options
    private var connection: Connection?
    /// The committed contents.
    private var model = ModelDatabase()
    private var transaction: [StressOperation] = []
    /// Writer of the open transaction.
    private var writer: OperationWriter?
    private var readers: [Reader] = []

    private static let mostReaders = 6

    private static let directory: String = {
        var template = Array("/dev/shm/operation-fuzz-XXXXXX\0".utf8CString)
        if mkdtemp(&template) == nil {
            template = Array("/tmp/operation-fuzz-XXXXXX\0".utf8CString)
            guard mkdtemp(&template) != nil else { fatalError("no directory for files") }
        }
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }()
    private static let path = directory + "/database"
    private static let copyPath = directory + "/copy"

    init(_ input: OperationInput) {
        self.input = input
        options = Database.Options(
            pageSize: input.pageSize,
            encryptionKey: input.isEncrypted ? (0..<64).map { UInt8($0) } : nil)
    }

    mutating func run() throws {
        for name in [Self.path, Self.copyPath] { Self.remove(name) }
        for step in input.steps { try carryOut(step) }
        try commit(.full)
        try closeAll()
        try expectModel(open(), verified: true)
    }

    private static func remove(_ path: String) {
        for suffix in ["", ".lock"] { unlink(path + suffix) }
    }

    private func open() throws -> Connection {
        try Connection(Database.open(path: Self.path, options: options))
    }

    private mutating func opened() throws -> Connection {
        if let connection { return connection }
        let new = try open()
        connection = new
        return new
    }

    // MARK: Steps

    private mutating func carryOut(_ step: OperationInput.Step) throws {
        switch step {
        case .change(let operation): try change(operation)
        case .commit(let isDurable): try commit(isDurable ? .full : .relaxed)
        case .rollBack: try rollBack()
        case .pin:
            let reader = try Connection(opened().database)
            readers.append(Reader(connection: reader, digest: model.digest()))
            if readers.count > Self.mostReaders { try unpin(0) }
        case .unpin(let number): if !readers.isEmpty { try unpin(number % readers.count) }
        case .reopen: try closeAll()
        case .compact:
            try closeAll()
            // Before the first opening there is no file to compact.
            let hasFile = access(Self.path, F_OK) == 0
            guard try Database.compact(path: Self.path, options: options) == hasFile else {
                fatalError("a file that nobody has open was not compacted")
            }
        case .copy: try copy()
        case .verify: try expectModel(opened(), verified: writer == nil)
        }
    }

    private mutating func change(_ operation: StressOperation) throws {
        let connection = try opened()
        var writer: OperationWriter
        if let open = self.writer {
            writer = open
        } else {
            try connection.beginWrite()
            if try connection.table(named: StressSchema.progress) == nil {
                try connection.createTables(StressSchema.definitions)
                _ = try connection.table(named: StressSchema.progress)!.insert([.integer(0)])
            }
            writer = try OperationWriter(connection, transaction: model.progress + 1)
        }
        try writer.apply(operation)
        self.writer = writer
        transaction.append(operation)
    }

    private mutating func commit(_ durability: CommitDurability) throws {
        guard let connection, writer != nil else { return }
        let number = model.progress + 1
        let progress = try connection.table(named: StressSchema.progress)!
        try progress.set(0, of: progress.key(at: 0), to: .integer(Int64(number)))
        try connection.commit(durability)
        model.apply(transaction, number: number)
        (writer, transaction) = (nil, [])
        try expectModel(connection, verified: false)
    }

    private mutating func rollBack() throws {
        guard let connection, writer != nil else { return }
        connection.rollback()
        (writer, transaction) = (nil, [])
        try expectModel(connection, verified: false)
    }

    private mutating func unpin(_ index: Int) throws {
        let reader = readers.remove(at: index)
        guard try StressWorkload.digest(of: reader.connection) == reader.digest else {
            fatalError("a reader does not see its version any more")
        }
    }

    /// Rolls back an open transaction, checks and drops all readers, and closes the connection.
    private mutating func closeAll() throws {
        try rollBack()
        while !readers.isEmpty { try unpin(0) }
        connection = nil
    }

    private mutating func copy() throws {
        try rollBack()
        Self.remove(Self.copyPath)
        try opened().writeCopy(toPath: Self.copyPath, encryptionKey: options.encryptionKey)
        try expectModel(
            Connection(Database.open(path: Self.copyPath, options: options)), verified: true)
    }

    /// Checks that the database holds what the model does. Does nothing while a transaction is
    /// open.
    private func expectModel(_ connection: Connection, verified: Bool) throws {
        guard writer == nil else { return }
        guard try StressWorkload.digest(of: connection) == model.digest() else {
            fatalError("the database and the model differ")
        }
        guard verified, let problem = try connection.verify().first else { return }
        fatalError("verification finds: \(problem)")
    }
}
