import Testing
import ToolSupport

@testable import StorageEngine

/// Comparisons, sums and bounds of the columns of real nodes, with values at which base, width and
/// the order of floating-point numbers could go wrong.
@Suite struct KernelColumnTests {
    private static let comparisons = Comparison.allCases

    private func holds<T: Comparable>(_ comparison: Comparison, _ a: T, _ b: T) -> Bool {
        switch comparison {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    /// Calls `body` with a leaf of one column.
    private func withColumn(
        _ kind: ColumnKind, _ values: [NodeValue], _ body: (Node) -> Void
    ) {
        let node = MutableNode.make([kind])
        defer { node.free() }
        for (row, value) in values.enumerated() {
            let isSet = node.insertPlaceholderRow(at: row) && node.set(0, row, value)
            precondition(isSet, "the rows fit a page")
        }
        body(node.reading)
    }

    private func stored(_ values: [Int64?]) -> [NodeValue] {
        values.map { $0.map { .integer($0) } ?? .null }
    }

    private func stored(_ values: [Double?]) -> [NodeValue] {
        values.map { $0.map { .double($0.bitPattern) } ?? .null }
    }

    private func stored(_ values: [Float?]) -> [NodeValue] {
        values.map { $0.map { .float($0.bitPattern) } ?? .null }
    }

    /// Checks a comparison at every level, as mask and as count.
    private func check(
        _ node: Node, _ range: NumberRange, _ expected: [Int], _ what: @autoclosure () -> String
    ) {
        var mask = RowMask()
        for level in ColumnKernels.available {
            let column = PackedColumn(node, 0, kernels: level)
            column.match(range, into: &mask)
            #expect(mask.members() == expected, "\(what()), \(level.name)")
            #expect(column.count(range) == expected.count, "\(what()), \(level.name)")
        }
    }

    /// Ranges of integers that need every width, at both ends of Int64 and around zero.
    private static let integerRanges: [ClosedRange<Int64>] =
        [0, 1, 3, 15, 255, 65535, 1 << 32 - 1, 1 << 40].flatMap { span -> [ClosedRange<Int64>] in
            [
                Int64.min...Int64.min + span, Int64.max - span...Int64.max, -span / 2...span / 2,
                7...7 + span,
            ]
        } + [Int64.min...Int64.max]

    @Test(arguments: integerRanges) func integersCompareLikeIntegers(range: ClosedRange<Int64>) {
        var random = SeededGenerator(seed: UInt64(bitPattern: range.upperBound))
        for rows in [1, 63, 64, 65, 200] {
            let values = (0..<rows).map { row -> Int64? in
                switch row == 0 ? 5 : random.next(below: 6) {
                case 0: nil
                case 1: range.upperBound
                case 2, 5: range.lowerBound
                default: Int64.random(in: range, using: &random)
                }
            }
            withColumn(.integer, stored(values)) { node in
                let operands =
                    [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max, range.lowerBound]
                    + [range.upperBound, Int64.random(in: range, using: &random)]
                    + [range.lowerBound &- 1, range.upperBound &+ 1]
                for operand in operands {
                    for comparison in Self.comparisons {
                        let expected = (0..<rows).filter {
                            values[$0].map { holds(comparison, $0, operand) } ?? false
                        }
                        check(
                            node, NumberRange(comparison, NumberEdges(operand)), expected,
                            "\(comparison) \(operand) in \(range)")
                    }
                    let other = operands[random.next(below: operands.count)]
                    for includesLast in [true, false] {
                        let expected = (0..<rows).filter { row in
                            guard let value = values[row] else { return false }
                            return value >= operand
                                && (includesLast ? value <= other : value < other)
                        }
                        check(
                            node,
                            NumberRange(
                                from: NumberEdges(operand), to: NumberEdges(other),
                                includesLast: includesLast), expected,
                            "from \(operand) to \(other) in \(range)")
                    }
                }
            }
        }
    }

    @Test(arguments: integerRanges)
    func sumsAndBoundsOfIntegersAreExact(range: ClosedRange<Int64>) {
        var random = SeededGenerator(seed: UInt64(bitPattern: range.lowerBound))
        for rows in [1, 64, 65, 200] {
            for nullsOneIn in [1, 3, 1000] {
                let values = (0..<rows).map { _ in
                    random.next(below: nullsOneIn) == 0
                        ? nil : Int64.random(in: range, using: &random)
                }
                withColumn(.integer, stored(values)) { node in
                    for level in ColumnKernels.available {
                        let column = PackedColumn(node, 0, kernels: level)
                        let present = values.compactMap { $0 }
                        let sum = column.sum(nil)
                        #expect(sum.sum == present.reduce(Int128(0)) { $0 + Int128($1) })
                        #expect(sum.count == present.count)
                        let bounds = column.bounds(nil)
                        #expect(bounds?.low == present.min() && bounds?.high == present.max())
                    }
                }
            }
        }
    }

    private static let doubles: [Double] = [
        0, -0.0, 1, -1, 2.5, -2.5, 0x1p52, 0x1p53 - 1, 0x1p53, -0x1p53, 0x1p63, -0x1p63, 1e300,
        -1e300, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .greatestFiniteMagnitude, 100, 101, 99.999,
    ]

    @Test(arguments: [true, false]) func doublesCompareAsIEEE754HasIt(areWhole: Bool) {
        let whole = Self.doubles.filter { PackedNumbers.whole($0) != nil }
        let values = (areWhole ? whole : Self.doubles).map(Optional.some) + [nil]
        withColumn(.double, stored(values)) { node in
            #expect(node.isWhole(0) == areWhole)
            for operand in Self.doubles {
                for comparison in Self.comparisons {
                    let expected = values.indices.filter {
                        values[$0].map { holds(comparison, $0, operand) } ?? false
                    }
                    check(
                        node, NumberRange(comparison, NumberEdges(operand)), expected,
                        "\(comparison) \(operand)")
                }
                for last in Self.doubles {
                    let expected = values.indices.filter {
                        values[$0].map { $0 >= operand && $0 < last } ?? false
                    }
                    check(
                        node,
                        NumberRange(
                            from: NumberEdges(operand), to: NumberEdges(last),
                            includesLast: false), expected, "from \(operand) up to \(last)")
                }
            }
        }
    }

    @Test(arguments: [true, false]) func floatsCompareAsIEEE754HasIt(areWhole: Bool) {
        let all = Self.doubles.map { Float($0) }
        let whole = all.filter { PackedNumbers.whole(Double($0)) != nil }
        let values = (areWhole ? whole : all).map(Optional.some) + [nil]
        withColumn(.float, stored(values)) { node in
            #expect(node.isWhole(0) == areWhole)
            for operand in all {
                for comparison in Self.comparisons {
                    let expected = values.indices.filter {
                        values[$0].map { holds(comparison, $0, operand) } ?? false
                    }
                    check(
                        node, NumberRange(comparison, NumberEdges(operand)), expected,
                        "\(comparison) \(operand)")
                }
            }
        }
    }

    @Test func extremesLeaveOutNaNAndNull() {
        let numbers = Self.doubles.filter { !$0.isNaN }
        withColumn(.double, stored(Self.doubles + [nil])) { node in
            for level in ColumnKernels.available {
                for side in [ColumnExtreme.Side.least, .greatest] {
                    var extreme = ColumnExtreme(side, kind: .double)
                    extreme.add(PackedColumn(node, 0, kernels: level), nil)
                    let expected = side == .least ? numbers.min() : numbers.max()
                    #expect(extreme.best.map { PackedNumbers.double(image: $0) } == expected)
                }
            }
        }
        withColumn(.double, stored([Double.nan, nil])) { node in
            var extreme = ColumnExtreme(.greatest, kind: .double)
            extreme.add(PackedColumn(node, 0), nil)
            #expect(extreme.best == nil)
        }
    }

    /// Whole numbers may be added as integers only if that does not change any bit of the sum.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func doublesAreAddedAsALoopWouldAddThem(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sum = ColumnSum(kind: .double)
        var expected = 0.0
        for _ in 0..<6 {
            let scale = [1.0, 1000, 0x1p40, 0x1p51][random.next(below: 4)]
            let isWhole = random.next(below: 3) > 0
            let values = (0..<100).map { _ -> Double? in
                if random.next(below: 10) == 0 { return nil }
                let value = Double.random(in: -scale...scale, using: &random)
                return isWhole ? value.rounded() : value
            }
            withColumn(.double, stored(values)) { node in
                sum.add(PackedColumn(node, 0), nil)
            }
            for value in values { expected += value ?? 0 }
            #expect(sum.floating.bitPattern == expected.bitPattern)
        }
    }

    @Test func masksAreSets() {
        var random = SeededGenerator(seed: 3)
        for rows in [0, 1, 63, 64, 65, 500, 20_000] {
            let a = Set((0..<rows).filter { _ in random.next(below: 2) == 0 })
            let b = Set((0..<rows).filter { _ in random.next(below: 3) == 0 })
            var second = RowMask()
            second.fill(false, rows: rows)
            for row in b { second.insert(row) }
            func expect(_ expected: Set<Int>, _ change: (inout RowMask) -> Void) {
                var mask = RowMask()
                mask.fill(false, rows: rows)
                for row in a { mask.insert(row) }
                change(&mask)
                #expect(mask.members() == expected.sorted())
                #expect(mask.count == expected.count && mask.isEmpty == expected.isEmpty)
                if rows > 0 { #expect(mask.contains(rows - 1) == expected.contains(rows - 1)) }
            }
            expect(a) { _ in }
            expect(a.intersection(b)) { $0.formIntersection(second) }
            expect(a.union(b)) { $0.formUnion(second) }
            expect(a.subtracting(b)) { $0.subtract(second) }
            expect(Set(0..<rows).subtracting(a)) { $0.formComplement() }
            expect(Set(0..<rows)) { $0.fill(true, rows: rows) }
        }
    }
}
