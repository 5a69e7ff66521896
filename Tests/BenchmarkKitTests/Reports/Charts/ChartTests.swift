import Testing

@testable import BenchmarkKit

@Suite struct ChartTests {
    @Test(arguments: [
        (0.0, "0"), (0.25, "0.25"), (7, "7"), (190_000, "190 k"), (4_544, "4.54 k"),
        (1_792_824_917, "1.79 G"), (100, "100"), (20_000, "20 k"),
    ])
    func numbersAreShort(value: Double, text: String) {
        #expect(ChartAxis.short(value) == text)
    }

    @Test(arguments: [
        (0.5, "500 ns"), (2, "2 µs"), (1500, "1.5 ms"), (2_000_000, "2 s"),
    ])
    func durationsHaveTheirUnit(value: Double, text: String) {
        #expect(ChartAxis.Unit.microseconds.text(value) == text)
    }

    @Test func aLinearAxisBeginsAtZeroAndCoversAll() {
        let axis = ChartAxis(title: "", kind: .linear, unit: .plain, covering: [3, 189_738])
        #expect(axis.low == 0)
        #expect(axis.high == 200_000)
        #expect(axis.ticks.map(\.label) == ["0", "50 k", "100 k", "150 k", "200 k"])
        #expect(axis.position(100_000) == 0.5)
    }

    @Test func aLogarithmicAxisHasPowersOfTen() {
        let axis = ChartAxis(
            title: "", kind: .logarithmic, unit: .microseconds, covering: [4, 7_500])
        #expect(axis.ticks.map(\.label) == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"])
        #expect(abs(axis.position(100) - 0.5) < 1e-12)
    }

    @Test func everyNineHasTheSameLength() {
        let axis = ChartAxis(title: "", kind: .percentile, unit: .plain, covering: [1, 10_000])
        #expect(axis.ticks.map(\.label) == ["0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
        #expect(abs(axis.position(10) - 0.25) < 1e-12)
        #expect(abs(axis.position(1000) - 0.75) < 1e-12)
    }

    @Test func aChartNamesWhatItShows() {
        let chart = LineChart(
            title: "a < b", xTitle: "commits", yTitle: "bytes", yUnit: .bytes,
            series: [.init(name: "file", points: [(0, 0), (10, 4096)], style: .distinct(0))]
        ).svg().text
        for text in ["a &lt; b", ">commits<", ">bytes<", ">file<", ">4 kB<"] {
            #expect(chart.contains(text))
        }
    }

    /// Names of marks stand above the lines, beside each other or in rows.
    @Test(arguments: [
        [0, 1, 2, 3, 19], [5], [19, 18, 17, 3], Array(0..<20), [],
    ])
    func namesOfMarksDoNotMeet(places: [Int]) throws {
        func chart(_ places: [Int]) -> SVG {
            LineChart(
                title: "", xTitle: "", yTitle: "",
                series: [
                    .init(
                        name: "", points: (0..<20).map { (Double($0), 1) }, style: .distinct(0))
                ],
                marks: places.map { (Double($0), "1f1aff1\($0 % 10)") }
            ).svg()
        }
        let svg = chart(places)
        let name =
            /<text x="([0-9.]+)" y="([0-9.]+)" text-anchor="(\w+)" class="tick mark-name">/
        let boxes = svg.body.matches(of: name).map { match in
            // A digit of DejaVu Sans is 0.64 of the font's size wide, which is 12.
            let (x, y, width) = (Double(match.1) ?? 0, Double(match.2) ?? 0, 8 * 0.64 * 12)
            let left = match.3 == "end" ? x - width : x
            return (left: left, right: left + width, top: y - 10, bottom: y + 3)
        }
        #expect(boxes.count == places.count)
        for (index, box) in boxes.enumerated() {
            #expect(box.left >= 0 && box.right <= svg.width, "\(box)")
            for other in boxes[..<index] {
                let isBeside = box.left > other.right || other.left > box.right
                let isAbove = box.bottom < other.top || other.bottom < box.top
                #expect(isBeside || isAbove, "\(box) \(other)")
            }
        }
        let plotTop = try #require(svg.body.firstMatch(of: /y1="([0-9.]+)" [^>]*class="grid"/))
        #expect(boxes.allSatisfy { $0.bottom < Double(plotTop.1) ?? 0 })
        // As low as can be: one row suffices for names that are far apart.
        #expect(chart([3, 19]).height == chart([5]).height)
    }

    private func row(_ strategy: String, _ engine: String) -> RunRow {
        RunRow(
            CaseResult.empty("sensors", strategy, engine: engine),
            context: RunContext(runIdentifier: "r"))
    }

    @Test func anEngineHasOneColourInEveryChart() {
        let engines = ["realm", "control", "sqlite", "lmdb"]
        let all = HTMLCharts.lineStyles(
            of: [
                row("api", "realm"), row("engine", "realm"), row("engine", "sqlite"),
                row("engine", "lmdb"),
            ], engines)
        #expect(all.map(\.color) == [0, 0, 2, 3])
        #expect(all.map(\.dashes) == [0, 1, 0, 0])
        // The styles do not depend on the order of the rows, or on which rows there are.
        let some = HTMLCharts.lineStyles(
            of: [row("engine", "lmdb"), row("api", "realm"), row("batched", "lmdb")], engines)
        #expect(some.map(\.color) == [3, 0, 3])
        #expect(some.map(\.dashes) == [0, 0, 1])
    }

    @Test func theLinesOfASingleEngineAreToldApartByColour() {
        let rows = (0..<10).map { row("strategy \($0)", "realm") }
        let styles = HTMLCharts.lineStyles(of: rows, ["sqlite", "realm"])
        #expect(styles.map(\.color) == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1])
        #expect(styles.map(\.dashes) == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    }

    @Test func aLineAndItsLegendLookTheSame() {
        let chart = LineChart(
            title: "", xTitle: "", yTitle: "",
            series: [.init(name: "a", points: [(0, 0), (1, 1)], style: .init(color: 3, dashes: 2))]
        ).svg().text
        #expect(chart.matches(of: /class="line c3 d2"/).count == 2)
        #expect(HTMLStyle.sheet.contains(".d2 {"))
    }

    @Test func aRatioAndItsInverseAreEquallyFarFromTheMiddle() throws {
        func places(_ ratios: [Double]) -> [Double] {
            let chart = RatioChart(
                title: "", axisTitle: "", points: ratios.map { .init(label: "", ratio: $0) })
            return chart.svg().body.matches(of: /<rect x="([0-9.]+)"/).compactMap { Double($0.1) }
        }
        let inside = places([0.5, 1, 2])
        #expect(inside.count == 3)
        #expect(abs((inside[0] + inside[2]) / 2 - inside[1]) <= 0.1)
        // A ratio that cannot be drawn stays at the edge.
        #expect(places([0, 1])[0] < places([0, 1])[1])
    }
}
