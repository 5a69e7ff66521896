import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Migrations that are killed, that fail, and that happen while others have the file open.
@Suite struct MigrationCrashTests {
    private let directory: CrashDirectory
    private let digests: [UInt64]

    init() throws {
        directory = try CrashDirectory()
        let connection = try Connection(Database.open(path: directory.file("states")))
        var digests = [try MigrationWorkload.digest(of: connection)]
        for step in 1...MigrationWorkload.lastStep {
            try MigrationWorkload.run(step, on: connection)
            #expect(try connection.verify() == [], "step \(step)")
            digests.append(try MigrationWorkload.digest(of: connection))
        }
        self.digests = digests
    }

    /// Makes a file with the first migrations.
    private func prepare(_ name: String, steps: Int) throws -> String {
        let path = directory.file(name)
        for file in [path, path + ".lock"] { unlink(file) }
        let connection = try Connection(Database.open(path: path))
        for step in stride(from: 1, through: steps, by: 1) {
            try MigrationWorkload.run(step, on: connection)
        }
        return path
    }

    /// The file holds one of the allowed steps as a whole, and can be migrated further.
    private func check(_ path: String, allowed: ClosedRange<Int>, _ label: String) throws {
        let connection = try Connection(Database.open(path: path))
        let step = try MigrationWorkload.step(of: connection)
        #expect(allowed.contains(step), "\(label): step \(step)")
        #expect(try MigrationWorkload.digest(of: connection) == digests[step], "\(label)")
        #expect(try connection.verify() == [], "\(label)")
        guard step < MigrationWorkload.lastStep else { return }
        try MigrationWorkload.run(step + 1, on: connection)
        #expect(try MigrationWorkload.digest(of: connection) == digests[step + 1], "\(label)")
    }

    @Test(arguments: 2...MigrationWorkload.lastStep)
    func aKillAtAnyCallLeavesTheOldFileOrTheNewOne(step: Int) throws {
        let whole = try CoordinationTestProcess(
            "migrations", prepare("whole", steps: step - 1), "\(step)", "\(step)", "")
        var calls = 0
        while let line = whole.nextLine() {
            if line.hasPrefix("calls ") { calls = Int(line.dropFirst(6))! }
        }
        try #require(calls >= 3)
        for call in 1...calls {
            for verb in ["kill-before", "kill-after"] {
                let path = try prepare("killed", steps: step - 1)
                let child = try CoordinationTestProcess(
                    "migrations", path, "\(step)", "\(step)", "\(verb):\(call)")
                var acknowledged = step - 1
                while let line = child.nextLine() {
                    if line.hasPrefix("\(step) ") { acknowledged = step }
                }
                #expect(child.waitForSignal() == SIGKILL)
                try check(path, allowed: acknowledged...step, "\(verb) \(call) of step \(step)")
            }
        }
    }

    @Test(arguments: [SystemCall.pwrite, .pwritev, .fallocate])
    func aCallThatFailsLeavesTheOldFile(call: SystemCall) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        for step in 2...MigrationWorkload.lastStep {
            for number in 1...3 {
                interceptor.setFaults([])
                let path = try prepare("failing", steps: step - 1)
                do {
                    let connection = try Connection(Database.open(path: path))
                    interceptor.setFaults([
                        SystemCallFault(.fail(errno: ENOSPC), call: call, ordinal: number)
                    ])
                    do { try MigrationWorkload.run(step, on: connection) } catch {
                        #expect(!connection.isInWriteTransaction)
                        #expect(
                            try MigrationWorkload.digest(of: connection) == digests[step - 1])
                    }
                    interceptor.setFaults([])
                }
                try check(path, allowed: (step - 1)...step, "\(call) \(number) of step \(step)")
            }
        }
    }

    @Test func aProcessThatHasTheFileOpenStaysAtTheVersionBefore() throws {
        let path = try prepare("shared", steps: 2)
        let child = try CoordinationTestProcess("stay-behind", path)
        #expect(child.nextLine() == "open \(digests[2])")
        let connection = try Connection(Database.open(path: path))
        for step in 3...MigrationWorkload.lastStep {
            try MigrationWorkload.run(step, on: connection)
        }
        // The pages of the version that the child reads are not used again.
        for _ in 0..<20 {
            try connection.beginWrite()
            try connection.table(named: "Person")?.deleteAll()
            try connection.commit()
        }
        let last = try MigrationWorkload.digest(of: connection)
        try child.proceed()
        #expect(child.nextLine() == "schemaChanged true")
        #expect(child.nextLine() == "schemaChanged true")
        #expect(child.nextLine() == "other \(last)")
        #expect(try connection.verify() == [])
    }

    @Test func aConnectionThatWaitsForTheLockStaysAtTheVersionBefore() throws {
        let path = try prepare("waiting", steps: 2)
        let digest = digests[2]
        let migrating = try Connection(Database.open(path: path))
        let (isOpen, isLocked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let waiting = BackgroundThread { _ in
            let connection = try Connection(Database.open(path: path))
            isOpen.signal()
            isLocked.wait()
            let error = #expect(throws: StorageError.self) { try connection.beginWrite() }
            #expect(error?.code == .schemaChanged)
            #expect(try MigrationWorkload.digest(of: connection) == digest)
        }
        isOpen.wait()
        try migrating.beginWrite()
        isLocked.signal()
        // So that it usually waits for the lock; the outcome is the same if it does not.
        usleep(20_000)
        try MigrationWorkload.migrate(3, on: migrating)
        try migrating.commit()
        try waiting.wait()
        #expect(try migrating.verify() == [])
    }

    /// What it has committed in the background is newer than what it has pinned.
    @Test func aConnectionThatCommitsInTheBackgroundStaysAtItsOwnVersion() throws {
        let path = try prepare("background", steps: 2)
        let database = try Database.open(path: path)
        let connection = try Connection(database)
        try connection.beginWrite()
        let persons = try connection.table(named: "Person")!
        try persons.delete(try persons.key(at: try persons.count() - 1))
        let isDone = DispatchSemaphore(value: 0)
        try connection.commitInBackground(.full, with: .of(database)) { _ in isDone.signal() }
        isDone.wait()
        let (version, digest) = (connection.version, try MigrationWorkload.digest(of: connection))
        #expect(digest != digests[2])
        try MigrationWorkload.run(3, on: Connection(Database.openUnregistered(path: path)))
        for begins in [false, true, false] {
            let error = #expect(throws: StorageError.self) {
                if begins { try connection.beginWrite() } else { try connection.refresh() }
            }
            #expect(error?.code == .schemaChanged)
            #expect(connection.version == version)
            #expect(try MigrationWorkload.digest(of: connection) == digest)
        }
    }
}
