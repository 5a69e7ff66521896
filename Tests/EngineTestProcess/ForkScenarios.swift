import Foundation
import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// Scenarios about processes that are forked while their threads use databases.
let forkScenarios: [String: Scenario] = [
    // Arguments: path, kind of file, number of forks. Threads write, open and close meanwhile, so
    // that some forks find locks held.
    "fork-and-open": { arguments in
        let (path, kind) = (arguments[0], FileKind(rawValue: arguments[1])!)
        let connection = try Connection(Database.open(path: path, options: kind.options))
        try SharedCounter.create(connection)
        let writing = BackgroundThread { isStopped in
            let own = try Connection(Database.open(path: path, options: kind.options))
            while !isStopped() { try setVersion(own) }
        }
        let opening = BackgroundThread { isStopped in
            while !isStopped() {
                _ = try Database.open(path: path + "-2", options: kind.options)
                _ = try Database.open(path: path, options: kind.options)
            }
        }
        var failures: [String] = []
        for round in 0..<Int64(arguments[2])! {
            if round % 2 == 0 { try connection.beginWrite() }
            let child = forkProcess()
            if child == 0 { endChild(connection, path, kind, round) }
            if round % 2 == 0 { connection.rollback() }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            if status != 0 { failures.append("\(round): \(status)") }
        }
        try writing.finish()
        try opening.finish()
        report(failures.isEmpty ? "all children came" : failures.joined(separator: ", "))
        try connection.refresh()
        report("\(try SharedCounter.read(connection).log)")
    },
    // Arguments: path, number of forks. Another thread sorts meanwhile, so that the second thread
    // of the parent has work when it forks.
    "fork-and-sort": { arguments in
        try forkBeside(keysInOrder, arguments, "all children sorted")
    },
    // The same for groups.
    "fork-and-group": { arguments in
        try forkBeside(countsOfGroups, arguments, "all children grouped")
    },
]

/// Forks children that ask a question which two threads answer, while another thread asks it.
private func forkBeside(
    _ ask: @escaping @Sendable (Connection) throws -> [Int64], _ arguments: [String],
    _ success: String
) throws {
    let path = arguments[0]
    let connection = try Connection(Database.open(path: path))
    try insertManyNumbers(connection)
    let expected = try ask(connection)
    let asking = BackgroundThread { isStopped in
        let own = try Connection(Database.open(path: path))
        while !isStopped() { _ = try ask(own) }
    }
    var failures: [String] = []
    for round in 0..<Int64(arguments[1])! {
        let child = forkProcess()
        if child == 0 {
            alarm(60)
            let answer = try? ask(Connection(Database.open(path: path)))
            _exit(answer == expected ? 0 : 1)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        if status != 0 { failures.append("\(round): \(status)") }
    }
    try asking.finish()
    report(failures.isEmpty ? success : failures.joined(separator: ", "))
}

private func countsOfGroups(_ connection: Connection) throws -> [Int64] {
    let table = try connection.table(named: "Number")!
    return try QueryPlan(table, .constant(true)).groups(by: 0, of: [0]).map { Int64($0.count) }
}

/// Inserts as many objects as two threads sort.
private func insertManyNumbers(_ connection: Connection) throws {
    try connection.beginWrite()
    let column = ColumnDefinition(name: "number", type: .int)
    try connection.createTables([TableDefinition(name: "Number", columns: [column])])
    let table = try connection.table(named: "Number")!
    for number in 0..<Int64(1 << 17) {
        let row = [Scalar.integer(number &* 48_271 % 65_537)]
        _ = try row.withUnsafeBufferPointer { try table.insert($0) }
    }
    try connection.commit()
}

private func keysInOrder(_ connection: Connection) throws -> [Int64] {
    let table = try connection.table(named: "Number")!
    let sorter = try QuerySorter(table, [QueryOrder(column: 0)])
    return try sorter.sorted(QueryPlan(table, .constant(true))).map(\.rawValue)
}

private func setVersion(_ connection: Connection) throws {
    try connection.beginWrite()
    try connection.setSchemaVersion((try connection.schemaVersion() ?? 0) + 1)
    try connection.commit()
}

/// Runs the checks of a forked child and ends it. The exit code is 0 on success, else the number of
/// the check that failed. A hang ends in a signal.
private func endChild(
    _ inherited: Connection, _ path: String, _ kind: FileKind, _ round: Int64
) -> Never {
    alarm(30)
    func isRefused(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return (error as? StorageError)?.code == .usedAfterFork }
        return false
    }
    if round % 2 == 0 {
        guard isRefused({ try inherited.commit() }) else { _exit(1) }
        guard !inherited.isInWriteTransaction else { _exit(2) }
    }
    guard isRefused({ try inherited.beginWrite() }) else { _exit(3) }
    guard isRefused({ try inherited.writeCopy(toPath: path + "-copy") }) else { _exit(4) }
    do {
        let problem = try useAnew(inherited, path, kind, round)
        _exit(problem)
    } catch {
        report("error in the child of round \(round): \(error)")
        _exit(20)
    }
}

/// Opens the file anew and uses it. A separate function, so that what it opens is closed when it
/// returns.
private func useAnew(
    _ inherited: Connection, _ path: String, _ kind: FileKind, _ round: Int64
) throws -> Int32 {
    let database = try Database.open(path: path, options: kind.options)
    guard database !== inherited.database else { return 5 }
    let own = try Connection(database)
    try SharedCounter.increment(own, writer: 0, round)
    let other = BackgroundThread { _ in
        let connection = try Connection(Database.open(path: path, options: kind.options))
        try setVersion(connection)
        return connection.database
    }
    guard try other.wait() === database else { return 6 }
    try own.beginWrite()
    try own.setSchemaVersion(UInt64(round))
    try own.commit(.relaxed)
    let copy = path + "-copy-\(round)"
    try own.writeCopy(toPath: copy, encryptionKey: kind.options.encryptionKey)
    guard try Database.remove(path: copy) else { return 7 }
    do {
        _ = try Database.remove(path: path)
        return 8
    } catch {
        return error.code == .alreadyOpen ? 0 : 9
    }
}
