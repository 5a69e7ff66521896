import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SensorsExpectationTests {
    static func account(_ sequences: some Sequence<Int>) -> SensorAccount {
        var account = SensorAccount()
        for sequence in sequences { account.add(sequence: sequence) }
        return account
    }

    static func expected(_ count: Int) -> SensorsExpectation.ExpectedSensor {
        var history = CommitHistory()
        for sequence in 0..<count { history.append(sequence) }
        return SensorsExpectation.ExpectedSensor(
            identifier: "s", account: account(0..<count), kept: history.kept)
    }

    static func differences(
        _ count: Int, account: SensorAccount? = nil, kept: [Int]? = nil
    ) -> [String] {
        let expected = expected(count)
        return SensorsExpectation.differences(
            name: "s", expected: expected, account: account ?? expected.account,
            kept: kept ?? expected.kept)
    }

    @Test func theChecksumDoesNotDependOnOrder() {
        #expect(Self.account(0..<100) == Self.account((0..<100).reversed()))
        #expect(Self.account(0..<100) != Self.account(0..<99))
        // A lost reading and a repeated one do not cancel out.
        #expect(Self.account([0, 1, 1]) != Self.account([0, 1, 2]))
    }

    @Test(arguments: [0, 1, 9_999, 10_000, 10_001, 25_000])
    func whatWasProducedPasses(count: Int) {
        #expect(Self.differences(count) == [])
    }

    @Test func theHistoryKeepsTheLastInCommitOrder() {
        #expect(Self.expected(10_003).kept == Array(3..<10_003))
    }

    @Test func aLostReadingIsFound() {
        #expect(!Self.differences(5, account: Self.account(0..<4)).isEmpty)
    }

    @Test func aWrongChecksumIsFound() {
        #expect(!Self.differences(3, account: Self.account([0, 1, 1])).isEmpty)
    }

    @Test func readingsInAnotherOrderAreFound() {
        #expect(!Self.differences(3, kept: [0, 2, 1]).isEmpty)
    }

    @Test func readingsThatWereNotTrimmedAreFound() {
        #expect(!Self.differences(10_001, kept: Array(0..<10_001)).isEmpty)
    }

    @Test func aMissingReadingIsFoundAlthoughTheCountsAgree() {
        #expect(!Self.differences(5, kept: [0, 1, 2, 3]).isEmpty)
    }
}
