import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// An observing process (``Watcher``) as the process sees it that started it.
final class WatcherProcess {
    private let child: ChildProcess
    private let errorFile: String
    /// Sums that the process has reported.
    private(set) var counts = MirrorLog.Counts()
    /// How many transactions its observers have been told of.
    private(set) var known = 0

    var identifier: UInt32 { UInt32(bitPattern: child.identifier) }

    private static let patienceSeconds = 30.0

    /// Starts the process. `number` tells it from others.
    init(
        _ point: StressPoint, path: String, at kind: ObservingPlace.Kind, _ trial: Trial,
        number: Int
    ) throws {
        errorFile = trial.file("watcher-errors-\(number)")
        child = try ChildProcess(
            executable: ChildProcess.ownExecutable,
            arguments: [HelperCommand.watcher, path, kind.rawValue, point.description],
            errorFile: errorFile)
    }

    /// Waits until it observes.
    func waitUntilOpen() throws { _ = try wait(for: Watcher.Message.open) }

    /// Has it wait for a transaction and compare all mirrors.
    func settle(_ count: Int) throws {
        let words = try ask("\(Watcher.Command.settle) \(count)")
        if words.count == 3, let comparisons = Int(words[1]), let deliveries = Int(words[2]) {
            counts = MirrorLog.Counts(deliveries: deliveries, comparisons: comparisons)
        }
    }

    /// Sends a command and waits for its answer.
    @discardableResult
    func ask(_ command: String) throws -> [Substring] {
        child.send(command)
        return try wait(for: String(command.prefix { $0 != " " }))
    }

    private func wait(for name: String) throws -> [Substring] {
        while true {
            switch child.nextLine(silentFor: Self.patienceSeconds) {
            case .text(let line):
                let words = line.split(separator: " ")
                if let first = words.first, first == name { return words }
                try note(line)
            case .end:
                throw Finding(.crash, "an observing process \(child.lastWords(in: errorFile))")
            case .silence:
                child.kill()
                throw Finding(
                    .overLimit,
                    "an observing process did nothing for \(Int(Self.patienceSeconds)) s when "
                        + "asked for '\(name)'.")
            }
        }
    }

    private func note(_ line: String) throws(Finding) {
        let words = line.split(separator: " ", maxSplits: 1)
        if words.first == Substring(Watcher.Message.failed) {
            throw Finding(.wrongState, "in an observing process, \(words.last ?? "")")
        }
        if words.first == Substring(Watcher.Message.known) {
            known = words.last.flatMap { Int($0) } ?? known
        }
    }

    /// Reads what it has said so far.
    func readMessages() throws {
        while let line = child.lineAtHand() { try note(line) }
    }

    func stop() { Glibc.kill(child.identifier, SIGSTOP) }

    func goOn() { Glibc.kill(child.identifier, SIGCONT) }

    /// Kills it, and waits until it has ended.
    func kill() {
        child.kill()
        child.wait()
    }
}
