/// The performance targets of migrations.
extension SpeedCheck {
    static let migrations: [SpeedCheck] =
        [PersonMigration.add, .remove, .rename].map(besideOpen)
        + [
            rate(.retypeBlock, target: 1_500_000), rate(.addBlock, target: 1_000_000),
            besideCopy,
        ] + [PersonMigration.retypeBlock, .intKey, .stringKey, .stringKeyBlock].map(memory)

    /// Creates the check of what a change costs that no object has to notice, at ten million
    /// objects.
    private static func besideOpen(_ migration: PersonMigration) -> SpeedCheck {
        SpeedCheck { rows in
            guard
                let row = rows.row(
                    MigrateWorkload.name, migration.rawValue, atLeast: 10_000_000),
                let beside = row.measure("beside_open_p50_us")
            else { return nil }
            return Outcome(
                title: title("\(MigrateWorkload.name)/\(migration.rawValue) beside open", row),
                unit: "ms", bound: .atMost, target: 5, measured: beside / 1000,
                controls: rows.control("\(migration.rawValue)-open", of: row, "plain open") {
                    $0.latency.map { $0.p50 / 1000 }
                }, objection: objection(to: row))
        }
    }

    private static func rate(_ migration: PersonMigration, target: Double) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row(MigrateWorkload.name, migration.rawValue),
                let rate = row.throughput
            else { return nil }
            return Outcome(
                title: title("\(MigrateWorkload.name)/\(migration.rawValue)", row),
                unit: "objects/s", bound: .atLeast, target: target, measured: rate,
                objection: objection(to: row, objects: fewestObjects))
        }
    }

    /// The check that converting values is not slower than SQLite's copy of the table.
    private static let besideCopy = SpeedCheck { rows in
        let strategy = PersonMigration.retypeBlock.rawValue
        guard let row = rows.row(MigrateWorkload.name, strategy), let own = row.throughput,
            let other = rows.rows(MigrateWorkload.name, engine: "sqlite").first(where: {
                $0.identifier.strategy == strategy
                    && $0.identifier.size == row.identifier.size
            }), let theirs = other.throughput
        else { return nil }
        return Outcome(
            title: title("\(MigrateWorkload.name)/\(strategy) : SQLite", row), unit: "",
            bound: .atLeast, target: 1, measured: own / theirs,
            controls: [Control(name: "SQLite, objects/s", measured: theirs)],
            objection: objection(to: row, objects: fewestObjects))
    }

    /// Creates the check of the memory of a migration that streams, at ten million objects.
    private static func memory(_ migration: PersonMigration) -> SpeedCheck {
        SpeedCheck { rows in
            guard
                let row = rows.row(
                    MigrateWorkload.name, migration.rawValue, atLeast: 10_000_000),
                let growth = row.measure("anonymous_growth_bytes")
            else { return nil }
            return Outcome(
                title: title("memory of \(MigrateWorkload.name)/\(migration.rawValue)", row),
                unit: "MB", bound: .atMost, target: 100, measured: growth / 1e6)
        }
    }
}
