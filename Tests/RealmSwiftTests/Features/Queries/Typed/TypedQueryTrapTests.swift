import Foundation
import Testing

@testable import RealmSwift

private let animal = { @Sendable in Query<ZooAnimal>._constructForTesting() }

private let misuses: [String: Misuse] = [
    "comparing collections": Misuse("Comparing two collection columns is not permitted.") {
        _ = animal().scores == animal().scores
    },
    "comparing properties of collections": Misuse(
        "Comparing two collection columns is not permitted."
    ) { _ = animal().friends.age == animal().zoos.animals.age },
    "following a value of a map": Misuse("Cannot apply key path to Map subscripts.") {
        _ = animal().neighbours["a"].age == 1
    },
    "adding up a single value": Misuse(
        "Aggregate operations can only be used on key paths that include an collection property"
    ) { _ = animal().age.sum > 1 },
    "adding up a count": Misuse(
        "Aggregate operations can only be used on key paths that include an collection property"
    ) { _ = (animal().friends.age > 1).count.max > 1 },
    "counting a condition without a collection": Misuse(
        "Subqueries must contain a keypath starting with a collection."
    ) { _ = ((animal().age > 1).count > 1)._constructPredicate() },
    "counting a condition on a sum": Misuse(
        "Subqueries must contain a keypath starting with a collection."
    ) { _ = ((animal().friends.age.sum > 1).count > 1)._constructPredicate() },
    "counting a condition on two collections": Misuse(
        "Subqueries must contain key paths starting with the same collection."
    ) {
        _ = ((animal().friends.age > 1 && animal().zoos.isOpen).count > 1)._constructPredicate()
    },
    "counting a condition on a map's value": Misuse(
        "Subqueries do not support map subscripts."
    ) { _ = ((animal().friends.prices["a"] > 1).count > 1)._constructPredicate() },
    "counting a condition inside of a mixed value": Misuse(
        "Subqueries do not support AnyRealmValue subscripts."
    ) { _ = ((animal().friends.note["a"] == .int(1)).count > 1)._constructPredicate() },
]

@Suite struct TypedQueryTrapTests {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
