/// The performance targets of notifications.
extension SpeedCheck {
    static let changes: [SpeedCheck] =
        ["same-thread", "refresh", "thread", "queue", "actor"].map { told($0, target: 40) }
        + [told("process", target: 80), besideObservations, changeSet]
        + WriteAsyncWorkload.ways.map { asking($0.name) } + [longestPause, frozen]

    /// Creates the check of how soon after a commit one observer is told of one change.
    private static func told(_ strategy: String, target: Double) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row(NotifyWorkload.name, strategy), let latency = row.latency
            else { return nil }
            return Outcome(
                title: title("\(NotifyWorkload.name)/\(strategy)", row), unit: "us",
                bound: .atMost, target: target, measured: latency.p50,
                controls: rows.control("\(strategy)-pipe", of: row, "a byte through a pipe") {
                    $0.latency?.p50
                }, objection: objection(to: row, operations: fewestOperations))
        }
    }

    /// The check that nobody is told later than by GRDB's observations, which may call before the
    /// transaction has returned: from its beginning. The closest pair of rows stands for all.
    private static let besideObservations = SpeedCheck { rows in
        let pairs = rows.rows(NotifyWorkload.name).compactMap { row -> (CaseResult, Double)? in
            let other = rows.rows(NotifyWorkload.name, engine: "grdb").first {
                $0.identifier.strategy == row.identifier.strategy
                    && $0.identifier.size == row.identifier.size && $0.sweep == row.sweep
            }
            guard let own = row.measure(NotifyWorkload.told), own > 0,
                let theirs = other?.measure(NotifyWorkload.told)
            else { return nil }
            return (row, theirs / own)
        }
        guard let closest = pairs.min(by: { $0.1 < $1.1 }) else { return nil }
        return Outcome(
            title: title(
                "GRDB : \(NotifyWorkload.name)/\(closest.0.identifier.strategy), "
                    + "the closest of \(pairs.count) rows", closest.0),
            unit: "", bound: .atLeast, target: 1, measured: closest.1,
            controls: closest.0.measure(NotifyWorkload.told).map {
                [Control(name: "own, us", measured: $0)]
            } ?? [], objection: objection(to: closest.0, operations: fewestOperations))
    }

    /// The check of how long it takes to find out what one commit has changed. The control moves to
    /// its version, too, and finds nothing out.
    private static let changeSet = SpeedCheck { rows in
        let strategy = ChangeSetWorkload.Observed.sorted.rawValue
        guard let row = rows.row(ChangeSetWorkload.name, strategy), let latency = row.latency
        else { return nil }
        return Outcome(
            title: title("\(ChangeSetWorkload.name)/\(strategy)", row), unit: "us",
            bound: .atMost, target: 30, measured: latency.p50,
            controls: rows.control("\(strategy)-move", of: row, "only moved") {
                $0.latency?.p50
            }, objection: objection(to: row, operations: fewestOperations))
    }

    /// Creates the check of how long asking for a transaction keeps the thread that asks.
    private static func asking(_ strategy: String) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row(WriteAsyncWorkload.name, strategy), let latency = row.latency
            else { return nil }
            return Outcome(
                title: title("\(WriteAsyncWorkload.name)/\(strategy)", row), unit: "us",
                bound: .atMost, target: 2, measured: latency.p50,
                controls: rows.control("\(strategy)-function", of: row, "an empty function") {
                    $0.latency?.p50
                }, objection: objection(to: row, operations: fewestOperations))
        }
    }

    private static let frozen = SpeedCheck { rows in
        guard let row = rows.row(FreezeWorkload.name, FreezeWorkload.object),
            let latency = row.latency
        else { return nil }
        return Outcome(
            title: title("\(FreezeWorkload.name)/\(FreezeWorkload.object)", row), unit: "us",
            bound: .atMost, target: 1, measured: latency.p50,
            objection: objection(to: row, operations: fewestOperations))
    }

    private static let longestPause = SpeedCheck { rows in
        guard let row = rows.row(InteractiveWorkload.name, InteractiveWorkload.results),
            let pause = row.measure("pause_max_us")
        else { return nil }
        return Outcome(
            title: title("longest pause of \(InteractiveWorkload.name)", row), unit: "ms",
            bound: .atMost, target: 4, measured: pause / 1000,
            controls: rows.control(
                "\(InteractiveWorkload.results)-unobserved", of: row, "nothing observed"
            ) { $0.measure("pause_max_us").map { $0 / 1000 } },
            objection: objection(to: row))
    }
}
