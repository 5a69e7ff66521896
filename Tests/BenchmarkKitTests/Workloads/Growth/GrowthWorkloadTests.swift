import Foundation
import Glibc
import StorageEngine
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct GrowthWorkloadTests {
    private func run(_ strategy: String, count: Int = 120, in folder: TemporaryFolder) throws
        -> CaseOutcome
    {
        try runCase("growth", strategy, size: 150, in: folder) { $0.count = count }
    }

    @Test(arguments: ["steady", "burst"])
    func aPinnedReaderIsSeenAndChangesNoResult(strategy: String) throws {
        let folder = try TemporaryFolder()
        let free = try run(strategy, in: folder)
        let pinned = try run(strategy + "-pinned", in: folder)
        for outcome in [free, pinned] {
            #expect(outcome.results[0].measure("commits") == 120)
            #expect(outcome.growth.map { $0.commits } == Array(0...120))
            #expect(try #require(outcome.verification).problems() == [])
        }
        for result in [free.results[0], pinned.results[0]] {
            let interval = try #require(result.interval)
            let throughput = try #require(result.throughput)
            #expect(interval.low <= throughput && throughput <= interval.high)
        }
        #expect(free.results[0].digest == pinned.results[0].digest)
        #expect(free.results[0].operations == (strategy == "steady" ? 120 : 119 + 150))
        let last = try #require(pinned.growth.last)
        #expect(last.oldestPinAgeCommits == 120)
        #expect(last.oldestPinOwner?.hasPrefix("\(getpid()) ") == true)
        #expect(try #require(last.oldestPinAgeSeconds) > 0)
        #expect(last.pinnedVersions == 2)
        #expect(try #require(last.waitingBytes) > 0)
        #expect(try #require(free.growth.last).oldestPinAgeCommits == 0)
        #expect(try #require(free.growth.last).pinnedVersions == 1)
    }

    @Test func aShrinkingFileKeepsThePersonsInsertedLast() throws {
        let folder = try TemporaryFolder()
        // Some 5 MB, of which a tenth remains.
        let outcome = try runCase("growth", "shrink", size: 300_000, in: folder) {
            $0.count = 120
        }
        let result = outcome.results[0]
        #expect(result.operations == 120)
        #expect(try #require(outcome.verification).problems() == [])
        let largest = try #require(result.measure("file_bytes_max"))
        #expect(try #require(result.fileBytes) < Int(largest) - 1 << 20)
        #expect(try #require(result.measure("growth_bytes_per_commit")) < 0)
    }

    @Test func aRunByTimeEnds() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("growth", "steady", size: 20, in: folder) {
            $0.seconds = 0.1
        }
        #expect(outcome.results[0].operations > 0)
        #expect(outcome.results[0].digest == nil)
        #expect(outcome.growth.count > 1)
        #expect(try #require(outcome.verification).problems() == [])
    }

    @Test func aPersonThatWasChangedFailsTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("steady", count: 5, in: folder)
        let path = folder.path + "/growth-steady/growth.realm"
        let store = try RealmTableEngine().openPersons(at: path, .integerKey, .full)
        let age = try #require(try store.person(number: 3)).age
        try store.updateAge(number: 3, to: (age + 1) % 100)
        #expect(!(try #require(outcome.verification).problems()).isEmpty)
    }
}
