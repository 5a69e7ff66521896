import Foundation
import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// A victim as its killer sees it.
final class VictimProcess {
    private let child: ChildProcess
    private let errorFile: String
    /// The newest transaction whose commit the victim has reported.
    private(set) var acknowledged: Int
    /// Number of calls that changed files, known once the victim has ended by itself.
    private(set) var calls: Int?
    /// Number of calls that wake sleepers, and of those for locks, known like ``calls``.
    private(set) var wakes = 0
    private(set) var locks = 0
    /// Is called with what the victim says besides.
    var hear: (String) -> Void = { _ in }

    /// Starts a victim on a file that holds `transactions` transactions.
    ///
    /// - Parameter name: names the file of its error messages.
    init(
        _ point: StressPoint, path: String, faults: String = "", transactions: Int,
        in trial: Trial, name: String = "victim"
    ) throws {
        acknowledged = transactions
        errorFile = trial.file("\(name)-errors")
        unlink(errorFile)
        child = try ChildProcess(
            executable: ChildProcess.ownExecutable,
            arguments: [HelperCommand.victim, path, faults, point.description],
            errorFile: errorFile)
    }

    private static let patienceSeconds = 30.0

    /// Waits until the victim has opened the file; false if it has ended before.
    func waitUntilOpen() throws -> Bool {
        while let line = try nextLine() {
            if line == VictimMessage.open { return true }
        }
        return false
    }

    private func note(_ line: String) {
        let words = line.split(separator: " ")
        let number = words.count == 2 ? Int(words[1]) : nil
        switch (words.first.map(String.init), number) {
        case (VictimMessage.acknowledged, let number?): acknowledged = number
        case (VictimMessage.calls, let number?): calls = number
        case (VictimMessage.wakes, let number?): wakes = number
        case (VictimMessage.locks, let number?): locks = number
        default: hear(line)
        }
    }

    private func nextLine() throws -> String? {
        switch child.nextLine(silentFor: Self.patienceSeconds) {
        case .text(let line):
            note(line)
            if line.hasPrefix(VictimMessage.problem) { throw Finding(.wrongState, line) }
            return line
        case .end: return nil
        case .silence:
            child.kill()
            throw Finding(
                .overLimit,
                "a process that should have been killed, or have ended, did nothing for "
                    + "\(Int(Self.patienceSeconds)) s.")
        }
    }

    func kill() { child.kill() }

    /// Waits until a fault has stopped the victim; false if it has ended.
    func waitUntilStopped() throws -> Bool {
        var patience = Patience(nanoseconds: UInt64(Self.patienceSeconds * 1e9))
        while patience.nap(nanoseconds: 1_000_000) {
            switch ProcessStatus.state(of: child.identifier) {
            case "T":
                // All its messages are in the socket's buffer, and no more will come.
                while let line = child.lineAtHand() { note(line) }
                return true
            case "Z", nil: return false
            default: break
            }
        }
        throw Finding(.overLimit, "a process did not come to the call at which it was to stop.")
    }

    /// Lets a stopped victim go on.
    func goOn() { Glibc.kill(child.identifier, SIGCONT) }

    /// Waits until the victim has ended, by itself or by `SIGKILL`. Any other end is a finding.
    ///
    /// - Returns: whether it was killed.
    @discardableResult
    func waitForEnd() throws -> Bool {
        while try nextLine() != nil {}
        let signal = child.wait()
        if signal == SIGKILL { return true }
        guard signal == 0, child.exitCode == 0 else {
            throw Finding(.crash, "the writing process \(child.lastWords(in: errorFile))")
        }
        return false
    }

    /// Waits until the victim has killed itself beside a child that it forked, which lives until
    /// this object is released; false if the victim has ended before.
    func waitUntilKilledBesideChild() throws -> Bool {
        while let line = try nextLine() {
            if line == VictimMessage.forked { return child.wait() == SIGKILL }
        }
        return false
    }

    /// Returns what is known of the victim's commits. One more may have been under way.
    func ledger(_ workload: StressWorkload) -> CommitLedger {
        CommitLedger(acknowledged: acknowledged, sent: min(acknowledged + 1, workload.count))
    }
}
