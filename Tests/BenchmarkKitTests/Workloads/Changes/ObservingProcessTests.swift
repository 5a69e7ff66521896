import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of a process of its own that observes, as a row of `notify` has one.
@Suite(
    .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
struct ObservingProcessTests {
    @Test func anotherProcessIsToldOfEveryCommit() throws {
        let folder = try TemporaryFolder()
        let suite = folder.path + "/one.json"
        try Data(
            """
            {"name": "one", "description": "another process", "cases": [
              {"workload": "notify", "strategies": ["process"], "size": 500, "count": 20,
               "observers": 3}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let process = try BenchmarkProcess(
            "run", "--suite", suite, "--output", folder.path + "/results")
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        #expect(text.contains("process-pipe"))
    }

    /// What a thread of another process does. A thread that has made a system call and sleeps again
    /// has switched once more.
    private struct ThreadState: Equatable {
        var call: String
        var switches: [Substring]
    }

    private func threads(of process: Int32) throws -> [String: ThreadState] {
        let folder = "/proc/\(process)/task"
        var found: [String: ThreadState] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let call = try String(contentsOfFile: "\(folder)/\(thread)/syscall", encoding: .utf8)
            let status = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
            found[thread] = ThreadState(
                call: call,
                switches: status.split(separator: "\n").filter { $0.contains("ctxt_switches") })
        }
        return found
    }

    /// An idle process makes no system call: it neither polls nor has timers that run out. Ten
    /// seconds with `scripts/test --long`.
    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/syscall")))
    func anIdleProcessThatObservesMakesNoSystemCall() throws {
        let isLong = ProcessInfo.processInfo.environment["REALM_LONG_TESTS"] == "1"
        let observed = try ObservedFile()
        let process = try ObserverProcess(of: observed)
        #expect(process.waits(forCalls: 1))
        try observed.commit()
        #expect(process.waits(forCalls: 2))
        // Until the call has returned and all threads sleep.
        Thread.sleep(forTimeInterval: 1)
        let before = try threads(of: process.identifier)
        Thread.sleep(forTimeInterval: isLong ? 10 : 1)
        #expect(try threads(of: process.identifier) == before)
        // The main thread, the one that waits for versions, and the one that reads the input.
        #expect(before.count >= 3)
        #expect(before.values.allSatisfy { $0.switches.count == 2 && $0.call != "running\n" })
        try observed.commit()
        #expect(process.waits(forCalls: 3))
        #expect(try process.end() == 0)
    }
}

/// A file of persons that the test changes.
private struct ObservedFile {
    let folder: TemporaryFolder
    let core: CoreCase
    private let store: any PersonStore

    init() throws {
        folder = try TemporaryFolder()
        let benchmarkCase = try #require(
            try WorkloadCatalogue.makeCase(
                of: NotifyWorkload.workload, strategy: "process", size: 300,
                options: CaseOptions()))
        let environment = CaseEnvironment(
            directory: folder.path, fixtures: folder.path + "/fixtures", allocations: nil,
            progress: { _ in })
        try NotifyWorkload.workload.prepare(benchmarkCase, in: environment)
        core = try CoreCase(benchmarkCase, environment)
        store = try core.open(core.databasePath, .integerKey)
    }

    func commit() throws { try store.updateAllAges(adding: 1) }
}

/// The program as an observer of a file.
private final class ObserverProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var lines = 0

    init(of file: ObservedFile) throws {
        let request = file.folder.path + "/request.json"
        try JSONMessage.write(
            ObservingProcess.Request(
                benchmarkCase: file.core.benchmarkCase, path: file.core.databasePath,
                observers: 1), to: request)
        process.executableURL = URL(fileURLWithPath: BenchmarkProcess.program)
        process.arguments = [CaseVerb.observePersons, request]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Reads until so many calls were said since the start. False if the process has ended.
    func waits(forCalls count: Int) -> Bool {
        while lines < count {
            let chunk = output.nextBytes()
            if chunk.isEmpty { return false }
            lines += chunk.count { $0 == UInt8(ascii: "\n") }
        }
        return true
    }

    /// Ends the input, and with it the process. Returns its exit code.
    func end() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
