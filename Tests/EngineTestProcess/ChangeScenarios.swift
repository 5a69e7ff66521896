import StorageEngine

/// Scenarios about objects that change while another process observes them.
let changeScenarios: [String: Scenario] = [
    // Arguments: path, transactions. Each round is started by the test, and changes and inserts
    // objects of the table `Person`.
    "change-numbers": { arguments in
        let connection = try Connection(Database.open(path: arguments[0]))
        report("open")
        for round in 1...3 {
            waitForTest()
            for number in 0..<Int64(arguments[1])! {
                try connection.beginWrite()
                try change(connection.table(named: "Person")!, Int64(round) * 1000 + number)
                try connection.commit()
            }
            report("done")
        }
        waitForTest()
    }
]

private func change(_ table: Table, _ number: Int64) throws {
    let key = try table.key(at: Int(number) % table.count())
    try table.set(0, of: key, to: .integer(number))
    try table.list(5, of: key).insert(.integer(number), at: 0)
    try withUnsafePointer(to: .integer(number)) {
        _ = try table.insert(UnsafeBufferPointer(start: $0, count: 1))
    }
    if number % 7 == 0 { try table.delete(table.key(at: Int(number) % table.count())) }
}
