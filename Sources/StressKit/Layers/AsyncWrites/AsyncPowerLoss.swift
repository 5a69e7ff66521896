import StorageEngine
import StressModel

/// Records what writers do to a file and when each commit is acknowledged, or shown by another
/// Realm, and judges the files that a loss of power could leave.
struct AsyncPowerLoss {
    private let point: StressPoint
    private let trial: Trial
    private let judge: AsyncJudge
    private let exhaustivePieces: Int
    private let samples: Int

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        judge = AsyncJudge(point: point, trial: trial)
        exhaustivePieces = try point.number("exhaustive", in: 0...20, default: 4)
        samples = try point.number("samples", in: 0...1_000_000, default: 6)
    }

    func run() throws {
        var recording: AsyncRecording?
        try trial.attempt(point) {
            recording = try AsyncRecording(point, trial, from: judge.prepare(), [.slowSyncs])
        }
        guard let recording else { return }
        trial.cover("commits", times: recording.ledger.done.count)
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 35 << 32)
        for moment in recording.history.decisiveMoments {
            let known = Array(recording.events.prefix(moment.acknowledged))
            let ledger = try AsyncLedger(known)
            let choices = moment.choices(
                exhaustivePieces: exhaustivePieces, samples: samples, &random)
            for choice in choices {
                // What writers do, and so each moment, is another one each time.
                try trial.attempt(point, with: moment.image(choice)) { path in
                    try judge.reopen(path, ledger, mayHaveTornRecords: true)
                }
                if trial.mustStop { return }
            }
        }
    }
}

/// What writers of this process did to a file.
struct AsyncRecording {
    /// The acknowledgements of the history are numbers of events.
    let history: PowerLossHistory
    let events: [AsyncEvent]
    /// All events.
    let ledger: AsyncLedger
    /// How often calls were made until all writers had ended.
    let counts: [SystemCall: Int]

    /// Has writers write to a new file with these contents.
    ///
    /// - Parameter faults: take effect when the file is open.
    init(
        _ point: StressPoint, _ trial: Trial, from image: [UInt8], _ faults: [SystemCallFault],
        beside trouble: AsyncTrouble = .none
    ) throws {
        let path = trial.file("recorded")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        // Each with the number of calls in the trace when it was known.
        let told = Locked<[(event: AsyncEvent, position: Int)]>([])
        let record = AsyncRecord { event in
            told.withLock { $0.append((event, interceptor.traceCount)) }
        }
        counts = try Self.write(point, path, record, interceptor, faults, trouble)
        interceptor.setFaults([])
        let events = told.withLock { $0 }
        self.events = events.map(\.event)
        ledger = try AsyncLedger(self.events)
        var history = PowerLossHistory(
            durable: image, pending: [], acknowledged: 0,
            headBytes: HeaderFields(of: image).headBytes)
        var next = 0
        for event in interceptor.trace where event.path == path {
            while next < events.count, events[next].position <= event.position {
                next += 1
                history.acknowledge(next)
            }
            history.add(event)
        }
        history.acknowledge(events.count)
        self.history = history
    }

    /// Runs the writers. A separate function, so that the file is closed when it returns.
    private static func write(
        _ point: StressPoint, _ path: String, _ record: AsyncRecord,
        _ interceptor: SystemInterceptor, _ faults: [SystemCallFault], _ trouble: AsyncTrouble
    ) throws -> [SystemCall: Int] {
        let database = try Database.open(path: path, options: point.options())
        interceptor.setFaults(faults)
        try AsyncParty(point, path, record, beside: trouble).run()
        return withExtendedLifetime(database) {
            Dictionary(
                uniqueKeysWithValues: SystemCall.allCases.map { ($0, interceptor.count(of: $0)) })
        }
    }
}
