import Foundation
import RealmSwift
import StorageEngine
import StressModel

/// Transactions through the object API on a file system with a limited number of free bytes. When
/// the disk is full, the ballast is dropped and the transaction runs again.
struct ObjectsOnFullDisk {
    private let point: StressPoint
    private let trial: Trial
    private let transactions: StockTransactions
    private let disk: SmallDisk
    private let path: String

    init(_ point: StressPoint, _ trial: Trial, bytes: Int) throws {
        self.point = point
        self.trial = trial
        transactions = StockTransactions(seed: try point.value("seed", default: 0))
        disk = try SmallDisk(.tmpfs, bytes: bytes, below: trial.directory)
        path = disk.path + "/objects"
    }

    func run() throws {
        let count = try point.number("transactions", in: 1...100_000, default: 24)
        try write(count)
        try Connection(Database.open(path: path, options: point.options())).checkIntact()
        trial.count(states: 1, commits: count)
    }

    /// Runs the transactions. A separate function, so that the file is closed when it returns.
    private func write(_ count: Int) throws {
        var isFull = true
        let realm = try open(&isFull)
        for step in 0..<count {
            guard let error = try transactions.run(step, on: realm) else { continue }
            try expectFull(error, isFull)
            trial.cover("a transaction meets a full disk")
            disk.dropBallast()
            isFull = false
            if let error = try transactions.run(step, on: realm) { try expectFull(error, isFull) }
        }
    }

    private func open(_ isFull: inout Bool) throws -> Realm {
        let key = try point.options().encryptionKey
        do { return try StockTransactions.open(path, key) } catch let error as Realm.Error {
            try expectFull(error, isFull)
            trial.cover("opening meets a full disk")
            disk.dropBallast()
            isFull = false
            return try StockTransactions.open(path, key)
        }
    }

    private func expectFull(_ error: Realm.Error, _ isFull: Bool) throws(Finding) {
        if error.code != .outOfDiskSpace || !isFull {
            let disk = isFull ? "a full disk" : "space on the disk"
            throw Finding(.wrongError, "\(error.code) with \(disk): \(error)")
        }
    }
}
