import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct ChangePointTests {
    /// Returns values around 100 with a spread of 2 %, multiplied by `factors` of their places.
    private func series(_ count: Int, seed: UInt64, _ factor: (Int) -> Double) -> [Double] {
        var source = NormalSource(generator: SeededGenerator(seed: seed))
        return (0..<count).map { source.next(100 * factor($0), spread: 0.02) }
    }

    @Test func aPlantedStepIsFoundWhereItIs() {
        let found = (0..<50).map { seed in
            ChangePoints.changes(in: series(30, seed: seed) { $0 < 17 ? 1 : 1.1 })
        }
        // One run in a hundred that did not change may be split further.
        #expect(found.count { $0.count == 1 } >= 46)
        #expect(found.allSatisfy { $0.contains { abs($0.position - 17) <= 1 } })
        #expect(found.flatMap { $0 }.allSatisfy { $0.p <= ChangePoints.significance })
    }

    @Test func seriesWithoutAChangeHaveNone() {
        let wrong = (0..<200).count { seed in
            !ChangePoints.changes(in: series(30, seed: 1000 + seed) { _ in 1 }).isEmpty
        }
        // 2 are expected; more than 7 come about once in a thousand times.
        #expect(wrong <= 7)
    }

    @Test func severalStepsAreFound() {
        let values = series(60, seed: 3) { $0 < 20 ? 1 : $0 < 40 ? 1.2 : 1.05 }
        let positions = ChangePoints.changes(in: values).map(\.position)
        #expect(positions.count == 2)
        #expect(zip(positions, [20, 40]).allSatisfy { abs($0 - $1) <= 1 }, "\(positions)")
    }

    @Test func aSpreadThatGrowsIsAChange() {
        var source = NormalSource(generator: SeededGenerator(seed: 5))
        let values = (0..<80).map { source.next(100, spread: $0 < 40 ? 0.005 : 0.1) }
        #expect(ChangePoints.changes(in: values).contains { abs($0.position - 40) <= 8 })
    }

    @Test func theSplitIsThatOfTheDefinition() {
        for seed in 0..<20 as Range<UInt64> {
            let values = series(12, seed: seed) { $0 < 7 ? 1 : 1.01 }
            func mean(_ left: ArraySlice<Double>, _ right: ArraySlice<Double>) -> Double {
                left.reduce(0) { sum, a in right.reduce(sum) { $0 + abs(a - $1) } }
                    / Double(left.count * right.count)
            }
            // Within a part, the mean is over pairs of different values.
            func within(_ part: ArraySlice<Double>) -> Double {
                mean(part, part) * Double(part.count) / Double(part.count - 1)
            }
            let distances = (3...9).map { split -> Double in
                let (left, right) = (values[..<split], values[split...])
                return Double(left.count * right.count) / Double(values.count)
                    * (2 * mean(left, right) - within(left) - within(right))
            }
            let best = ChangePoints.bestSplit(of: values)
            #expect(abs(distances.max()! - best!.distance) < 1e-9)
            #expect(distances.firstIndex(of: distances.max()!)! + 3 == best!.position)
        }
    }

    @Test func fewOrEqualValuesHaveNoChange() {
        #expect(ChangePoints.changes(in: []) == [])
        #expect(ChangePoints.changes(in: [1, 1, 9, 9, 9]) == [])
        #expect(ChangePoints.bestSplit(of: [1, 1, 9, 9, 9]) == nil)
        #expect(ChangePoints.changes(in: Array(repeating: 5, count: 40)) == [])
    }
}
