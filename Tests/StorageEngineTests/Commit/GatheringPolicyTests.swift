import Testing

@testable import StorageEngine

@Suite struct GatheringPolicyTests {
    /// Writes groups of so many committers until one waits, and returns how many did not.
    private func groupsWithoutWaiting(_ policy: inout GatheringPolicy) -> Int {
        var count = 0
        while policy.wanted == nil {
            policy.groupWasWritten(committers: 2)
            count += 1
        }
        return count
    }

    @Test func aGroupWaitsForAsManyAsTheOneBefore() {
        var policy = GatheringPolicy()
        #expect(policy.wanted == nil)
        for committers in 2...GatheringPolicy.largestGroup {
            policy.groupWasWritten(committers: committers)
            #expect(policy.wanted == committers)
        }
    }

    @Test func neitherOneNorManyAreWaitedFor() {
        var policy = GatheringPolicy()
        for committers in [1, GatheringPolicy.largestGroup + 1, 64] {
            policy.groupWasWritten(committers: committers)
            #expect(policy.wanted == nil)
        }
    }

    @Test func waitingInVainIsFollowedByLongerAndLongerPauses() {
        var policy = GatheringPolicy()
        policy.groupWasWritten(committers: 2)
        var pauses: [Int] = []
        for _ in 0..<10 {
            policy.didWait(isComplete: false)
            pauses.append(groupsWithoutWaiting(&policy))
        }
        #expect(pauses == [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024])
        policy.didWait(isComplete: true)
        policy.didWait(isComplete: false)
        #expect(groupsWithoutWaiting(&policy) == 4)
    }
}
