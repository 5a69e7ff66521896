import Foundation
import Glibc
import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// A process that observes what others write, and obeys commands that it reads, a line each.
final class Watcher: Sendable {
    /// What it is told. Each command is answered with a line that begins with its name.
    enum Command {
        /// `settle 17`: wait for transaction 17 and compare all mirrors.
        static let settle = "settle"
        /// `hang first`: the first, or the last, handler of the next delivery does not return.
        static let hang = "hang"
        /// Has the place do something else and serve no deliveries.
        static let busy = "busy"
        /// Ends `hang` or `busy`.
        static let go = "go"
        /// Ends all observers.
        static let forget = "forget"
    }

    /// Messages, a line each, beside the answers.
    enum Message {
        static let open = "open"
        static let known = "known"
        static let failed = "failed"
    }

    private let party: ObservingParty
    private let gate = DispatchSemaphore(value: 0)
    /// The handler of the next delivery that waits at the gate.
    private let hangs = Locked<MirrorSet.Position?>(nil)

    private init(_ point: StressPoint, _ path: String, _ kind: ObservingPlace.Kind) throws {
        party = try ObservingParty(kind, point.observedConfiguration(path)) {
            WorkerChannel.say("\(Message.known) \($0)")
        }
        let (gate, hangs) = (gate, hangs)
        try party.atPlace { set in
            set.onDelivery = { position in
                let mustWait = hangs.withLock { waiting in
                    let isMeant = waiting == position
                    if isMeant { waiting = nil }
                    return isMeant
                }
                if mustWait { gate.wait() }
            }
        }
    }

    /// Runs the process, whose main thread runs its run loop.
    static func run(_ point: StressPoint, path: String, place: String) throws {
        ParentDeath.follow()
        guard let kind = ObservingPlace.Kind(rawValue: place) else {
            throw BenchmarkError(.usage, "'\(place)' is no place to observe at.")
        }
        let given = Handed(point)
        let thread = BackgroundThread { _ in
            do {
                let watcher = try Watcher(given.value, path, kind)
                WorkerChannel.say(Message.open)
                while let line = readLine() { try watcher.obey(line) }
            } catch let finding as Finding {
                WorkerChannel.say("\(Message.failed) \(finding.message)")
            } catch {
                WorkerChannel.say("\(Message.failed) \(error)")
            }
            // Exit without closing: a handler may never return.
            _exit(0)
        }
        // A run loop without a timer or source returns at once.
        RunLoop.main.add(Timer(timeInterval: 3_600, repeats: true) { _ in }, forMode: .default)
        withExtendedLifetime(thread) {
            while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
        }
    }

    private func obey(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case (Command.settle, 2):
            try party.settle(Int(words[1]) ?? 0)
            let counts = party.log.counts
            return WorkerChannel.say(
                "\(Command.settle) \(counts.comparisons) \(counts.deliveries)")
        case (Command.hang, 2):
            let position = MirrorSet.Position(rawValue: words[1])
            if position == .last { try party.moveLastBehind() }
            hangs.withLock { $0 = position }
        case (Command.busy, 1): party.place.start { [gate] in gate.wait() }
        case (Command.go, 1): gate.signal()
        case (Command.forget, 1): try party.forget()
        default: throw BenchmarkError(.usage, "'\(line)' is no command for an observing process.")
        }
        WorkerChannel.say(words[0])
    }
}
