import Glibc
import RealmSwift
import StorageEngine
import StressModel

/// Fails calls of a process that migrates, and then makes one more transaction.
struct MigrationFaults {
    private let point: StressPoint
    private let trial: Trial
    private let file: MigratedFile
    private let image: [UInt8]
    private let interceptor: SystemInterceptor

    private static let errors: [(SystemCall, [Int32])] = [
        (.open, [EIO, EMFILE]), (.fstat, [EIO]), (.pread, [EIO]), (.pwrite, [EIO, ENOSPC]),
        (.pwritev, [EIO, ENOSPC]), (.fdatasync, [EIO]), (.ftruncate, [EIO]),
        (.fallocate, [EIO, ENOSPC]), (.mmap, [ENOMEM]), (.lock, [ENOLCK]),
        (.takePages, [ENOSPC]),
    ]
    /// The number of faults that are tried at most.
    private static let most = 60

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        file = try MigratedFile(point)
        image = try file.prepare(trial)
        interceptor = SystemInterceptor(scope: .files(pathPrefix: trial.directory))
    }

    func run() throws {
        interceptor.install()
        defer { interceptor.uninstall() }
        for fault in try faults() {
            try trial.attempt(point.with("fault", fault.text), with: image) { path in
                defer { interceptor.setFaults([]) }
                try attempt(path, fault)
            }
            if trial.mustStop { return }
        }
    }

    /// Returns the fault that the point names, or some, in a random order.
    private func faults() throws -> [SystemCallFault] {
        if let text = point["fault"] {
            guard let fault = SystemCallFault(parsing: text) else {
                throw point.unreadable("fault", text)
            }
            return [fault]
        }
        let path = trial.file("counted")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        interceptor.setFaults([])
        _ = try file.migrateOrFail(path)
        _ = try count(in: path)
        func all(_ call: SystemCall, _ effect: SystemCallFault.Effect) -> [SystemCallFault] {
            (0..<interceptor.count(of: call)).map {
                SystemCallFault(effect, call: call, ordinal: $0 + 1)
            }
        }
        let failing = Self.errors.flatMap { call, numbers in
            numbers.flatMap { all(call, .fail(errno: $0)) }
        }
        let harmless =
            all(.pwrite, .short) + all(.pwritev, .short)
            + [.pread, .pwritev, .fdatasync].flatMap { all($0, .fail(errno: EINTR)) }
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 62 << 32)
        return Array((failing + harmless).shuffled(using: &random).prefix(Self.most))
    }

    /// Makes a transaction after the migration. A separate function, so that the file is closed
    /// when it returns.
    private func count(in path: String) throws -> Int64 {
        try StressWorkload.countBystander(
            on: Connection(Database.open(path: path, options: file.options)))
    }

    private func attempt(_ path: String, _ fault: SystemCallFault) throws {
        interceptor.setFaults([fault])
        let outcome = try migrate(path, fault)
        var counts: ClosedRange<Int64> = 0...0
        if outcome == .acknowledged {
            do {
                _ = try count(in: path)
                counts = 1...1
            } catch let error as StorageError {
                try checkMayFail(fault, "\(error.code): \(error.message)")
                counts = 0...(error.code == .outcomeUnknown ? 1 : 0)
            }
        }
        interceptor.setFaults([])
        try file.judgeAndMigrate(path, outcome, in: trial)
        let found = try MigrationBystander.count(in: path, file.options)
        if !counts.contains(found) {
            throw Finding(
                .wrongState,
                "a transaction was made \(found) times where \(counts) were told of.")
        }
    }

    private func migrate(
        _ path: String, _ fault: SystemCallFault
    ) throws -> MigratedFile.Outcome {
        do {
            try file.migrate(path)
            if file.mustFail { throw Finding(.wrongError, "a migration succeeds that must fail.") }
            return .acknowledged
        } catch let error as Realm.Error {
            // A migration that must fail, and an outcome that is unknown, have one code.
            if error.code != .fail || !file.mustFail {
                try checkMayFail(fault, "\(error.code): \(error)")
            }
            trial.cover("migrations that failed")
            return error.code == .fail && !file.mustFail
                ? .unknown : .failed("\(error.code): \(error)")
        }
    }

    private func checkMayFail(_ fault: SystemCallFault, _ error: String) throws(Finding) {
        if fault.isHarmless { throw Finding(.wrongError, "though nothing failed: \(error)") }
    }
}
