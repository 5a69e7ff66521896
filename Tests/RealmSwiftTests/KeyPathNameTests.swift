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
