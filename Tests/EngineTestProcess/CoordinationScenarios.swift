import Glibc
import StorageEngine

/// Scenarios about locks, pins and opening. The first argument of each is the path.
let coordinationScenarios: [String: Scenario] = [
    "hold-write-lock": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0])
        let previous = try coordinator.lockForWriting()
        report("\(role) \(previous)")
        waitForTest()
        coordinator.unlockAfterWriting()
        report("unlocked")
        waitForTest()
        report("last: \(try closeDataFile(coordinator))")
    },
    "hold-pin": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0])
        let reader = try coordinator.claimReader()
        report("\(role) \(reader.pinLatest())")
        waitForTest()
        reader.release()
        report("last: \(try closeDataFile(coordinator))")
    },
    // Takes the turn to sync, and ends it.
    "hold-sync": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0])
        guard let turn = coordinator.beginSync() else {
            report("\(role), and another one syncs")
            return
        }
        let version = coordinator.visibleVersion
        report("\(role) \(coordinator.announceSync(of: version, coordinator.visibleSequence))")
        waitForTest()
        report("\(coordinator.finishSync(turn)) \(coordinator.durableVersion)")
        waitForTest()
    },
    "wait-to-write": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0])
        report("\(role)")
        _ = try coordinator.lockForWriting()
    },
    // Waits in recovery until it is told to go on.
    "recover-slowly": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0], finishesRecovery: false)
        report("\(role)")
        waitForTest()
        if role == .soleOpener {
            try coordinator.finishRecovery(version: 7, sequence: 7)
        }
        report("open at \(coordinator.visibleVersion)")
        waitForTest()
        report("last: \(try closeDataFile(coordinator))")
    },
    "wait-for-version": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0])
        report("\(role)")
        let version = coordinator.waitForVersion(
            newerThan: UInt64(arguments[1])!, timeout: .seconds(20))
        report("\(version)")
    },
    // Dies while it makes a version visible: after the step with this number.
    "die-while-publishing": { arguments in
        let (coordinator, role) = try openDataFile(arguments[0])
        report("\(role)")
        waitForTest()
        _ = try coordinator.lockForWriting()
        coordinator.announcePublication()
        if arguments[1] == "2" { coordinator.show(version: 2, sequence: 2) }
        kill(getpid(), SIGKILL)
    },
    // Increments a number in the data file, many times, each under the write lock.
    "count-under-lock": { arguments in try repeatUnderLock(arguments, incrementNumber) },
    // Takes the write lock many times for a tenth of a millisecond, and counts in the data file how
    // often another process had it before.
    "count-turns": { arguments in
        try repeatUnderLock(arguments) {
            try countTurn($0)
            usleep(100)
        }
    },
    "try-open": { arguments in
        do {
            let (_, role) = try openDataFile(arguments[0])
            report("\(role)")
        } catch let error as StorageError {
            report("\(error.code): \(error.message)")
        }
    },
    // Reports from a forked child what it may do, and its process number. The child then outlives
    // its parent until the test kills it.
    "fork-while-open": { arguments in
        let (coordinator, _) = try openDataFile(arguments[0])
        let reader = try coordinator.claimReader()
        _ = reader.pinLatest()
        _ = try coordinator.lockForWriting()
        guard forkProcess() == 0 else {
            waitForTest()
            return
        }
        do {
            _ = try coordinator.lockForWriting()
            report("locked")
        } catch let error as StorageError {
            report("\(error.code)")
        }
        coordinator.unlockAfterWriting()
        reader.release()
        report("\(getpid())")
        // Close everything except the engine's mappings: a test that waits for the end of the
        // parent's output must not wait for this process.
        for descriptor in 0..<getdtablesize() { close(descriptor) }
        alarm(60)
        while true { pause() }
    },
    "write-with-faults": { arguments in
        guard let faults = SystemCallFault.list(parsing: arguments[1]) else { exit(64) }
        SystemInterceptor(faults: faults).install()
        let file = try System.open(arguments[0], flags: O_RDWR | O_CREAT)
        for byte in UInt8(1)...10 {
            try [byte].withUnsafeBytes { try System.write(file, $0, at: UInt64(byte) - 1) }
        }
        report("survived")
    },
]

private func openDataFile(
    _ path: String, finishesRecovery: Bool = true
) throws -> (Coordinator, Coordinator.Role) {
    let file = try System.open(path, flags: O_RDWR | O_CREAT)
    let (coordinator, role) = try Coordinator.open(path: path, dataFile: file, readOnly: false)
    if role == .soleOpener, finishesRecovery {
        try coordinator.finishRecovery(version: 1, sequence: 1)
    }
    return (coordinator, role)
}

private func closeDataFile(_ coordinator: Coordinator) throws -> Bool {
    let isLast = try coordinator.close()
    if isLast { coordinator.releaseFinal() }
    return isLast
}

/// Takes the write lock as many times as the second argument says, each time for one step.
private func repeatUnderLock(
    _ arguments: [String], _ step: (Coordinator) throws -> Void
) throws {
    let (coordinator, role) = try openDataFile(arguments[0])
    report("\(role)")
    waitForTest()
    for _ in 0..<Int(arguments[1])! {
        _ = try coordinator.lockForWriting()
        try step(coordinator)
        coordinator.unlockAfterWriting()
    }
    report("done")
    waitForTest()
}

private func incrementNumber(_ coordinator: Coordinator) throws {
    try changeNumbers(coordinator) { $0[0] += 1 }
}

/// The first number is the turns, the second one the process that had the last one.
private func countTurn(_ coordinator: Coordinator) throws {
    try changeNumbers(coordinator) { numbers in
        let process = UInt64(System.processID)
        if numbers[1] != process { numbers[0] += 1 }
        numbers[1] = process
    }
}

/// Changes two numbers at the beginning of the data file.
private func changeNumbers(
    _ coordinator: Coordinator, _ change: (inout [UInt64]) -> Void
) throws {
    let file = try System.open(coordinator.path, flags: O_RDWR)
    defer { System.close(file) }
    var numbers: [UInt64] = [0, 0]
    try numbers.withUnsafeMutableBytes { _ = try System.read(file, into: $0, at: 0) }
    change(&numbers)
    try numbers.withUnsafeBytes { try System.write(file, $0, at: 0) }
}

/// Calls `fork`. Swift does not import it, so its address is looked up.
func forkProcess() -> Int32 {
    guard let address = dlsym(nil, "fork") else { exit(70) }
    return unsafeBitCast(address, to: (@convention(c) () -> Int32).self)()
}
