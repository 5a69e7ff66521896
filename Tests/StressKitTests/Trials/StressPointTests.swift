import StressModel
import Testing
import ToolSupport

@testable import StressKit

@Suite struct StressPointTests {
    @Test func aPointIsOneLineThatCanBeReadBack() throws {
        let point = StressPoint("power-loss", "full").with("seed", 7).with("image", "subset:5:1")
        #expect(point.description == "power-loss/full seed=7 image=subset:5:1")
        #expect(StressPoint(point.description) == point)
        #expect(point.with("seed", 8).description == "power-loss/full seed=8 image=subset:5:1")
        #expect(point.without("seed", "none").description == "power-loss/full image=subset:5:1")
    }

    @Test(arguments: [
        "", "power-loss", "power-loss/", "/full", "a/b/c", "a/b seed", "a/b =1", "a/b x=1 x=2",
    ])
    func whatIsNoPointIsRefused(text: String) { #expect(StressPoint(text) == nil) }

    @Test func settingsAreReadWithinBounds() throws {
        let point = StressPoint("a", "b").with("n", 5).with("scale", "huge").with("seed", "x")
        #expect(try point.number("n", in: 1...9, default: 1) == 5)
        #expect(try point.number("other", in: 1...9, default: 3) == 3)
        #expect(throws: BenchmarkError.self) { try point.number("n", in: 6...9, default: 6) }
        #expect(throws: BenchmarkError.self) {
            try point.value("scale", default: StressScale.small)
        }
        #expect(throws: BenchmarkError.self) { try point.workload() }
    }

    @Test(arguments: [
        PowerLossChoice.nothing, .everything, .allBut(3), .only(0), .subset(37, pageParts: 8),
        .sample(seed: .max),
    ])
    func imagesAreNamedInOneWord(choice: PowerLossChoice) {
        #expect(PowerLossChoice(choice.description) == choice)
        #expect(!choice.description.contains(" "))
    }

    @Test(arguments: ["", "subset", "subset:1", "subset:1:3", "only:x", "sample:-1", "nothing:1"])
    func whatNamesNoImageIsRefused(text: String) { #expect(PowerLossChoice(text) == nil) }

    @Test func everyRoundNamesScenariosOfItsLayer() throws {
        for layer in LayerCatalogue.all {
            for round in 0..<12 {
                let points = layer.points(round: round, seed: 5)
                #expect(Set(points.map(\.scenario)) == Set(layer.scenarios.map(\.name)))
                for point in points {
                    #expect(try LayerCatalogue.layer(of: point).name == layer.name)
                    #expect(StressPoint(point.description) == point)
                }
            }
        }
    }

    @Test func whatAPointLeavesOutIsAsInTheFirstRound() throws {
        let command = try StressReplayCommand.parse(["power-loss/relaxed-slots seed=9 scale=mixed"])
        let point = try command.point()
        #expect(point["seed"] == "9")
        #expect(point["scale"] == "mixed")
        let first = try #require(
            LayerCatalogue.layer(named: "power-loss").points(round: 0, seed: 1)
                .first { $0.scenario == "relaxed-slots" })
        #expect(try #require(point["prepared"]) == first["prepared"])
        #expect(try #require(point["transactions"]) == first["transactions"])
        // Places are not filled in: without them, all are tried.
        #expect(point["moment"] == nil)
    }

    @Test func misspeltSettingsAreNamed() {
        for (text, says) in [
            ("power-loss/full seed=3 momnt=4", "named 'momnt'. Did you mean moment?"),
            ("many-writers/threads thread=3", "Did you mean threads?"),
            ("process-death/alone bytes=3", "Known: "),
        ] {
            let error = #expect(throws: BenchmarkError.self) {
                try LayerCatalogue.layer(of: StressPoint(text)!)
            }
            #expect(error?.code == .usage)
            #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
        }
    }

    @Test func unknownLayersAndScenariosAreUsageErrors() {
        for text in ["power-lost/full", "power-loss/fool"] {
            let error = #expect(throws: BenchmarkError.self) {
                try LayerCatalogue.layer(of: StressPoint(text)!)
            }
            #expect(error?.code == .usage)
        }
    }
}
