import CColumnKernels
import Testing
import ToolSupport

@testable import StorageEngine

/// Searches in byte strings, at each level that this processor supports, compared with searches in
/// arrays. The memory after the heaps is not accessible.
@Suite struct KernelBytesTests {
    /// A string of few letters, so that many are equal.
    private func randomBytes(_ limit: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<random.next(below: limit + 1)).map { _ in UInt8(97 + random.next(below: 2)) }
    }

    private func contains(_ value: [UInt8], _ pattern: [UInt8]) -> Bool {
        value.count >= pattern.count
            && (0...value.count - pattern.count).contains {
                value[$0..<$0 + pattern.count].elementsEqual(pattern)
            }
    }

    private func matches(_ test: BytesTest, _ value: [UInt8], _ pattern: [UInt8]) -> Bool {
        switch test {
        case .equal: value == pattern
        case .prefix: value.starts(with: pattern)
        case .suffix: value.suffix(pattern.count).elementsEqual(pattern)
        case .contains: contains(value, pattern)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func searchesFindWhatComparingFinds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for rows in [1, 2, 63, 64, 65, 128, 200] {
            for limit in [0, 3, 9, 20] {
                var values = (0..<rows).map { _ in randomBytes(limit, &random) }
                let isElsewhere = (0..<rows).map { _ in random.next(below: 20) == 0 }
                for row in 0..<rows where isElsewhere[row] {
                    values[row] = randomBytes(24, &random)
                }
                let nulls = (0..<rows).map { _ in random.next(below: 9) == 0 }
                for row in 0..<rows where nulls[row] { values[row] = [] }
                check(values, isElsewhere, nulls, limit, &random)
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func searchesAmongPackedEndsFindWhatComparingFinds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for rows in [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 128, 200] {
            for limit in [0, 3, 15, 31] {
                let nulls = (0..<rows).map { _ in random.next(below: 9) == 0 }
                let values = nulls.map { $0 ? [] : randomBytes(limit, &random) }
                check(
                    values, [Bool](repeating: false, count: rows), nulls, limit, &random,
                    packed: true)
            }
        }
    }

    private func check(
        _ values: [[UInt8]], _ isElsewhere: [Bool], _ nulls: [Bool], _ limit: Int,
        _ random: inout SeededGenerator, packed: Bool = false
    ) {
        let rows = values.count
        let memory = GuardedMemory(byteCount: 65536)
        let heap = [UInt8](repeating: 97, count: 8) + values.flatMap { $0 }
        let place = memory.place(heap) + 8
        var end = 0
        let ends = (0..<rows).map { row in
            end += values[row].count
            return UInt16(end) | (isElsewhere[row] ? 0x8000 : 0)
        }
        let stored = packed ? packedEnds(ends) : ends.withUnsafeBytes { [UInt8]($0) }
        let nullWords = PackedColumnModel.words(nulls, behind: true)
        var mask = [UInt64](repeating: 0xAAAA, count: (rows + 63) / 64)
        nullWords.withUnsafeBytes { nullWords in
            stored.withUnsafeBytes { ends in
                let column = realm_bytes_column(
                    heap: place.assumingMemoryBound(to: UInt8.self), ends: ends.baseAddress!,
                    ends_are_packed: packed,
                    nulls: nullWords.baseAddress!.assumingMemoryBound(to: UInt64.self),
                    used: end, rows: rows)
                for test in [BytesTest.equal, .prefix, .suffix, .contains] {
                    for _ in 0..<12 {
                        let pattern =
                            random.next(below: 2) == 0
                            ? values[random.next(below: rows)] : randomBytes(limit, &random)
                        let expected = (0..<rows).filter {
                            !nulls[$0] && !isElsewhere[$0] && matches(test, values[$0], pattern)
                        }
                        for level in ColumnKernels.available {
                            let found = search(column, test, pattern, level, &mask)
                            #expect(found == isElsewhere.contains(true))
                            #expect(
                                members(&mask, rows: rows) == expected,
                                "\(test) \(pattern) \(level.name)")
                        }
                    }
                }
            }
        }
    }

    /// The same ends in blocks of ten bytes. Behind the last row there may be anything.
    private func packedEnds(_ ends: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        for first in stride(from: 0, to: ends.count, by: 8) {
            let start = first == 0 ? 0 : ends[first - 1]
            bytes += [UInt8(truncatingIfNeeded: start), UInt8(start >> 8)]
            bytes += (first..<first + 8).map { $0 < ends.count ? UInt8(ends[$0] - start) : 0xFF }
        }
        return bytes
    }

    private func search(
        _ column: realm_bytes_column, _ test: BytesTest, _ pattern: [UInt8],
        _ level: ColumnKernels, _ mask: inout [UInt64]
    ) -> Bool {
        let kinds: [BytesTest: realm_bytes_test] = [
            .equal: realm_bytes_equal, .prefix: realm_bytes_prefix, .suffix: realm_bytes_suffix,
        ]
        guard let kind = kinds[test] else {
            // The loop does not accept an empty pattern.
            return pattern.isEmpty
                ? search(column, .prefix, pattern, level, &mask)
                : realm_match_contained_bytes(column, pattern, pattern.count, &mask)
        }
        return level.table.pointee.match_bytes(column, kind, pattern, pattern.count, &mask)
    }

    /// Overflow values are compared outside of nodes.
    @Test func singleStringsAreTestedAlike() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let value = randomBytes(6, &random)
            let pattern = randomBytes(3, &random)
            for test in [BytesTest.equal, .prefix, .suffix, .contains] {
                let isMatch = value.withUnsafeBytes { value in
                    pattern.withUnsafeBytes { test.matches(value, $0) }
                }
                #expect(isMatch == matches(test, value, pattern))
            }
        }
    }
}
