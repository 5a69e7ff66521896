import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct TextTableTests {
    @Test func tablesAreAligned() {
        var table = TextTable(header: ["name", "n"])
        table.rows = [["a", "1"], ["longer", "100"]]
        #expect(
            table.lines() == [
                "name      n", "------  ---", "a         1", "longer  100",
            ])
    }

    @Test func tablesBecomeMarkdown() {
        var table = TextTable(header: ["a", "n"])
        table.rows = [["x|y", "1"]]
        #expect(table.markdown() == ["| a | n |", "| --- | ---: |", "| x\\|y | 1 |"])
    }

    @Test func numbersReadWell() {
        #expect(Display.number(1_234_567.4) == "1,234,567")
        #expect(Display.number(0.5) == "0.5000")
        #expect(Display.number(nil) == "")
        #expect(Display.grouped(-1000) == "-1,000")
        #expect(Display.bytes(1_500_000) == "1.5 MB")
    }
}
