import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    @Suite struct LinkStoreTests {
        @Test(arguments: Peer.supporting(.links, .backlinks), [1, 3, 100])
        func linksAreFollowedBothWays(_ peer: Peer, _ batchSize: Int) throws {
            let folder = try TemporaryFolder()
            let (owners, members) = (20, 70)
            let sum = (0..<owners * members).reduce(0) { $0 + $1 % 1000 }
            for attempt in 0..<2 {
                let store = try peer.engine.openLinks(at: folder.path + "/links", peer.fastest)
                if attempt == 0 {
                    try store.build(owners: owners, members: members, batchSize: batchSize)
                }
                #expect(try store.sumOfMembers() == sum)
                #expect(try store.countOfOwners() == owners * members)
                // 1,400 members: 7 and 1007 have this value, 999 alone has that.
                #expect(try store.countOfOwners(memberValue: 7) == 2)
                #expect(try store.countOfOwners(memberValue: 999) == 1)
                #expect(try store.countOfOwners(memberValue: 1000) == 0)
                var links = ResultDigest()
                try store.forEachLink { links.add(LinkLists.row($0, $1, $2)) }
                #expect(links == LinkLists.digest(owners: owners, members: members))
                #expect(try store.problems() == [])
                #expect(try store.size().fileBytes > 0)
            }
        }
    }
}
