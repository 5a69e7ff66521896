import Foundation
import Glibc
import RealmSwift
import StorageEngine
import StressModel

/// Transactions through the object API in which a system call, or the request for pages, fails.
///
/// Inside the failed block everything reads as it did before the transaction. The same transaction
/// succeeds once the fault is over.
struct ObjectsUnderFault {
    let point: StressPoint
    let trial: Trial
    private let transactions: StockTransactions
    private let key: [UInt8]?
    private let interceptor: SystemInterceptor

    /// Number of transactions before the one that fails.
    private static let prepared = 3
    private static let calls: [(SystemCall, Int32)] = [
        (.takePages, ENOSPC), (.fallocate, ENOSPC), (.pwrite, ENOSPC), (.pwritev, ENOSPC),
        (.mmap, ENOMEM),
    ]

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        transactions = StockTransactions(seed: try point.value("seed", default: 0))
        key = try point.options().encryptionKey
        interceptor = SystemInterceptor(scope: .files(pathPrefix: trial.directory))
    }

    func run() throws {
        interceptor.install()
        defer { interceptor.uninstall() }
        if let text = point["fault"] {
            guard let fault = SystemCallFault(parsing: text) else {
                throw point.unreadable("fault", text)
            }
            return try attempt(fault)
        }
        for (call, number) in Self.calls {
            for ordinal in 1...max(1, try count(call)) {
                try attempt(
                    SystemCallFault(.failForever(errno: number), call: call, ordinal: ordinal))
                if trial.mustStop { return }
            }
        }
    }

    /// Returns how often the transaction makes the call when nothing fails.
    private func count(_ call: SystemCall) throws -> Int {
        let path = trial.file("counted")
        defer { remove(path) }
        let realm = try prepare(path)
        interceptor.setFaults([])
        _ = try transactions.run(Self.prepared, on: realm)
        return interceptor.count(of: call)
    }

    private func attempt(_ fault: SystemCallFault) throws {
        try trial.attempt(point.with("fault", fault.text)) {
            let path = trial.file("objects")
            defer {
                interceptor.setFaults([])
                remove(path)
            }
            try fail(fault, path)
            try Connection(Database.open(path: path, options: point.options())).checkIntact()
            trial.count(states: 2, commits: Self.prepared + 1)
        }
    }

    /// Runs the transaction with the fault, and again without it. A separate function, so that the
    /// file is closed when it returns.
    private func fail(_ fault: SystemCallFault, _ path: String) throws {
        let realm = try prepare(path)
        interceptor.setFaults([fault])
        let error = try transactions.run(Self.prepared, on: realm)
        interceptor.setFaults([])
        guard let error else { return }
        trial.cover("\(fault.call?.rawValue ?? "") fails")
        let expected: [Realm.Error.Code] =
            fault.call == .mmap
            ? [.addressSpaceExhausted, .outOfDiskSpace] : [.outOfDiskSpace]
        if !expected.contains(error.code) {
            throw Finding(.wrongError, "a full disk is told as \(error.code): \(error)")
        }
        if let error = try transactions.run(Self.prepared, on: realm) {
            throw Finding(.wrongError, "\(error.code) though nothing failed: \(error)")
        }
    }

    private func prepare(_ path: String) throws -> Realm {
        let realm = try StockTransactions.open(path, key)
        for step in 0..<Self.prepared { _ = try transactions.run(step, on: realm) }
        return realm
    }

    private func remove(_ path: String) {
        trial.remove(path)
        unlink(path + ".lock")
    }
}
