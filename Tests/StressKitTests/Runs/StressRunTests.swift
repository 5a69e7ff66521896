import Foundation
import Testing
import ToolSupport

@testable import StressKit

@Suite struct StressRunTests {
    @Test func aRunWritesRowsAndASecondOneGoesOn() throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/stress.csv"
        for expectedRound in ["0", "1"] {
            let (text, exitCode) = try runRunner(
                "stress", "run", "many-writers", "--for", "1s", "--append", file, "--path",
                folder.path)
            #expect(exitCode == 0, "\(text)")
            #expect(text.contains("many-writers/threads"))
            let rows = try CSVFile.rows(of: file)
            #expect(rows[0] == StressTable.header)
            let threads = try #require(rows.last { $0[4] == "threads" })
            if expectedRound == "0" { #expect(threads[6] == "0") }
            if expectedRound == "1" { #expect(Int(threads[6])! >= 1) }
            #expect(Int(threads[8])! >= 1)
        }
        // Nothing except the results is left.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["stress.csv"])
    }

    @Test func roundsGoOnAfterTheLastOfTheSameSeed() {
        func row(_ scenario: String, _ seed: String, _ first: String, _ rounds: String) -> [String]
        {
            StressTable.header.map {
                [
                    "layer": "l", "scenario": scenario, "seed": seed, "first_round": first,
                    "rounds": rounds,
                ][$0] ?? ""
            }
        }
        let rows = [
            StressTable.header, row("a", "1", "0", "4"), row("a", "1", "4", "2"),
            row("b", "1", "0", "9"), row("a", "2", "0", "20"),
        ]
        #expect(StressTable.nextRound(in: rows, layer: "l", scenario: "a", seed: 1) == 6)
        #expect(StressTable.nextRound(in: rows, layer: "l", scenario: "c", seed: 1) == 0)
        #expect(StressTable.nextRound(in: [], layer: "l", scenario: "a", seed: 1) == 0)
    }

    @Test func everyRowHasEveryColumn() {
        var tally = LayerTally(layer: "l", scenario: "s", seed: 1, firstRound: 0)
        tally.report.handOverNanoseconds = [3000, 1000, 2000]
        tally.report.coverage = ["commit": 2, "begin": 1]
        let fields = StressTable.fields(of: tally, run: "r", revision: "abc")
        #expect(fields.count == StressTable.header.count)
        #expect(tally.handOverMicroseconds(0.5) == 2)
        #expect(tally.handOverMicroseconds(1) == 3)
        #expect(fields.contains("begin 1; commit 2"))
    }

    @Test func aFileWithOtherColumnsIsLeftAlone() throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/other.csv"
        try "a,b\r\n1,2\r\n".write(toFile: file, atomically: true, encoding: .utf8)
        let (_, exitCode) = try runRunner(
            "stress", "run", "many-writers", "--for", "1s", "--append", file)
        #expect(exitCode == 6)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "a,b\r\n1,2\r\n")
    }

    @Test func mistakesAreUsageErrors() throws {
        for arguments in [
            ["run", "power-lost"], ["run", "--for", "0"], ["run", "--for", "2x"],
            ["replay", "nonsense"], ["replay", "power-loss/fool"],
            ["replay", "power-loss/full image=half"], ["nonsense"],
        ] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: runnerPath)
            process.arguments = ["stress"] + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 64, "\(arguments)")
        }
    }

    @Test func listNamesEveryLayerAndScenario() throws {
        let (text, exitCode) = try runRunner("stress", "list")
        #expect(exitCode == 0)
        for layer in LayerCatalogue.all {
            #expect(text.contains(layer.name))
            for scenario in layer.scenarios { #expect(text.contains(scenario.name)) }
        }
    }
}
