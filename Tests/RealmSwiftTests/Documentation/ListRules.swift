import Foundation
import RealmSwift
import Testing
import ToolSupport

// `List`: "very similar to Array", in order of insertion, with duplicates, of any storable type.

/// Models of lists, which `ListMisuses` uses as well.
enum Lists {
    class Dog: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = ""
    }

    class Owner: Object {
        @Persisted var ints: List<Int>
        @Persisted var strings: List<String?>
        @Persisted var dogs: List<Dog>
    }

    class Cat: Object {
        @Persisted var id: Int
    }

    static let types: [ObjectBase.Type] = [Dog.self, Owner.self, Cat.self]

    /// Returns the owner of a list of these integers, managed or not.
    static func owner(_ ints: [Int], managed: Bool) throws -> (Realm, Owner) {
        let realm = try temporaryRealm(types)
        let owner = Owner()
        owner.ints.append(objectsIn: ints)
        if managed { try realm.write { realm.add(owner) } }
        return (realm, owner)
    }
}

@Suite struct ListRules {
    private typealias Dog = Lists.Dog

    @Test(arguments: [false, true]) func theMutationsOfAnArray(managed: Bool) throws {
        let (realm, owner) = try Lists.owner([1, 2, 3], managed: managed)
        let list = owner.ints
        func expect(_ elements: Int..., line: Int = #line) {
            #expect(Array(list) == elements, "line \(line)")
        }
        try realm.write {
            list.insert(0, at: 0)
            list.insert(9, at: 4)
            expect(0, 1, 2, 3, 9)
            list.insert(contentsOf: [7, 8], at: 4)
            expect(0, 1, 2, 3, 7, 8, 9)
            list.swapAt(0, 6)
            expect(9, 1, 2, 3, 7, 8, 0)
            list.replace(index: 1, object: 5)
            list[2] = 6
            expect(9, 5, 6, 3, 7, 8, 0)
            list.replaceSubrange(1...3, with: [4])
            expect(9, 4, 7, 8, 0)
            list.replaceSubrange(0..<0, with: [1, 2])
            expect(1, 2, 9, 4, 7, 8, 0)
            list.removeSubrange(..<2)
            expect(9, 4, 7, 8, 0)
            list.remove(atOffsets: [0, 3])
            expect(4, 7, 0)
            list.removeFirst()
            list.removeLast()
            expect(7)
            list.append(objectsIn: [1, 2, 3])
            let other = List<Int>()
            other.append(objectsIn: [8, 9])
            list[1..<3] = other[0..<2]
            expect(7, 8, 9, 3)
        }
    }

    /// The parameter `to` is the index after removal.
    @Test(arguments: [false, true]) func movingTakesTheIndexAfterRemoval(managed: Bool) throws {
        for from in 0..<5 {
            for to in 0..<5 {
                let (realm, owner) = try Lists.owner(Array(0..<5), managed: managed)
                try realm.write { owner.ints.move(from: from, to: to) }
                var expected = Array(0..<5)
                expected.insert(expected.remove(at: from), at: to)
                #expect(Array(owner.ints) == expected, "\(from) to \(to)")
            }
        }
    }

    @Test(arguments: [false, true]) func movingOffsets(managed: Bool) throws {
        let (realm, owner) = try Lists.owner(Array(0..<6), managed: managed)
        try realm.write { owner.ints.move(fromOffsets: [1, 4], toOffset: 3) }
        #expect(Array(owner.ints) == [0, 2, 1, 4, 3, 5])
        try realm.write { owner.ints.move(fromOffsets: [0, 1], toOffset: 6) }
        #expect(Array(owner.ints) == [1, 4, 3, 5, 0, 2])
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func randomMutationsMatchAnArray(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (realm, managed) = try Lists.owner([], managed: true)
        let (_, unmanaged) = try Lists.owner([], managed: false)
        var model: [Int] = []
        func both(_ change: (List<Int>) -> Void) {
            change(managed.ints)
            change(unmanaged.ints)
        }
        realm.beginWrite()
        for step in 0..<600 {
            let value = Int.random(in: -50...50, using: &random)
            let index = Int.random(in: 0...model.count, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                both { $0.insert(value, at: index) }
                model.insert(value, at: index)
            case 4 where index < model.count:
                both { $0.remove(at: index) }
                model.remove(at: index)
            case 5 where index < model.count:
                both { $0[index] = value }
                model[index] = value
            case 6:
                let range = index..<min(model.count, index + 3)
                both { $0.replaceSubrange(range, with: [value, value]) }
                model.replaceSubrange(range, with: [value, value])
            case 7 where index < model.count:
                both { $0.swapAt(0, index) }
                model.swapAt(0, index)
            case 8 where index < model.count:
                both { $0.move(from: index, to: model.count - 1) }
                model.append(model.remove(at: index))
            default:
                break
            }
            #expect(Array(managed.ints) == model && Array(unmanaged.ints) == model, "\(step)")
            if step.isMultiple(of: 100) {
                try realm.commitWrite()
                realm.beginWrite()
            }
        }
        try realm.commitWrite()
        #expect(
            managed.ints.first == model.first
                && managed.ints.index(of: 7) == model.firstIndex(of: 7))
    }

