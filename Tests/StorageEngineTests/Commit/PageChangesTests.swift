import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct PageChangesTests {
    private static let size = 4096

    private func changes(
        of run: [UInt8], since base: [UInt8], limit: Int = .max
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        let fits = run.withUnsafeBytes { run in
            base.withUnsafeBytes {
                PageChanges.append(stretchesOf: run, since: $0, to: &bytes, limit: limit)
            }
        }
        return fits ? bytes : nil
    }

    private func applied(_ changes: [UInt8], to base: [UInt8], count: Int) -> [UInt8]? {
        var run = [UInt8](repeating: 0, count: count)
        let isWhole = changes.withUnsafeBytes { changes in
            var reader = VariableLengthIntegerReader(changes)
            return run.withUnsafeMutableBytes { run in
                base.withUnsafeBytes { PageChanges.apply(&reader, to: $0, making: run) }
            } && reader.remaining == 0
        }
        return isWhole ? run : nil
    }

    /// The seal is not part of the changes.
    private func withoutSeal(_ run: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: PageHeader.sealSize) + run[PageHeader.sealSize...]
    }

    private func randomRun(_ random: inout SeededGenerator, count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test func equalRunsHaveNoChanges() throws {
        var random = SeededGenerator(seed: 1)
        let run = randomRun(&random, count: Self.size)
        let bytes = try #require(changes(of: run, since: run))
        #expect(bytes.count <= 4)
        #expect(applied(bytes, to: run, count: Self.size) == withoutSeal(run))
    }

    @Test func aNewRunIsComparedWithZeros() throws {
        var run = [UInt8](repeating: 0, count: Self.size)
        for place in 100..<140 { run[place] = 7 }
        let bytes = try #require(changes(of: run, since: []))
        #expect(bytes.count < 60)
        #expect(applied(bytes, to: [], count: Self.size) == run)
    }

    @Test(arguments: [1, 2, 4, 8, 12, 16])
    func aValuePutIntoAnArrayIsTheOnlyChange(width: Int) throws {
        var random = SeededGenerator(seed: 2)
        let base = randomRun(&random, count: Self.size)
        var run = base
        run.insert(contentsOf: randomRun(&random, count: width), at: 1000)
        run.removeLast(width)
        let bytes = try #require(changes(of: run, since: base))
        #expect(bytes.count < width + 30)
        #expect(applied(bytes, to: base, count: Self.size) == withoutSeal(run))
        // And the other way round: a value taken out.
        let back = try #require(changes(of: base, since: run))
        #expect(back.count < width + 40)
        #expect(applied(back, to: run, count: Self.size) == withoutSeal(base))
    }

    @Test func changesThatDoNotFitAreRefused() {
        var random = SeededGenerator(seed: 3)
        let (run, base) = (
            randomRun(&random, count: Self.size), randomRun(&random, count: Self.size)
        )
        #expect(changes(of: run, since: base, limit: 1000) == nil)
    }

    /// Bytes overwritten, put in, taken out and moved, in runs and bases of different lengths.
    @Test func anyRunIsMadeAgainFromItsBase() throws {
        var random = SeededGenerator(seed: 4)
        for round in 0..<2000 {
            let sizes = [Self.size, 2 * Self.size, 4 * Self.size]
            let base =
                Int.random(in: 0..<10, using: &random) == 0
                ? []
                : randomRun(&random, count: sizes.randomElement(using: &random)!).map {
                    Int.random(in: 0..<3, using: &random) == 0 ? $0 : 0
                }
            var run = base
            for _ in 0..<Int.random(in: 0...6, using: &random) where !run.isEmpty {
                let place = Int.random(in: 0..<run.count, using: &random)
                let count = min(Int.random(in: 0...40, using: &random), run.count - place)
                let new = randomRun(&random, count: Int.random(in: 0...40, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: run.replaceSubrange(place..<place + count, with: new)
                case 1: run.insert(contentsOf: new, at: place)
                case 2: run.removeSubrange(place..<place + count)
                default:
                    run.replaceSubrange(
                        place..<place + count, with: repeatElement(0, count: count))
                }
            }
            let size = sizes.randomElement(using: &random)!
            run = Array(run.prefix(size)) + Array(repeating: 0, count: max(0, size - run.count))
            let bytes = try #require(changes(of: run, since: base))
            #expect(applied(bytes, to: base, count: size) == withoutSeal(run), "round \(round)")
        }
    }

    /// Whatever the bytes are, applying them ends and stays within the run.
    @Test func arbitraryBytesAreAppliedOrRefused() {
        var random = SeededGenerator(seed: 5)
        let base = randomRun(&random, count: Self.size)
        for _ in 0..<20_000 {
            let bytes = randomRun(&random, count: Int.random(in: 0...60, using: &random))
            _ = applied(bytes, to: base, count: Self.size)
        }
    }
}
