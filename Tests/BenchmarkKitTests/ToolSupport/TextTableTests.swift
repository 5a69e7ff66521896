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

    @Test func columnsThatDoNotFitFollowBelow() {
        let table = TextTable(
            leftColumns: [0, 2], header: ["name", "one", "two", "three"],
            rows: [["a", "1", "x", "3"]])
        #expect(table.lines(within: nil) == table.lines())
        #expect(table.lines(within: 21) == table.lines())
        #expect(
            table.lines(within: 12) == [
                "name  one", "----  ---", "a       1", "", "name  two", "----  ---", "a     x", "",
                "name  three", "----  -----", "a         3",
            ])
        #expect(table.lines(within: 1).count == 11)
        let keyed = table.lines(within: 15, keys: 2)
        #expect(keyed[0] == "name  one  two" && keyed[4] == "name  one  three")
        let (fitted, leftOut) = table.fitted(to: 14, leavingOut: [3, 1, 2])
        #expect(fitted.header == ["name", "one", "two"] && leftOut == ["three"])
        #expect(fitted.leftColumns == [0, 2])
    }

    @Test func theLastColumnIsShortened() {
        let table = TextTable(
            leftColumns: [0, 1], header: ["at", "subject"],
            rows: [
                ["1", "short"], ["2", "a longer one"],
                ["3", "\u{4E2D}\u{6587}\u{5B57}\u{7B26}"],
            ])
        let lines = table.shorteningLast(within: 11).lines()
        #expect(
            lines == [
                "at  subject", "--  -------", "1   short", "2   a long\u{2026}",
                "3   \u{4E2D}\u{6587}\u{5B57}\u{2026}",
            ])
        #expect(table.shorteningLast(within: nil).rows == table.rows)
        #expect(table.shorteningLast(within: 16).rows == table.rows)
    }

    @Test func sentencesAreWrapped() {
        #expect(PageWidth.lines(of: "one two three", within: 7) == ["one two", "three"])
        #expect(PageWidth.lines(of: "longer a", within: 3) == ["longer", "a"])
        #expect(PageWidth.lines(of: "one two three", within: nil) == ["one two three"])
    }
}
