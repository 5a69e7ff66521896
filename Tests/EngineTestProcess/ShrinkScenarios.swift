import Glibc
import StorageEngine
import StressModel

/// Scenarios about files that become shorter. The first argument of each is the path.
let shrinkScenarios: [String: Scenario] = [
    // Arguments: path, first step, last step, faults, kind of file. Reports each step with the
    // number of calls so far.
    "shrink-workload": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[3]) else { exit(64) }
        let interceptor = SystemInterceptor(faults: faults)
        let connection = try open(arguments)
        interceptor.install()
        for step in Int(arguments[1])!...Int(arguments[2])! {
            try ShrinkWorkload.run(step, on: connection)
            report("\(step) \(interceptor.changeCount)")
        }
        waitForTest()
    },
    // Arguments: path, kind of file. Reads a version, and refreshes when the test says so.
    "read-versions": { arguments in
        let connection = try open(arguments)
        while true {
            report(
                "\(try ShrinkWorkload.step(of: connection)) \(try DatabaseDigest.of(connection))")
            waitForTest()
            try connection.refresh()
        }
    },
    // Arguments: path, kind of file.
    "compact": { arguments in
        report("\(try Database.compact(path: arguments[0], options: kind(arguments).options))")
    },
    // Arguments: path, faults, kind of file.
    "compact-with-faults": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[1]) else { exit(64) }
        let interceptor = SystemInterceptor(faults: faults)
        interceptor.install()
        let isDone = try Database.compact(path: arguments[0], options: kind(arguments).options)
        report("\(isDone) \(interceptor.changeCount)")
    },
    // Arguments: path, faults, kind of file before and after.
    "rewrite-with-faults": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[1]),
            let old = FileKind(rawValue: arguments[2])
        else { exit(64) }
        let interceptor = SystemInterceptor(faults: faults)
        interceptor.install()
        let isDone = try Database.rewrite(
            path: arguments[0], options: old.options,
            encryptionKey: kind(arguments).options.encryptionKey)
        report("\(isDone) \(interceptor.changeCount)")
    },
    // Arguments: path, digest of the contents, number of launches.
    "launch": { arguments in
        let (path, digest, count) = (arguments[0], UInt64(arguments[1])!, Int(arguments[2])!)
        waitForTest()
        for _ in 0..<count {
            let database = try Database.open(path: path, compactingIf: { _, _ in true })
            let found = try DatabaseDigest.of(Connection(database))
            guard found == digest else { return report("another digest") }
        }
        report("\(count) launches")
    },
]

private func kind(_ arguments: [String]) -> FileKind { FileKind(rawValue: arguments.last!)! }

private func open(_ arguments: [String]) throws -> Connection {
    try Connection(Database.open(path: arguments[0], options: kind(arguments).options))
}
