import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct ResultDigestTests {
    static func digest(_ rows: [Int]) -> ResultDigest {
        var digest = ResultDigest()
        for value in rows {
            var row = ResultDigest.Row()
            row.combine(value)
            digest.add(row)
        }
        return digest
    }

    @Test func doesNotDependOnTheOrderOfRows() {
        var generator = SeededGenerator(seed: 11)
        let rows = (0..<200).map { _ in generator.next(below: 1000) }
        #expect(Self.digest(rows) == Self.digest(rows.shuffled(using: &generator)))
    }

    @Test func dependsOnEveryRow() {
        #expect(Self.digest([1, 2, 3]) != Self.digest([1, 2]))
        #expect(Self.digest([1, 2, 2]) != Self.digest([1, 1, 2]))
        #expect(Self.digest([]) != Self.digest([0]))
    }

    @Test func dependsOnTheOrderOfFieldsInARow() {
        var first = ResultDigest.Row()
        var second = ResultDigest.Row()
        first.combine(1)
        first.combine(2)
        second.combine(2)
        second.combine(1)
        #expect(first.hash != second.hash)
    }

    @Test func bytesOfAnyLengthCount() {
        let hashes = (0..<20).map { length -> UInt64 in
            var row = ResultDigest.Row()
            row.combine([UInt8](repeating: 0, count: length))
            return row.hash
        }
        #expect(Set(hashes).count == hashes.count)
    }

    @Test func disagreeingRowsAreNamed() {
        var api = CaseResult.empty("insert", "api")
        var engine = CaseResult.empty("insert", "engine")
        api.digest = "a"
        engine.digest = "a"
        #expect(DigestCheck.disagreements(in: [api, engine]) == [])
        engine.digest = "b"
        #expect(DigestCheck.disagreements(in: [api, engine]).count == 1)
        engine.operations = 5
        #expect(DigestCheck.disagreements(in: [api, engine]) == [])
    }
}
