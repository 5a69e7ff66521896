import RealmSwift
import StorageEngine
import StressModel

/// Kills observing processes, while this process writes and observes, and another one observes.
///
/// No writer may wait for a dead, stopped or hanging observer. What it had pinned is released when
/// it is dead, and the other observers are told of everything.
struct KilledWatchers {
    private let point: StressPoint
    private let trial: Trial
    private let path: String

    /// How a process ends.
    private enum Way: CaseIterable {
        /// While it starts.
        case starting
        /// While it is told of transactions.
        case observing
        /// While one of its handlers does not return.
        case hanging
        /// After it was stopped for a time and has gone on.
        case resumed
        /// While it is stopped.
        case stopped
    }

    private static let longestStart = 60_000
    private static let longestDelay = 4_000
    /// The most old versions of an observing process: that which handlers know that were not called
    /// yet, and that which the Realm shows.
    private static let mostVersions = 2

    init(_ point: StressPoint, _ trial: Trial, _ path: String) {
        self.point = point
        self.trial = trial
        self.path = path
    }

    func run() throws {
        var file = try ObservedFile(point, trial, path)
        let pins = ObservedPins(try Database.open(path: path, options: point.options()))
        let survivor = try WatcherProcess(point, path: path, at: .queue, trial, number: 0)
        try survivor.waitUntilOpen()
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 22 << 32)
        for number in 1...(try point.observedTransactions()) {
            let way = Way.allCases.randomElement(using: &random)!
            let kind = [ObservingPlace.Kind.queue, .runLoop, .main].randomElement(using: &random)!
            let victim = try WatcherProcess(point, path: path, at: kind, trial, number: number)
            try bring(victim, to: way, &file, pins, &random)
            victim.kill()
            trial.cover("observers killed \(way)")
            let count = try file.write()
            try file.settle(count)
            try survivor.settle(count)
            try pins.waitUntilReleased(by: victim.identifier)
        }
        trial.cover(survivor.counts)
        try file.end()
    }

    private func bring(
        _ victim: WatcherProcess, to way: Way, _ file: inout ObservedFile, _ pins: ObservedPins,
        _ random: inout RepeatableRandom
    ) throws {
        func pause(_ longest: Int) {
            System.sleep(nanoseconds: UInt64(random.below(longest)) * 1000)
        }
        if way == .starting { return pause(Self.longestStart) }
        try victim.waitUntilOpen()
        switch way {
        case .starting: break
        case .observing:
            _ = try file.write(1 + random.below(4))
            pause(Self.longestDelay)
        case .hanging:
            try victim.ask("\(Watcher.Command.hang) \(random.isOne(in: 2) ? "first" : "last")")
            _ = try file.write()
            pause(Self.longestDelay * 8)
            _ = try file.write(3)
        case .resumed, .stopped:
            pause(Self.longestDelay)
            victim.stop()
            let count = try file.write(4)
            try file.settle(count)
            try pins.wait(for: Self.mostVersions, of: victim.identifier)
            if way == .stopped { return }
            victim.goOn()
            try victim.settle(count)
        }
    }
}
