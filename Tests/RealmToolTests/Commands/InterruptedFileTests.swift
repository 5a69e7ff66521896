import Foundation
import Glibc
import RealmSwift
import Testing
import ToolSupport

@testable import RealmTool

/// Commands that are interrupted or killed, and outputs that cannot be written.
@Suite struct InterruptedFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
        try makePeople(path)
    }

    private func key(_ name: String, _ first: UInt8) throws -> String {
        let bytes = (0..<64).map { UInt8($0) &+ first }
        try Data(bytes).write(to: URL(fileURLWithPath: folder[name]))
        return folder[name]
    }

    private func makeLarger() throws {
        let realm = try openRealm(path)
        try realm.write {
            for id in 10..<6010 {
                realm.create(
                    ToolPerson.self,
                    value: ["id": id, "name": String(repeating: "n", count: 900 + id % 500)])
            }
        }
    }

    /// Signals at several moments of commands that replace the file.
    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func aSignalAtAnyMomentLeavesTheOldFileOrTheNewOne(signal: Int32) throws {
        try makeLarger()
        let keys = [try key("a.key", 1), try key("b.key", 2)]
        let before = try ToolProcess.run("export", path).output
        /// The options that open the file.
        var present: [String] = []
        for (round, delay) in [2_000, 20_000, 40_000, 60_000, 90_000, 150_000].enumerated() {
            let new = ["--new-key-file", keys[round % 2]]
            let command = present.isEmpty ? "encrypt" : "rekey"
            let process = try ToolProcess([command, path] + present + new)
            usleep(useconds_t(delay))
            process.send(signal)
            let result = try process.finish()
            let export = try ToolProcess(["export", path] + present).finish()
            let isUnchanged = export.code == 0
            if result.code == 0 {
                #expect(!isUnchanged, "\(result.output)")
            } else if signal != SIGKILL {
                // Before the program has begun, the signal itself ends it.
                #expect([128 + signal, -signal].contains(result.code), "\(result.error)")
                #expect(isUnchanged)
            }
            if !isUnchanged { present = ["--key-file", keys[round % 2]] }
            let after = try ToolProcess(["export", path] + present).finish()
            #expect(after.output == before)
            #expect(try ToolProcess(["verify", path] + present).finish().code == 0)
        }
    }

    @Test func anInterruptedCompactionLeavesNothingBehind() throws {
        try makeLarger()
        let management = path + ".management"
        var isInterrupted = false
        for _ in 0..<20 where !isInterrupted {
            let process = try ToolProcess(["compact", path])
            // The new file is there from the beginning of the copy on.
            let copy = management + "/compact"
            while process.isRunning, !FileManager.default.fileExists(atPath: copy) { usleep(500) }
            process.send(SIGINT)
            let result = try process.finish()
            isInterrupted = result.code == 130
            if isInterrupted {
                #expect(result.error == "Error: Interrupted.\n'\(path)' is unchanged.\n")
                #expect(result.output == "")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: management) == [])
        }
        #expect(isInterrupted)
        #expect(try ToolProcess.run("verify", path).code == 0)
    }

    @Test func anExportIsTheWholeFileOrNone() throws {
        let output = try folder.write("present\n", to: "out.csv")
        try #require(chmod(output, 0o640) == 0)
        try #require(symlink("out.csv", folder["link.csv"]) == 0)
        let mistake = try ToolProcess.run(
            "export", path, "ToolPerson", "--columns", "nme", "--output", folder["link.csv"])
        #expect(mistake.code == 64)
        #expect(try folder.bytes(of: "out.csv") == Array("present\n".utf8))
        let done = try ToolProcess.run("export", path, "ToolPerson", "--output", folder["link.csv"])
        #expect(done.code == 0)
        #expect(done.output == "")
        #expect(
            try String(decoding: folder.bytes(of: "out.csv"), as: UTF8.self)
                == ToolProcess.run("export", path, "ToolPerson").output)
        var status = stat()
        try #require(stat(output, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("partial") }, "\(names)")
    }

    @Test func anExportDoesNotReplaceTheDatabase() throws {
        let before = try folder.bytes(of: "people.realm")
        try #require(symlink("people.realm", folder["link.realm"]) == 0)
        for output in [path, folder["link.realm"]] {
            let result = try ToolProcess.run("export", path, "--output", output)
            #expect(result.code == 64)
            #expect(result.error.contains("is the database file itself"))
        }
        #expect(try folder.bytes(of: "people.realm") == before)
    }

    @Test func aFullDiskIsAFailureOfTheTool() throws {
        for command in ["export people.realm", "query people.realm ToolDog", "info people.realm"] {
            let result = try ToolProcess.shell("realm \(command) > /dev/full", in: folder.path)
            #expect(result.code == 1, "\(command)")
            #expect(
                result.error
                    == "Error: 'standard output' cannot be written: No space left on device.\n")
        }
        let output = try ToolProcess.run("export", path, "--output", "/dev/full")
        #expect(output.code == 1)
        let folder = try ToolProcess.run("export", path, "--output", self.folder["none/out"])
        #expect(folder.code == 1)
        #expect(folder.error.contains("No such file or directory"))
    }
}
