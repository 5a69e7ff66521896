import Foundation
import RealmSwift
import Testing

// Tests that invalid sort orders stop the process with the documented texts.

@Suite struct SortTrapTests {
    @Test func unknownProperties() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm(heroTypes).objects(Hero.self).sorted(byKeyPath: "boss.x") }
        expectStop("Cannot sort on key path 'boss.x': property 'Hero.x' does not exist", result)
    }

    @Test func operators() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try temporaryRealm(heroTypes).objects(Hero.self)
                .sorted(byKeyPath: "friends.@sum.age")
        }
        expectStop(
            "Cannot sort on key path 'friends.@sum.age': KVC collection operators are not "
                + "supported.", result)
    }

    @Test func operatorsOfDistinct() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try temporaryRealm(heroTypes).objects(Hero.self).distinct(by: ["friends.@count"])
        }
        expectStop(
            "Cannot distinct on keypath 'friends.@count': KVC collection operators are not "
                + "supported.", result)
    }

    @Test func collections() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try temporaryRealm(heroTypes).objects(Hero.self).sorted(byKeyPath: "friends.age")
        }
        expectStop(
            "Cannot sort on key path 'friends.age': property 'Hero.friends' is of unsupported "
                + "type 'array'.", result)
    }

    @Test func links() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm(heroTypes).objects(Hero.self).sorted(byKeyPath: "boss") }
        expectStop(
            "Cannot sort on key path 'boss': property 'Hero.boss' of type 'object' cannot be the "
                + "final property in the key path.", result)
    }

    @Test func pathsThroughValues() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm(heroTypes).objects(Hero.self).sorted(byKeyPath: "age.x") }
        expectStop(
            "Cannot sort on key path 'age.x': property 'Hero.age' of type 'int' may only be the "
                + "final property in the key path.", result)
    }

    @Test func unmanagedLists() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Hero().friends.sorted(byKeyPath: "age") }
        expectStop(
            "This method may only be called on RLMArray instances retrieved from an RLMRealm",
            result)
    }
}