    @Test(arguments: [false, true]) func optionalElementsMayBeNil(managed: Bool) throws {
        let (realm, owner) = try Lists.owner([], managed: managed)
        try realm.write { owner.strings.append(objectsIn: ["a", nil, "b", nil]) }
        #expect(Array(owner.strings) == ["a", nil, "b", nil])
        #expect(owner.strings.index(of: nil) == 1 && owner.strings.index(of: "b") == 2)
    }

    @Test func appendingUnmanagedObjectsAddsThem() throws {
        let (realm, owner) = try Lists.owner([], managed: true)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { owner.dogs.append(dog) }
        #expect(dog.realm == realm && realm.objects(Dog.self).count == 1)
    }

    @Test func listsHoldAnObjectWithAPrimaryKeySeveralTimes() throws {
        let (realm, owner) = try Lists.owner([], managed: true)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { for _ in 0..<3 { owner.dogs.append(dog) } }
        #expect(owner.dogs.allSatisfy { $0 == dog } && owner.dogs.count == 3)
    }

    @Test func indexesOfObjectsCompareRows() throws {
        let (realm, owner) = try Lists.owner([], managed: true)
        try realm.write { owner.dogs.append(objectsIn: [Dog(value: [1]), Dog(value: [2])]) }
        let two = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 2))
        #expect(owner.dogs.index(of: two) == 1)
        #expect(owner.dogs.index(of: Dog(value: [2])) == nil)
    }

    @Test func assigningCopiesTheElementsIntoTheSameInstance() throws {
        let (realm, owner) = try Lists.owner([1, 2], managed: true)
        let (_, other) = try Lists.owner([3, 4, 5], managed: false)
        let list = owner.ints
        try realm.write {
            owner.ints = other.ints
            owner.ints = owner.ints
        }
        #expect(owner.ints === list && Array(list) == [3, 4, 5])
        try realm.write { list.append(6) }
        #expect(Array(other.ints) == [3, 4, 5])
    }

    @Test(arguments: [false, true]) func enumerationSeesTheListAsItWas(managed: Bool) throws {
        let (realm, owner) = try Lists.owner([1, 2, 3], managed: managed)
        var seen: [Int] = []
        try realm.write {
            for int in owner.ints {
                seen.append(int)
                if managed { owner.ints.append(int) }
            }
        }
        #expect(seen == [1, 2, 3] && owner.ints.count == (managed ? 6 : 3))
    }

    @Test func equality() throws {
        let (_, one) = try Lists.owner([1, 2], managed: true)
        let (_, two) = try Lists.owner([1, 2], managed: true)
        #expect(one.ints == one.ints && one.ints != two.ints)
        let (_, three) = try Lists.owner([1, 2], managed: false)
        let (_, four) = try Lists.owner([1, 2], managed: false)
        let (_, five) = try Lists.owner([2, 1], managed: false)
        #expect(three.ints == four.ints && three.ints != five.ints)
    }

    @Test func objectsAtIndexes() throws {
        let (_, owner) = try Lists.owner([5, 6, 7, 8], managed: true)
        #expect(owner.ints.objects(at: [0, 2, 3]) == [5, 7, 8])
        #expect(owner.ints.objects(at: []) == [])
    }

    @Test func codable() throws {
        let (_, owner) = try Lists.owner([1, 2, 3], managed: true)
        let data = try JSONEncoder().encode(owner.ints)
        #expect(String(decoding: data, as: UTF8.self) == "[1,2,3]")
        #expect(Array(try JSONDecoder().decode(List<Int>.self, from: data)) == [1, 2, 3])
    }
}
