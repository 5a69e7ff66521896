import RealmSwift
import StorageEngine
import StressModel

/// A process that writes what others observe. It carries out the transactions of a point.
///
/// Settings: `writer` (its number, which what it writes depends on), `pause` (the longest pause
/// between transactions, in microseconds).
struct ObservedWriter {
    private let point: StressPoint
    private let changes: ObservedChanges
    private let transactions: Int
    private let pause: Int

    init(_ point: StressPoint) throws {
        self.point = point
        changes = ObservedChanges(
            seed: try point.value("seed", default: 0),
            writer: try point.number("writer", in: 0...1000, default: 1))
        transactions = try point.observedTransactions()
        pause = try point.number("pause", in: 0...1_000_000, default: 0)
    }

    /// Writes, and reports after each transaction how many there are. The file is closed when it
    /// returns.
    func run(_ path: String) throws {
        let realm = try Realm(configuration: point.observedConfiguration(path))
        WorkerChannel.say(VictimMessage.open)
        try run(on: realm) { count in
            WorkerChannel.say("\(VictimMessage.acknowledged) \(count)")
        }
    }

    /// Writes to an open Realm. `tell` is called with the number of transactions after each.
    func run(on realm: Realm, _ tell: (Int) -> Void = { _ in }) throws {
        var random = RepeatableRandom(seed: changes.seed, part: UInt64(changes.writer) + 21 << 32)
        for step in 1...transactions {
            tell(try changes.run(step, on: realm))
            if pause > 0 { System.sleep(nanoseconds: UInt64(random.below(pause)) * 1000) }
        }
    }
}
