import RealmSwift
import StorageEngine
import StressModel

/// Observing processes with a handler that takes long or never returns, or with a thread that does
/// something else. Others are told of everything meanwhile. Such a process pins the version that
/// its Realm shows, and no other but for ``Slowness/firstHandler``; and nothing once its tokens are
/// gone.
struct SlowWatchers {
    private let point: StressPoint
    private let trial: Trial
    private let path: String

    private enum Slowness: CaseIterable {
        /// The first handler of a delivery takes long: the others still know the version before,
        /// and are to be told what leads from it if this handler moves the Realm.
        case firstHandler
        /// All others were called, so nobody knows the version before.
        case lastHandler
        /// Nothing is delivered.
        case place

        /// The most versions that the process pins while it is slow, the newest one left out: that
        /// which its Realm shows, and that which handlers know that were not called yet.
        var mostVersions: Int {
            switch self {
            case .firstHandler: 2
            case .lastHandler, .place: 1
            }
        }
    }

    private static let transactions = 6
    /// A little more than a prepared result is kept that is not taken.
    private static let pause: UInt64 = 120_000_000

    init(_ point: StressPoint, _ trial: Trial, _ path: String) {
        self.point = point
        self.trial = trial
        self.path = path
    }

    func run() throws {
        var file = try ObservedFile(point, trial, path)
        let pins = ObservedPins(try Database.open(path: path, options: point.options()))
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 23 << 32)
        for number in 1...(try point.observedTransactions()) {
            let slowness = Slowness.allCases.randomElement(using: &random)!
            let kind = [ObservingPlace.Kind.queue, .runLoop, .main].randomElement(using: &random)!
            let watcher = try WatcherProcess(point, path: path, at: kind, trial, number: number)
            try watcher.waitUntilOpen()
            try watcher.settle(file.count)
            try slowDown(watcher, slowness, &file, pins)
            trial.cover("slow \(slowness)")
            if random.isOne(in: 3) {
                trial.cover("handlers that never return")
                watcher.kill()
                _ = try file.write()
                try pins.waitUntilReleased(by: watcher.identifier)
                continue
            }
            try watcher.ask(Watcher.Command.go)
            try watcher.settle(file.count)
            try release(watcher, &file, pins)
        }
        try file.end()
    }

    private func slowDown(
        _ watcher: WatcherProcess, _ slowness: Slowness, _ file: inout ObservedFile,
        _ pins: ObservedPins
    ) throws {
        switch slowness {
        case .firstHandler: try watcher.ask("\(Watcher.Command.hang) first")
        case .lastHandler: try watcher.ask("\(Watcher.Command.hang) last")
        case .place: try watcher.ask(Watcher.Command.busy)
        }
        for _ in 0..<Self.transactions {
            try file.settle(try file.write())
            System.sleep(nanoseconds: Self.pause)
        }
        try pins.wait(for: slowness.mostVersions, of: watcher.identifier)
    }

    /// Ends the observers, and checks that the process pins no old version any more.
    private func release(
        _ watcher: WatcherProcess, _ file: inout ObservedFile, _ pins: ObservedPins
    ) throws {
        trial.cover(watcher.counts)
        try watcher.ask(Watcher.Command.forget)
        _ = try file.write()
        try pins.waitUntilNewest(of: watcher.identifier)
        trial.cover("observers released")
        watcher.kill()
    }
}
