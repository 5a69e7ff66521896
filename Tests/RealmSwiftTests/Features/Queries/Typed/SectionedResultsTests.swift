import Foundation
import StressModel
import Testing

@testable import RealmSwift

class ZooAnimalView: Projection<ZooAnimal> {
    @Projected(\ZooAnimal.name) var title
    @Projected(\ZooAnimal.home?.city) var city
    @Projected(\ZooAnimal.scores) var scores
}

@Suite struct SectionedResultsTests {
    private let realm: Realm
    private let animals: Results<ZooAnimal>

    init() throws {
        realm = try zooRealm(seed: 7)
        animals = realm.objects(ZooAnimal.self)
    }

    /// Returns sections as documented: in the order of their first elements.
    private func expected<Key: Hashable>(
        _ elements: [ZooAnimal], _ key: (ZooAnimal) -> Key
    ) -> [(key: Key, ids: [Int])] {
        var sections: [(key: Key, ids: [Int])] = []
        for element in elements {
            let index =
                sections.firstIndex { $0.key == key(element) }
                ?? {
                    sections.append((key(element), []))
                    return sections.count - 1
                }()
            sections[index].ids.append(element.id)
        }
        return sections
    }

    private func check<Key>(
        _ sectioned: SectionedResults<Key, ZooAnimal>, _ elements: [ZooAnimal],
        sourceLocation: SourceLocation = #_sourceLocation, _ key: (ZooAnimal) -> Key
    ) {
        let expected = expected(elements, key)
        #expect(sectioned.allKeys == expected.map(\.key), sourceLocation: sourceLocation)
        #expect(sectioned.count == expected.count, sourceLocation: sourceLocation)
        #expect(
            sectioned.map { $0.map(\.id) } == expected.map(\.ids), sourceLocation: sourceLocation)
        for (position, section) in expected.enumerated() {
            #expect(sectioned[position].key == section.key, sourceLocation: sourceLocation)
            #expect(sectioned[position].id == section.key, sourceLocation: sourceLocation)
            #expect(sectioned[position].count == section.ids.count, sourceLocation: sourceLocation)
            for (item, id) in section.ids.enumerated() {
                #expect(sectioned[position][item].id == id, sourceLocation: sourceLocation)
                #expect(
                    sectioned[IndexPath(item: item, section: position)].id == id,
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test func sectionsByAProperty() {
        let byAge = Array(animals.sorted(byKeyPath: "age"))
        check(animals.sectioned(by: \.age), byAge) { $0.age }
        check(
            animals.sectioned(by: \.age, ascending: false),
            Array(animals.sorted(byKeyPath: "age", ascending: false))
        ) { $0.age }
        check(
            animals.sectioned(by: \.nickname), Array(animals.sorted(byKeyPath: "nickname"))
        ) { $0.nickname }
        check(animals.sectioned(by: \.mood), Array(animals.sorted(byKeyPath: "mood"))) { $0.mood }
        #expect(animals.sectioned(by: \.nickname).allKeys.first == .some(nil))
    }

    @Test func sectionsBySeveralProperties() {
        let descriptors = ["name", SortDescriptor(keyPath: "age", ascending: false)]
        check(
            animals.sectioned(by: \.name, sortDescriptors: descriptors),
            Array(animals.sorted(by: descriptors))
        ) { $0.name }
    }

    /// The elements of a section need not be adjacent in the sort order.
    @Test func sectionsByAClosure() {
        let byName = Array(animals.sorted(byKeyPath: "name"))
        check(
            animals.sectioned(by: { $0.age % 2 == 0 }, sortDescriptors: ["name"]), byName
        ) { $0.age % 2 == 0 }
        check(
            animals.sectioned(sortDescriptors: ["name"]) { String($0.name.prefix(1)) }, byName
        ) { String($0.name.prefix(1)) }
    }

    @Test func sectionsOfFilteredResultsAndLists() throws {
        let tame = animals.where { $0.isTame }
        check(tame.sectioned(by: \.age), Array(tame.sorted(byKeyPath: "age"))) { $0.age }
        let zoo = try #require(realm.objects(Zoo.self).last)
        check(zoo.animals.sectioned(by: \.age), Array(zoo.animals.sorted(byKeyPath: "age"))) {
            $0.age
        }
    }

    @Test func sectionsOfValues() throws {
        let animal = animals[0]
        try realm.write {
            animal.scores.removeAll()
            animal.scores.append(objectsIn: [3, 1, 2, 1, 4])
        }
        let sectioned = animal.scores.sectioned(by: { $0 % 2 == 0 })
        #expect(sectioned.allKeys == [false, true])
        #expect(sectioned.map(Array.init) == [[1, 1, 3], [2, 4]])
        try realm.write { animal.scores.append(0) }
        #expect(sectioned.map(Array.init) == [[0, 2, 4], [1, 1, 3]])
        let descending = animal.scores.sectioned(by: { $0 % 2 == 0 }, ascending: false)
        #expect(descending.map(Array.init) == [[4, 2, 0], [3, 1, 1]])
    }

    @Test func sectionsOfProjections() {
        let projected = realm.objects(ZooAnimalView.self).sectioned(by: \.title)
        #expect(projected.allKeys == animals.sectioned(by: \.name).allKeys)
        let byCity = realm.objects(ZooAnimalView.self).sectioned(by: \.city, ascending: false)
        // Objects with an interrupted path come first in descending order.
        #expect(byCity.first?.key == .some(nil))
        #expect(byCity.first?.first?.city == byCity.allKeys.first)
        #expect(
            realm.objects(ZooAnimalView.self).where { $0.city == "Ulm" && $0.scores.count > 1 }
                .map(\.rootObject.id)
                == animals.where { $0.home.city == "Ulm" && $0.scores.count > 1 }.map(\.id))
    }

    @Test func sectionsAreLive() throws {
        let sectioned = animals.sectioned(by: \.age)
        let oldest = try #require(sectioned.last)
        #expect(oldest.key == 4)
        let before = sectioned.count
        try realm.write {
            for animal in animals.where({ $0.age == 4 }) { animal.age = 9 }
            #expect(sectioned.allKeys.last == 9)
            #expect(oldest.isEmpty)
        }
        #expect(sectioned.count == before)
        #expect(oldest.isEmpty)
        #expect(Array(oldest).isEmpty)
        try realm.write { animals[0].age = 4 }
        #expect(oldest.map(\.id) == [0])
        #expect(sectioned.firstIndex(of: oldest) == sectioned.count - 2)
    }

    @Test func deletingWhileIteratingVisitsTheRest() throws {
        let sectioned = animals.sectioned(by: \.age)
        var visited = 0
        try realm.write {
            for section in sectioned {
                for animal in section {
                    visited += 1
                    realm.delete(animal)
                }
            }
        }
        #expect(visited == 60)
        #expect(sectioned.isEmpty)
    }

    @Test func equality() {
        let sectioned = animals.sectioned(by: \.age)
        let copy = sectioned
        #expect(sectioned == copy)
        #expect(sectioned != animals.sectioned(by: \.age))
        #expect(sectioned[0] == copy[0])
        #expect(sectioned[0] != sectioned[1])
        #expect(sectioned.realm == realm)
        #expect(sectioned[0].realm == realm)
        #expect(!sectioned.isInvalidated && !sectioned[0].isInvalidated)
        realm.invalidate()
        #expect(sectioned.isInvalidated)
    }

    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}

private let misuses: [String: Misuse] = [
    "no order beside a property": Misuse(
        "There must be at least one SortDescriptor when using SectionedResults."
    ) {
        _ = try zooRealm(seed: 1).objects(ZooAnimal.self).sectioned(by: \.age, sortDescriptors: [])
    },
    "another order than the property": Misuse(
        "The section key path must match the primary sort descriptor."
    ) {
        _ = try zooRealm(seed: 1).objects(ZooAnimal.self).sectioned(
            by: \.age, sortDescriptors: ["name", "age"])
    },
    "no order beside a closure": Misuse(
        "Can not section Results with empty sortDescriptor parameter."
    ) {
        _ = try zooRealm(seed: 1).objects(ZooAnimal.self).sectioned(
            by: { $0.age }, sortDescriptors: [])
    },
    "a section that is not there": Misuse("Index 9 is out of bounds (must be less than 5).") {
        _ = try zooRealm(seed: 1).objects(ZooAnimal.self).sectioned(by: \.age)[9]
    },
    "an element that is not there": Misuse("Index 0 is out of bounds (must be less than 0).") {
        let realm = try zooRealm(seed: 1)
        let section = realm.objects(ZooAnimal.self).sectioned(by: \.age)[0]
        try realm.write { realm.deleteAll() }
        _ = section[0]
    },
]
