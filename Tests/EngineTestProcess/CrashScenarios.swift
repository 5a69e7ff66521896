import Glibc
import StorageEngine
import StressModel

/// Scenarios that write through connections until they are done or killed.
let crashScenarios: [String: Scenario] = [
    // Arguments: path, first step, last step, faults, kind of file.
    "crash-workload": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[3]) else { exit(64) }
        let interceptor = SystemInterceptor(faults: faults)
        interceptor.install()
        try runSteps(
            arguments[0], Int(arguments[1])!...Int(arguments[2])!,
            FileKind(rawValue: arguments[4])!)
        report("calls \(interceptor.changeCount)")
    },
    // Arguments: path, first step, last step, faults.
    "migrations": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[3]) else { exit(64) }
        let interceptor = SystemInterceptor(faults: faults)
        interceptor.install()
        try runMigrations(arguments[0], Int(arguments[1])!...Int(arguments[2])!)
        report("calls \(interceptor.changeCount)")
    },
    // Arguments: path. Reads the file, and then tries to read and to write it after a migration.
    "stay-behind": { arguments in
        let connection = try Connection(Database.open(path: arguments[0]))
        let digest = try MigrationWorkload.digest(of: connection)
        report("open \(digest)")
        waitForTest()
        let attempts: [() throws -> Void] = [
            { _ = try connection.refresh() }, { try connection.beginWrite() },
        ]
        for attempt in attempts {
            do {
                try attempt()
                report("no error")
            } catch let error as StorageError {
                report("\(error.code) \(try MigrationWorkload.digest(of: connection) == digest)")
            }
        }
        let other = try Connection(Database.open(path: arguments[0]))
        report("other \(try MigrationWorkload.digest(of: other))")
    },
    // Arguments: path. Opens and reads the file, again and again. An alarm ends the process if that
    // takes too long.
    "read-images": { arguments in
        while true {
            waitForTest()
            alarm(20)
            report(readImage(arguments[0]))
            alarm(0)
        }
    },
    // Arguments: path, rounds, number of this process.
    "isolation-append": { arguments in
        let connection = try Connection(Database.open(path: arguments[0]))
        report("open")
        waitForTest()
        for round in 0..<Int64(arguments[1])! {
            try SharedCounter.increment(connection, writer: Int64(arguments[2])!, round)
        }
        report("done")
        waitForTest()
    },
]

/// Reads, verifies and writes the file. Returns a line about the result.
private func readImage(_ path: String) -> String {
    do {
        let connection = try Connection(Database.open(path: path))
        let digest = try DatabaseDigest.of(connection)
        let problems = try connection.verify()
        try connection.beginWrite()
        for definition in try connection.tableDefinitions() {
            try connection.table(named: definition.name)!.deleteAll()
        }
        try connection.commit()
        return "\(digest) \(problems.count) problems"
    } catch let error as StorageError {
        return "\(error.code)"
    } catch {
        return "unexpected: \(error)"
    }
}

/// Carries out the steps. A separate function, so that the database is closed, with its last calls,
/// when it returns.
private func runSteps(_ path: String, _ steps: ClosedRange<Int>, _ kind: FileKind) throws {
    let connection = try Connection(Database.open(path: path, options: kind.options))
    report("open")
    for step in steps {
        try CrashWorkload.run(step, on: connection)
        report("\(step) \(try CrashWorkload.digest(of: connection))")
    }
}

private func runMigrations(_ path: String, _ steps: ClosedRange<Int>) throws {
    let connection = try Connection(Database.open(path: path))
    for step in steps {
        try MigrationWorkload.run(step, on: connection)
        report("\(step) \(try MigrationWorkload.digest(of: connection))")
    }
}

/// A counter, and a list of the increments with their writers.
enum SharedCounter {
    static func create(_ connection: Connection) throws {
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Counter",
                columns: [
                    ColumnDefinition(name: "count", type: .int),
                    ColumnDefinition(name: "log", type: .int, collection: .list),
                ])
        ])
        _ = try connection.table(named: "Counter")!.insert([.integer(0)])
        try connection.commit()
    }

    /// Increments the counter and appends `writer * 2^32 + round` to the list.
    static func increment(
        _ connection: Connection, writer: Int64, _ round: Int64,
        _ durability: CommitDurability = .full
    ) throws {
        try connection.beginWrite()
        do {
            let table = try connection.table(named: "Counter")!
            let key = try table.key(at: 0)
            guard case .integer(let count) = try table.value(0, of: key) else { return }
            try table.set(0, of: key, to: .integer(count + 1))
            let log = table.list(1, of: key)
            try log.insert(.integer(writer << 32 + round), at: try log.count())
            try connection.commit(durability)
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }

    static func read(_ connection: Connection) throws -> (count: Int64, log: [Int64]) {
        let table = try connection.table(named: "Counter")!
        let key = try table.key(at: 0)
        var count: Int64 = -1
        if case .integer(let value) = try table.value(0, of: key) { count = value }
        var log: [Int64] = []
        try table.list(1, of: key).forEach {
            if case .integer(let value) = $0 { log.append(value) }
            return true
        }
        return (count, log)
    }
}
