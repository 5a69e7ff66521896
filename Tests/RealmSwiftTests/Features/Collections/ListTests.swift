import Foundation
import RealmSwift
import Testing
import ToolSupport

@Suite struct ListTests {
    let directory = TestDirectory()

    @Test func behavesLikeAnArray() throws {
        let realm = try directory.realm()
        let object = Everything()
        try realm.write { realm.add(object) }
        var random = SeededGenerator(seed: 20_260_101)
        var model: [Int] = []
        let list = object.ints
        try realm.write {
            for step in 0..<1_500 {
                let place = Int.random(in: 0...model.count, using: &random)
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1, 2:
                    list.insert(step, at: place)
                    model.insert(step, at: place)
                case 3:
                    list.append(step)
                    model.append(step)
                case 4 where place < model.count:
                    list.remove(at: place)
                    model.remove(at: place)
                case 5 where place < model.count:
                    list[place] = -step
                    model[place] = -step
                case 6 where place < model.count:
                    let to = Int.random(in: 0..<model.count, using: &random)
                    list.move(from: place, to: to)
                    model.insert(model.remove(at: place), at: to)
                case 7 where place < model.count:
                    let other = Int.random(in: 0..<model.count, using: &random)
                    list.swapAt(place, other)
                    model.swapAt(place, other)
                default: break
                }
                #expect(list.count == model.count)
            }
        }
        #expect(Array(list) == model)
        #expect(list.first == model.first && list.last == model.last)
        let middle = model[model.count / 2]
        #expect(list.index(of: middle) == model.firstIndex(of: middle))
    }

    @Test func holdsValuesOfEveryKind() throws {
        let realm = try directory.realm()
        let object = Everything()
        let date = Date()
        object.optionalStrings.append(objectsIn: ["a", nil, ""])
        object.dates.append(date)
        try realm.write { realm.add(object) }
        #expect(Array(object.optionalStrings) == ["a", nil, ""])
        #expect(Array(object.dates) == [date])
        #expect(object.optionalStrings.index(of: nil) == 1)
    }

    @Test func holdsAnObjectMoreThanOnce() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        let dog = Dog(value: ["name": "Rex"])
        try realm.write {
            realm.add(owner)
            owner.dogs.append(dog)
            owner.dogs.append(dog)
        }
        #expect(dog.realm == realm && owner.dogs.count == 2)
        #expect(owner.dogs.index(of: dog) == 0)
        #expect(owner.dogs.index(of: Dog()) == nil)
        try realm.write { owner.dogs.remove(at: 0) }
        #expect(owner.dogs.count == 1 && realm.objects(Dog.self).count == 1)
    }

    @Test func iteratesOverASnapshot() throws {
        let realm = try directory.realm()
        let owner = Owner(value: [
            "name": "Ann", "dogs": (0..<50).map { ["name": "\($0)"] },
        ])
        try realm.write { realm.add(owner) }
        var names: [String] = []
        try realm.write {
            for dog in owner.dogs {
                names.append(dog.name)
                owner.dogs.remove(at: 0)
            }
        }
        #expect(names == (0..<50).map { "\($0)" } && owner.dogs.isEmpty)
    }

    @Test func assigningCopiesElements() throws {
        let realm = try directory.realm()
        let first = Owner(value: ["name": "Ann", "nicknames": ["a", "b"]])
        let second = Owner(value: ["name": "Bob"])
        try realm.write {
            realm.add([first, second])
            second.nicknames = first.nicknames
            first.nicknames = first.nicknames
        }
        #expect(Array(second.nicknames) == ["a", "b"] && Array(first.nicknames) == ["a", "b"])
        #expect(first.nicknames != second.nicknames && first.nicknames == first.nicknames)
    }

    @Test func isLive() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        try realm.write { realm.add(owner) }
        let other = try #require(realm.object(ofType: Owner.self, forPrimaryKey: "Ann"))
        let list = other.nicknames
        try realm.write { owner.nicknames.append("a") }
        #expect(Array(list) == ["a"] && list == owner.nicknames && list !== owner.nicknames)
    }

    @Test func describesItsElements() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "dogs": [["name": "Rex"]]])
        try realm.write { realm.add(owner) }
        let dog = "[0] Dog {\n\t\tname = Rex;\n\t\towner = (null);\n\t}"
        #expect(owner.dogs.description.contains(dog))
    }
}
