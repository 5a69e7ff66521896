import Testing
import ToolSupport

@testable import StorageEngine

/// The parts of change sets, compared with plain sets, dictionaries and arrays.
@Suite struct ChangeSetTests {
    private func randomRanges(_ random: inout SeededGenerator) -> [Range<Int64>] {
        (0..<random.next(below: 12)).map { _ in
            let start = Int64(random.next(below: 60))
            return start..<start + Int64(random.next(below: 9))
        }
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func keySetsBehaveLikeSets(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (left, right) = (randomRanges(&random), randomRanges(&random))
        let (a, b) = (KeySet(unsorted: left), KeySet(unsorted: right))
        let (modelA, modelB) = (Set(left.joined()), Set(right.joined()))
        func check(_ set: KeySet, _ model: Set<Int64>) {
            #expect(set.keys.map(\.rawValue) == model.sorted())
            #expect(set.count == model.count)
            #expect(set.isEmpty == model.isEmpty)
            for key in Int64(-1)...70 {
                #expect(set.contains(ObjectKey(rawValue: key)) == model.contains(key))
            }
            #expect(
                zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
            )
        }
        check(a, modelA)
        var union = a
        union.formUnion(b)
        check(union, modelA.union(modelB))
        var difference = a
        difference.subtract(b)
        check(difference, modelA.subtracting(modelB))
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func modificationsBehaveLikeDictionaries(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model: [Int64: Set<UInt16>] = [:]
        func randomRuns() -> [Modifications.Run] {
            randomRanges(&random).filter { !$0.isEmpty }.map { keys in
                let id = UInt16([0, 1, 63, 64, 200][random.next(below: 5)])
                for key in keys { model[key, default: []].insert(id) }
                return Modifications.Run(keys: keys, columns: ColumnSet(id))
            }
        }
        func check(_ modifications: Modifications) {
            let found = modifications.objects.map { ($0.key.rawValue, Set($0.columns.ids)) }
            #expect(found.map(\.0) == model.keys.sorted())
            #expect(Dictionary(uniqueKeysWithValues: found) == model)
            #expect(modifications.count == model.count)
            let first = modifications.keys { $0.contains(0) || $0.contains(64) }
            let chosen = model.filter { !$0.value.isDisjoint(with: [0, 64]) }
            #expect(first.keys.map(\.rawValue) == chosen.keys.sorted())
            for key in Int64(-1)...70 {
                let columns = modifications.columns(of: ObjectKey(rawValue: key))
                #expect(Set(columns.ids) == model[key] ?? [])
            }
            for (run, next) in zip(modifications.runs, modifications.runs.dropFirst()) {
                #expect(run.keys.upperBound <= next.keys.lowerBound)
                #expect(run.keys.upperBound < next.keys.lowerBound || run.columns != next.columns)
            }
        }
        var modifications = Modifications(unsorted: randomRuns())
        check(modifications)
        modifications.merge(Modifications(unsorted: randomRuns()))
        check(modifications)
        let removed = KeySet(unsorted: randomRanges(&random))
        modifications.remove(removed)
        model = model.filter { !removed.contains(ObjectKey(rawValue: $0.key)) }
        check(modifications)
    }

    @Test func columnSetsHoldIdsOfAnySize() {
        var set = ColumnSet()
        #expect(set.isEmpty)
        for id in [UInt16(3), 63, 64, 999, 65535] { set.insert(id) }
        #expect(set.ids == [3, 63, 64, 999, 65535])
        #expect(set.contains(999) && set.contains(3) && !set.contains(998) && !set.contains(4))
        var other = ColumnSet(70)
        other.formUnion(ColumnSet(3))
        set.formUnion(other)
        #expect(set.ids == [3, 63, 64, 70, 999, 65535])
    }

    // MARK: Lists

    /// Performs one random operation on an array and on its change.
    private func edit(
        _ array: inout [Int], _ change: inout CollectionChange, _ next: inout Int,
        _ random: inout SeededGenerator
    ) {
        next += 1
        let count = array.count
        switch random.next(below: 10) {
        case 0...1 where count > 0:
            let index = random.next(below: count)
            array.remove(at: index)
            change.remove(at: index)
        case 2...3 where count > 0:
            let index = random.next(below: count)
            array[index] = next
            change.set(at: index)
        case 4...5 where count > 0:
            let (from, to) = (random.next(below: count), random.next(below: count))
            array.insert(array.remove(at: from), at: to)
            change.move(from: from, to: to)
        case 6 where random.next(below: 10) == 0:
            array = []
            change.removeAll()
        default:
            let index = random.next(below: 3) == 0 ? count : random.next(below: count + 1)
            array.insert(next, at: index)
            change.insert(at: index)
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func listOperationsCombineToOneChange(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = Array(0..<random.next(below: 20))
        var array = original
        var next = 1000
        var whole = CollectionChange(count: original.count)
        for _ in 0..<6 {
            let middle = array
            var part = CollectionChange(count: array.count)
            for _ in 0..<random.next(below: 8) { edit(&array, &part, &next, &random) }
            try part.check(middle, array, "seed \(seed), a part")
            whole = whole.followed(by: part)
            try whole.check(original, array, "seed \(seed)")
        }
    }

    @Test func movesNameWhereElementsCameFrom() {
        var change = CollectionChange(count: 5)
        change.move(from: 1, to: 3)
        #expect(change.deletions == [1..<2])
        #expect(change.insertions == [3..<4])
        #expect(change.moves.map(\.from) == [1])
        #expect(change.moves.map(\.to) == [3])
        #expect(change.modifications == [])
    }

    /// As documented, a modified element that is shifted by an insertion keeps its old index among
    /// the modifications.
    @Test func modificationsAreIndicesOfTheListBefore() {
        var change = CollectionChange(count: 3)
        change.insert(at: 0)
        change.set(at: 2)
        #expect(change.insertions == [0..<1])
        #expect(change.modifications == [1..<2])
        #expect(change.deletions == [])
        #expect(!change.isEmpty)
        #expect(CollectionChange(count: 3).isEmpty)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func matchesOfSequencesAscendAndAreEqual(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = 1 + random.next(below: 30)
        let old = (0..<random.next(below: 40)).map { _ in random.next(below: values) }
        let new = (0..<random.next(below: 40)).map { _ in random.next(below: values) }
        let matches = SequenceDiff.matches(old, new)
        for match in matches { #expect(old[match.old] == new[match.new]) }
        for (match, next) in zip(matches, matches.dropFirst()) {
            #expect(match.old < next.old && match.new < next.new)
        }
        if Set(old).count == old.count, Set(new).count == new.count {
            #expect(matches.count == longestCommon(old, new))
        }
        #expect(SequenceDiff.matches(old, old).count == old.count)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func keysMatchAsOtherValuesDo(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Few values are dense, many are not.
        let values = 1 + random.next(below: seed % 2 == 0 ? 30 : 100_000)
        func keys() -> [ObjectKey] {
            (0..<random.next(below: 40)).map { _ in
                ObjectKey(rawValue: Int64(random.next(below: values)))
            }
        }
        let (old, new) = (keys(), keys())
        let matches = SequenceDiff.matches(old, new)
        let matchesOfKeys = SequenceDiff.matches(keys: old[...], new[...])
        #expect(matches.map(\.old) == matchesOfKeys.map(\.old))
        #expect(matches.map(\.new) == matchesOfKeys.map(\.new))
    }

    /// The length of the longest common subsequence, by the textbook's table.
    private func longestCommon(_ a: [Int], _ b: [Int]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var diagonal = 0
            for (index, y) in b.enumerated() {
                let above = row[index + 1]
                row[index + 1] = x == y ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[b.count]
    }
}
