import Glibc
import StorageEngine
import StressModel

/// Fails each call of writers that write to a file, and judges what a loss of power could leave
/// then.
///
/// A completion that was given no error is an acknowledgement, whatever has failed before it. One
/// that was given an error other than an unknown outcome tells that nothing was written.
struct AsyncFaults {
    private let point: StressPoint
    private let trial: Trial
    private let judge: AsyncJudge
    private let image: [UInt8]

    private static let errors: [(SystemCall, Int32)] = [
        (.fdatasync, EIO), (.pwritev, EIO), (.pwritev, ENOSPC), (.pwrite, EIO),
        (.fallocate, ENOSPC),
    ]
    private static let samples = 6

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        judge = AsyncJudge(point: point, trial: trial)
        image = try judge.prepare()
    }

    func run() throws {
        for fault in try faults() {
            try trial.attempt(point.with("fault", fault.text)) { try attempt(fault) }
            if trial.mustStop { return }
        }
    }

    /// Returns the fault that the point names, or all, in a random order: a run may end before all
    /// were tried.
    private func faults() throws -> [SystemCallFault] {
        if let text = point["fault"] {
            guard let fault = SystemCallFault(parsing: text) else {
                throw point.unreadable("fault", text)
            }
            return [fault]
        }
        let whole = try AsyncRecording(point, trial, from: image, [.slowSyncs])
        let all = Self.errors.flatMap { call, number in
            (0..<(whole.counts[call] ?? 0)).map {
                SystemCallFault(.fail(errno: number), call: call, ordinal: $0 + 1)
            }
        }
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 36 << 32)
        return all.shuffled(using: &random)
    }

    private func attempt(_ fault: SystemCallFault) throws {
        let recording = try AsyncRecording(
            point, trial, from: image, [.slowSyncs, fault], beside: .failingCalls)
        try checkIsTold(fault, recording)
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 37 << 32)
        let choices: [PowerLossChoice] =
            [.nothing, .everything]
            + (0..<Self.samples).map { _ in .sample(seed: random.next() >> 16) }
        let path = trial.file("left")
        defer { trial.remove(path) }
        for choice in choices {
            try trial.write(recording.history.moments.last!.image(choice), to: path)
            try judge.reopen(path, recording.ledger, mayHaveTornRecords: true)
        }
        trial.cover("commits", times: recording.ledger.done.count)
        trial.cover("commits that failed", times: recording.ledger.failures.count)
    }

    /// Checks that a sync that failed has failed a commit, and how.
    private func checkIsTold(
        _ fault: SystemCallFault, _ recording: AsyncRecording
    ) throws(Finding) {
        guard fault.call == .fdatasync, recording.counts[.fdatasync] ?? 0 >= fault.ordinal else {
            return
        }
        if !recording.ledger.failures.values.contains(.unknown) {
            throw Finding(.wrongError, "a sync failed, and no commit was told of it.")
        }
    }
}
