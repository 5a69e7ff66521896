import Foundation
import RealmSwift
import Testing

// Misuses of `List`, and their messages.

private func managedInts(_ body: (List<Int>) throws -> Void) throws {
    let (realm, owner) = try Lists.owner([1, 2], managed: true)
    try realm.write { try body(owner.ints) }
}

private let misuses: [String: Misuse] = [
    "reading beyond the end": Misuse("Index 2 is out of bounds (must be less than 2).") {
        try managedInts { _ = $0[2] }
    },
    "reading before the start": Misuse("Cannot pass a negative value for 'index'.") {
        try managedInts { _ = $0[-1] }
    },
    "reading beyond the end of an unmanaged list": Misuse(
        "Index 2 is out of bounds (must be less than 2)."
    ) { _ = try Lists.owner([1, 2], managed: false).1.ints[2] },
    "inserting beyond the end": Misuse("Index 4 is out of bounds (must be less than 3).") {
        try managedInts { $0.insert(1, at: 4) }
    },
    "replacing beyond the end": Misuse("Index 2 is out of bounds (must be less than 2).") {
        try managedInts { $0.replace(index: 2, object: 1) }
    },
    "swapping with a negative second index": Misuse(
        "Cannot pass a negative value for 'index2'."
    ) { try managedInts { $0.swapAt(0, -1) } },
    "removing more than there is": Misuse(
        "It is not possible to remove more objects (100) from a list than it already contains (2)."
    ) { try managedInts { $0.removeLast(100) } },
    "indexes beyond the end": Misuse("Indexes for collection are out of bounds.") {
        try managedInts { _ = $0.objects(at: [0, 2]) }
    },
    "appending outside of a transaction": Misuse(
        "Cannot modify List outside of a write transaction."
    ) { try Lists.owner([1, 2], managed: true).1.ints.append(1) },
    "appending an object whose key exists": Misuse(
        "Attempting to create an object of type 'Lists_Dog' with an existing primary key value '1'."
    ) {
        let (realm, owner) = try Lists.owner([], managed: true)
        try realm.write {
            realm.create(Lists.Dog.self, value: [1])
            owner.dogs.append(Lists.Dog(value: [1]))
        }
    },
    "objects of another class": Misuse(
        "Object of type 'Lists_Cat' does not match RLMArray type 'Lists_Dog'."
    ) {
        let (realm, owner) = try Lists.owner([], managed: true)
        try realm.write {
            owner.dynamicList("dogs").append(realm.dynamicCreate("Lists_Cat"))
        }
    },
]

@Suite struct ListMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
