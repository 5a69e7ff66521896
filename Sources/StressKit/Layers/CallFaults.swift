import Glibc
import StorageEngine
import StressModel

/// One fault, and the new file that it is tried on.
struct FaultAttempt {
    let context: CallFaults
    let fault: SystemCallFault
    let path: String
    let interceptor: SystemInterceptor
}

/// All faults for the calls made by a workload, by opening a file, or by compacting it.
struct CallFaults {
    let point: StressPoint
    let trial: Trial
    let oracle: PrefixOracle
    let options: Database.Options
    /// Number of transactions that the file holds before calls fail.
    let prepared: Int
    private let image: [UInt8]

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        let workload = try point.workload()
        oracle = PrefixOracle(workload)
        options = try point.options()
        let wanted = point.scenario == "changes" ? StressOperation.transactionsForAllSlots : 6
        prepared = min(wanted, workload.count - 1)
        image = try trial.prepare(point, transactions: prepared)
    }

    /// Calls and the error numbers they fail with. Calls left out fail without consequence
    /// (`close`, `munmap`) or are not made on files (`memfd`).
    private static let errors: [(SystemCall, [Int32])] = [
        (.open, [EIO, EMFILE, EACCES]), (.fstat, [EIO]), (.stat, [EIO]), (.lseek, [EIO]),
        (.pread, [EIO]), (.pwrite, [EIO, ENOSPC]), (.pwritev, [EIO, ENOSPC]),
        (.writeSynced, [EIO, ENOSPC, EOPNOTSUPP]),
        (.fdatasync, [EIO, ENOSPC]), (.fsync, [EIO]), (.ftruncate, [EIO, ENOSPC]),
        (.fallocate, [EIO, ENOSPC]), (.mmap, [ENOMEM]), (.madvise, [ENOMEM]), (.lock, [ENOLCK]),
        (.rename, [EIO, ENOSPC]), (.unlink, [EIO]), (.mkdir, [EACCES, ENOSPC]),
    ]
    /// Calls that a signal may interrupt. They must be made again without an error.
    private static let interrupted: [SystemCall] = [
        .open, .pread, .pwrite, .pwritev, .writeSynced, .fdatasync, .fallocate, .ftruncate, .lseek,
    ]

    /// Calls `body` with each fault and a new file, or only with the fault that the point names.
    func run(
        _ body: (FaultAttempt) throws -> Void
    ) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: trial.directory))
        interceptor.install()
        defer { interceptor.uninstall() }
        for fault in try named().map({ [$0] }) ?? all(interceptor) {
            try trial.attempt(point.with("fault", fault.text)) {
                let path = trial.file("failing")
                try trial.write(isOpening ? [] : image, to: path)
                defer {
                    interceptor.setFaults([])
                    trial.remove(path)
                }
                try body(
                    FaultAttempt(
                        context: self, fault: fault, path: path, interceptor: interceptor))
            }
            if trial.mustStop { return }
        }
    }

    private var isOpening: Bool { point.scenario == "open" }

    private func named() throws -> SystemCallFault? {
        guard let text = point["fault"] else { return nil }
        guard let fault = SystemCallFault(parsing: text) else {
            throw point.unreadable("fault", text)
        }
        return fault
    }

    /// Returns all faults, after counting the calls of an undisturbed run.
    private func all(_ interceptor: SystemInterceptor) throws -> [SystemCallFault] {
        let path = trial.file("counted")
        try trial.write(isOpening ? [] : image, to: path)
        defer { trial.remove(path) }
        interceptor.setFaults([])
        switch point.scenario {
        case "open":
            let connection = try Connection(Database.open(path: path, options: options))
            try oracle.workload.run(1, on: connection)
        case "compacting": _ = try Database.compact(path: path, options: options)
        default:
            let connection = try Connection(Database.open(path: path, options: options))
            interceptor.setFaults([])
            for step in (prepared + 1)...oracle.workload.count {
                try oracle.workload.run(step, on: connection)
            }
        }
        return faults(interceptor)
    }

    /// Returns all faults for the calls that were counted.
    private func faults(_ interceptor: SystemInterceptor) -> [SystemCallFault] {
        var faults: [SystemCallFault] = []
        let isForEver = point.scenario == "for-ever"
        for (call, numbers) in Self.errors {
            for ordinal in 0..<interceptor.count(of: call) {
                for number in numbers {
                    faults.append(
                        SystemCallFault(
                            isForEver ? .failForever(errno: number) : .fail(errno: number),
                            call: call, ordinal: ordinal + 1))
                }
            }
        }
        if !isForEver {
            for call in Self.interrupted {
                for ordinal in 0..<interceptor.count(of: call) {
                    faults.append(
                        SystemCallFault(.fail(errno: EINTR), call: call, ordinal: ordinal + 1))
                }
            }
            for call in [SystemCall.pwrite, .pwritev] {
                for ordinal in 0..<interceptor.count(of: call) {
                    faults.append(SystemCallFault(.short, call: call, ordinal: ordinal + 1))
                }
            }
        }
        return faults
    }
}

extension SystemCallFault {
    /// Whether the engine must hide this fault from its caller.
    var isHarmless: Bool { effect == .short || effect == .fail(errno: EINTR) }

    /// The text that ``init(parsing:)`` reads, for the effects that faults here have.
    var text: String {
        let call = call?.rawValue ?? ""
        switch effect {
        case .fail(let number): return "fail:\(call):\(ordinal):\(Self.name(of: number))"
        case .failForever(let number):
            return "fail-forever:\(call):\(ordinal):\(Self.name(of: number))"
        case .short: return "short:\(call):\(ordinal)"
        case .killBefore: return "kill-before:\(call):\(ordinal)"
        case .killAfter: return "kill-after:\(call):\(ordinal)"
        case .slow: return "slow:\(call):\(ordinal)"
        case .hold: return "hold:\(call):\(ordinal)"
        case .stopBefore: return "stop-before:\(call):\(ordinal)"
        case .failOverlapped(let number):
            return "fail-overlapped:\(call):\(ordinal):\(Self.name(of: number))"
        }
    }

    private static func name(of number: Int32) -> String {
        let names = [
            EIO: "EIO", ENOSPC: "ENOSPC", EINTR: "EINTR", EMFILE: "EMFILE", EACCES: "EACCES",
            ENOMEM: "ENOMEM", ENOLCK: "ENOLCK",
        ]
        return names[number] ?? String(number)
    }
}
