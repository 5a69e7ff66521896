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
            series: [.init(name: "file", points: [(0, 0), (10, 4096)])]
        ).svg().text
        for text in ["a &lt; b", ">commits<", ">bytes<", ">file<", ">4 kB<"] {
            #expect(chart.contains(text))
        }
    }
}
