import Foundation
import RealmSwift
import Testing

@Suite struct KeyPathNameTests {
    typealias Resident = EmbeddedModels.Resident

    @Test func propertiesLinksAndCollections() {
        #expect(_name(for: \Person.age) == "age")
        #expect(_name(for: \Dog.owner) == "owner")
        #expect(_name(for: \Dog.owner?.name) == "owner.name")
        #expect(_name(for: \Owner.dogs) == "dogs")
        #expect(_name(for: \Owner.dogs[0].name) == "dogs.name")
        #expect(_name(for: \Owner.dogs.first?.owner?.best?.name) == "dogs.owner.best.name")
        #expect(_name(for: \Owner.nicknames) == "nicknames")
    }

    @Test func embeddedObjectsAndProjectedCollections() {
        #expect(_name(for: \Resident.address?.country?.name) == "address.country.name")
        #expect(_name(for: \Resident.address?.rooms[0].keeper?.id) == "address.rooms.keeper.id")
        #expect(_name(for: \Owner.dogs.projectTo.name) == "dogs.name")
    }

    class Friend: Object {
        @Persisted var name: String
        @Persisted var friends: List<Friend>
        @Persisted var byName: Map<String, Friend?>
        @Persisted var ages: Map<String, Int>
        @Persisted(originProperty: "friends") var admirers: LinkingObjects<Friend>
        /// Asks for the name of a key path while another is traced.
        var named: Friend? {
            RealmSwift._name(for: \Friend.name) == "name" ? byName["any"] ?? nil : nil
        }
    }

    class FriendProjection: Projection<Friend> {
        @Projected(\Friend.name) var title
        @Projected(\Friend.friends.projectTo.name) var friendsNames
        @Projected(\Friend.admirers) var fans
    }

    @Test func backlinksMapsAndProjections() {
        #expect(_name(for: \Friend.admirers) == "admirers")
        #expect(_name(for: \Friend.admirers[0].name) == "admirers.name")
        #expect(_name(for: \Friend.admirers.first?.friends[1].name) == "admirers.friends.name")
        #expect(_name(for: \Friend.byName["any"]??.name) == "byName.name")
        #expect(_name(for: \Friend.ages["any"]) == "ages")
        #expect(_name(for: \FriendProjection.title) == "name")
        #expect(_name(for: \FriendProjection.friendsNames) == "friends.name")
        #expect(_name(for: \FriendProjection.fans) == "admirers")
        #expect(_name(for: \Friend.named?.name) == "byName.name")
        #expect(Friend().admirers.isEmpty && Friend().byName["any"] == nil)
    }

    @Test func tracingLeavesObjectsAndThreadsAlone() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        #expect(_name(for: \Owner.best?.name) == "best.name")
                        #expect(Dog().owner == nil && Person().age == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
