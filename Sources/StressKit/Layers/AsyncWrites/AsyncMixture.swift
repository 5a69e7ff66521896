import StorageEngine
import StressModel

/// Writers of one process. In the end, every commit was acknowledged and nothing else is there.
struct AsyncMixture {
    private let point: StressPoint
    private let trial: Trial
    private let path: String

    init(_ point: StressPoint, _ trial: Trial, _ path: String) {
        self.point = point
        self.trial = trial
        self.path = path
    }

    func run() throws {
        let judge = AsyncJudge(point: point, trial: trial)
        try judge.create(path)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory), faults: [.slowSyncs])
        interceptor.install()
        defer { interceptor.uninstall() }
        let events = AsyncEvents()
        let record = AsyncRecord { events.append($0) }
        try AsyncParty(point, path, record, beside: .none).run()
        let ledger = try AsyncLedger(events.all)
        if let (ticket, failure) = ledger.failures.first {
            throw Finding(.wrongError, "\(ticket) fails (\(failure.rawValue)), and nothing did.")
        }
        trial.cover("commits", times: ledger.done.count)
        trial.cover("syncs", times: interceptor.count(of: .fdatasync))
        try judge.reopen(path, ledger, isWhole: true)
    }
}
