import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import StressKit

/// Tests of the decisions whether a process hangs.
@Suite struct PatienceTests {
    private func started(_ script: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        try process.run()
        return process
    }

    /// Ends a process with SIGKILL, because threads that run tests block other signals, and their
    /// children inherit that.
    private func end(_ process: Process) {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Returns the seconds until the watch reports a hang, or nil if it does not.
    private func secondsUntilHung(
        _ process: Process, _ patience: Double, atMost limit: Double
    ) -> Double? {
        let start = System.monotonicNanoseconds
        var watch = SilenceWatch(of: process.processIdentifier, seconds: patience)
        while true {
            System.sleep(nanoseconds: 50_000_000)
            let isHung = watch.looksHung()
            // Taken after the watch has looked at its clock, however long that took.
            let passed = Double(System.monotonicNanoseconds - start) / 1e9
            if isHung { return passed }
            if passed > limit { return nil }
        }
    }

    @Test func whoeverSleepsHangs() throws {
        let process = try started("sleep 60")
        defer { end(process) }
        #expect(try #require(secondsUntilHung(process, 0.4, atMost: 20)) >= 0.4)
    }

    @Test func whoeverUsesUpItsTimeHangs() throws {
        let process = try started("while :; do :; done")
        defer { end(process) }
        #expect(secondsUntilHung(process, 0.3, atMost: 20) != nil)
    }

    @Test func whoeverWorksNowAndThenDoesNot() throws {
        let process = try started(
            "while :; do i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done; sleep 0.1; done")
        defer { end(process) }
        #expect(secondsUntilHung(process, 2, atMost: 3) == nil)
    }

    /// The first thread of a process may sleep while another one waits for a processor.
    @Test func whoeverHasAThreadThatWorksWantsAProcessor() throws {
        let worker = BackgroundThread { isStopped in while !isStopped() {} }
        #expect(ProcessFamily(of: getpid()).wantsProcessor)
        try worker.finish()
    }

    /// A nap of a thread that woke up late counts only for about what was asked for.
    @Test func napsCountForWhatTheyWere() {
        var patience = Patience(nanoseconds: 3_000_000)
        var naps = 0
        while patience.nap(nanoseconds: 1_000_000) { naps += 1 }
        #expect((2...3).contains(naps))
    }

    @Test func foldersOfDeadRunsGo() throws {
        let scratch = try ScratchFolder()
        let dead = scratch.path + "/realm-stress-1-1"
        let alive = try StressFolder.make(below: scratch.path, identifier: "2-2")
        defer { alive.remove() }
        for folder in [dead, alive.path] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: folder + "/lock"))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder)
        }
        try StressFolder.make(below: scratch.path, identifier: "3-3").remove()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path)
                == ["realm-stress-2-2"])
    }
}
